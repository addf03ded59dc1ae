import { expect, test } from 'vitest';
import { areaPath, dragged, fitting, linePath, nudged, pointAt, runs, split } from './timeline';

const points = (...times: number[]) => times.map((time) => ({ time, value: time }));
const x = { min: 0, max: 1000, from: 0, to: 100 };
const y = { min: 0, max: 1000, from: 50, to: 0 };

test('a line ends where nothing was profiled for longer than usual', () => {
  expect(runs(points(0, 10, 20, 200, 210, 220, 230, 240, 250, 260, 270, 280, 290), 10).map((r) => r.length)).toEqual([3, 10]);
  expect(runs(points(0, 60, 120, 180), 10)).toHaveLength(1);
  expect(runs([], 10)).toEqual([]);
});

test('a line goes on where there are fewer points', () => {
  const hourly = [0, 40, 80, 120, 160];
  const often = Array.from({ length: 60 }, (_, i) => 170 + 10 * i);
  expect(runs(points(...hourly, ...often), 10)).toHaveLength(1);
  expect(runs(points(...often, ...hourly.map((t) => t + 800)), 10)).toHaveLength(1);
  expect(runs(points(...hourly, ...often.map((t) => t + 400)), 10).map((r) => r.length)).toEqual([5, 60]);
});

test('windows without a value interrupt if there are more of them than usual', () => {
  const lengths = (...values: (number | null)[]) => runs(values.map((value, i) => ({ time: 10 * i, value })), 10).map((r) => r.length);
  expect(lengths(1, 2, 3, null, null, null, 4, 5, 6, 7, 8, 9, 10, 11, 12)).toEqual([3, 9]);
  expect(lengths(1, null, 2, null, 3, null, 4)).toEqual([4]); // as with a count of requests in every other one
  expect(lengths(null, 1, null)).toEqual([1]);
});

test('a sum of a window that goes on is apart from the line, a rate is not', () => {
  const run = points(0, 100, 200, 300);
  const span = { from: 50, to: 350 };
  const { whole, partial } = split(run, 100, span, true);
  expect(whole.map((p) => p.time)).toEqual([100, 200]);
  expect(partial.map((part) => part.map((p) => p.time))).toEqual([[0, 100], [200, 300]]);
  expect(split(run, 100, { from: 0, to: 400 }, true)).toEqual({ whole: run, partial: [] });
  expect(split(run, 100, span, false)).toEqual({ whole: run, partial: [] });
  expect(split(points(300), 100, span, true)).toEqual({ whole: [], partial: [points(300)] });
});

test('values stand in the middle of their windows', () => {
  expect(linePath([{ time: 0, value: 0 }, { time: 100, value: 1000 }], 100, x, y)).toBe('M5 50L15 0');
  expect(areaPath([{ time: 0, value: 500 }], 100, x, y)).toBe('M5 25L5 50L5 50Z');
  expect(areaPath([], 100, x, y)).toBe('');
});

test('a drag selects whole windows, in either direction, within what is shown', () => {
  expect(dragged(12, 38, x, 100)).toEqual({ from: 100, to: 400 });
  expect(dragged(38, 12, x, 100)).toEqual({ from: 100, to: 400 });
  expect(dragged(-50, 500, x, 100)).toEqual({ from: 0, to: 1000 });
  expect(dragged(20, 22, x, 100)).toBeNull();
});

test('keys move an end by windows, never past the other', () => {
  const range = { from: 130, to: 400 };
  expect(nudged(range, 'from', 1, 100, x)).toEqual({ from: 200, to: 400 });
  expect(nudged(range, 'from', -1, 100, x)).toEqual({ from: 100, to: 400 });
  expect(nudged(range, 'from', 10, 100, x)).toEqual({ from: 300, to: 400 });
  expect(nudged(range, 'to', -10, 100, x)).toEqual({ from: 130, to: 230 });
  expect(nudged(range, 'to', 100, 100, x)).toEqual({ from: 130, to: 1000 });
  expect(nudged(range, 'from', -9, 100, x)).toEqual({ from: 0, to: 400 });
});

test('the value at a time is that of the window nearest to it', () => {
  const all = points(0, 100, 500);
  expect(pointAt(all, 160, 100)?.time).toBe(100);
  expect(pointAt(all, 30, 100)?.time).toBe(0);
  expect(pointAt(points(0), 900, 100)).toBeUndefined();
});

test('texts leave each other room', () => {
  expect([...fitting([0, 5, 12, 13], (n) => n, () => 10)]).toEqual([0, 12]);
});
