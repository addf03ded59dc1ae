import { expect, test } from 'vitest';
import { flameOf } from '../model/fixtures';
import { decode, REST } from '../model/model';
import { Boxes, layOut } from './boxes';

function boxesOf(m: ReturnType<typeof decode>, from: number, to: number, width: number, firstRow = 0, endRow = 99): string[] {
  const out = new Boxes();
  layOut(m, { from, to }, width, firstRow, endRow, out);
  return Array.from(
    { length: out.count }, (_, i) => `${m.frame[out.node[i]!] === REST ? 'rest' : m.id[out.node[i]!]!}:${out.left[i]!}-${out.right[i]!}`,
  );
}

const small = decode(flameOf([[0, 0, 100, 0], [1, 0, 60, 10], [2, 0, 30, 30], [2, 0, 20, 20], [1, 0, 40, 0], [2, 0, 40, 40]]));

test('boxes meet at whole pixels', () => {
  expect(boxesOf(small, 0, 100, 1000)).toEqual(['0:0-1000', '10:0-600', '40:600-1000', '20:0-300', '30:300-500', '50:600-1000']);
});

test('only what is in view, cut off at its edges', () => {
  expect(boxesOf(small, 40, 70, 300)).toEqual(['0:0-300', '10:0-200', '40:200-300', '30:0-100', '50:200-300']);
});

test('only rows in view', () => {
  expect(boxesOf(small, 0, 100, 100, 1, 2)).toEqual(['10:0-60', '40:60-100']);
});

test('of frames in one pixel the first is drawn', () => {
  const many = decode(flameOf([[0, 0, 1000, 0], ...Array.from({ length: 1000 }, () => [1, 0, 1, 1] as [number, number, number, number])]));
  const boxes = boxesOf(many, 0, 1000, 10);
  expect(boxes.length).toBeLessThanOrEqual(11);
  expect(boxes.length).toBeGreaterThan(8);
});

test('what was not sent is drawn once it can be seen', () => {
  const m = decode(flameOf([[0, 0, 100, 0, 7], [1, 0, 97, 97]]));
  expect(boxesOf(m, 0, 100, 100)).toEqual(['0:0-100', '10:0-97', 'rest:97-100']);
  expect(boxesOf(m, 0, 100, 30)).toEqual(['0:0-30', '10:0-29']);
});

test('lists grow', () => {
  const out = new Boxes();
  for (let i = 0; i < 10_000; i++) out.push(i, i, i + 1);
  expect([out.count, out.node[9999], out.right[9999]]).toEqual([10_000, 9999, 10_000]);
});
