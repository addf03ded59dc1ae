import { describe, expect, test } from 'vitest';
import { flameOf } from './fixtures';
import { buffers, decode, eachChild, levelsIn, narrowestCovering, neighbour, nodeAt, nodeWithID, REST, ROOT, widestChild } from './model';

// all 100: a 60 (b 30, c 20, self 10), d 40 (e 40)
const small = flameOf([[0, 0, 100, 0], [1, 0, 60, 10], [2, 0, 30, 30], [2, 0, 20, 20], [1, 0, 40, 0], [2, 0, 40, 40]]);

describe('decode', () => {
  test('places nodes by rows, from left to right', () => {
    const m = decode(small);
    expect([...m.rows]).toEqual([0, 1, 3, 6]);
    expect([...m.id]).toEqual([0, 10, 40, 20, 30, 50]);
    expect([...m.x]).toEqual([0, 0, 60, 0, 30, 60]);
    expect([...m.parent]).toEqual([-1, 0, 0, 1, 1, 2]);
    expect([...m.depth]).toEqual([0, 1, 1, 2, 2, 2]);
    expect(m.frame[0]).toBe(ROOT);
    expect(m.complete).toBe(true);
  });

  test('multiplies by the scale, gaps too', () => {
    const m = decode(flameOf([[0, 0, 10, 0], [1, 2, 3, 3]], { scale: 1e7, from: 0, to: 1e8 }));
    expect(m.x[nodeWithID(m, 10)]).toBe(2e7);
    expect(m.total[nodeWithID(m, 10)]).toBe(3e7);
  });

  test('fills what was not sent, beside what was', () => {
    // 30 of a's 60 are of five callees too narrow to be sent.
    const m = decode(flameOf([[0, 0, 100, 40], [1, 0, 60, 10, 5], [2, 0, 20, 20]]));
    const rest = m.rows[3]! - 1;
    expect(m.frame[rest]).toBe(REST);
    expect([m.x[rest], m.total[rest]]).toEqual([20, 30]);
    expect(m.id[m.parent[rest]!]).toBe(10);
    expect(m.complete).toBe(false);
  });

  test('nothing is filled outside of the window', () => {
    // a's callees left of 50 were not asked for.
    const m = decode(flameOf([[0, 0, 100, 0], [1, 0, 100, 0, 3], [2, 60, 20, 20]], { from: 50, to: 80 }));
    const rests = Array.from({ length: m.count }, (_, n) => n).filter((n) => m.frame[n] === REST);
    expect(rests.map((n) => [m.x[n], m.total[n]])).toEqual([[50, 10]]);
  });

  test('marks inlined calls and keeps base values', () => {
    const flame = flameOf([[0, 0, 10, 0], [1, 0, 10, 10]], { diff: true, baseTotal: 20, baseScale: 0.5 });
    flame.nodes.inlined = [1];
    flame.nodes.baseTotal = [20, 18];
    flame.nodes.baseSelf = [2, 18];
    const m = decode(flame);
    expect(m.inlined[1]).toBe(1);
    expect(m.baseTotal![1]).toBe(18);
    expect(m.about.baseScale).toBe(0.5);
  });

  test('refuses a node before its parent', () => {
    expect(() => decode(flameOf([[0, 0, 10, 0], [2, 0, 5, 5]]))).toThrow('before its parent');
    expect(() => decode({ ...small, nodes: { ...small.nodes, id: [] } })).toThrow('without a root');
  });

  test('its buffers can be handed over, each once', () => {
    const list = buffers(decode(small));
    expect(new Set(list).size).toBe(list.length);
  });
});

test('nodes are found by their place', () => {
  const m = decode(small);
  expect(m.id[nodeAt(m, 2, 29.999)]).toBe(20);
  expect(m.id[nodeAt(m, 2, 30)]).toBe(30);
  expect(nodeAt(m, 2, 55)).toBe(-1); // a's own
  expect(nodeAt(m, 3, 10)).toBe(-1);
  expect(nodeAt(m, -1, 10)).toBe(-1);
  const children: number[] = [];
  eachChild(m, nodeWithID(m, 10), (n) => children.push(m.id[n]!));
  expect(children).toEqual([20, 30]);
});

test('levels in a part of the graph', () => {
  const m = decode(flameOf([[0, 0, 100, 0], [1, 0, 60, 60], [1, 0, 40, 0], [2, 0, 40, 0], [3, 0, 10, 10]]));
  expect(levelsIn(m, 0, 60)).toBe(2);
  expect(levelsIn(m, 0, 100)).toBe(4);
  expect(levelsIn(m, 75, 100)).toBe(3);
});

test('the narrowest node over a viewport, outermost of equals', () => {
  const m = decode(small);
  expect(m.id[narrowestCovering(m, 60, 100)]).toBe(40);
  expect(m.id[narrowestCovering(m, 5, 20)]).toBe(20);
  expect(m.id[narrowestCovering(m, 20, 70)]).toBe(0);
});

test('ways from node to node', () => {
  const m = decode(small);
  const a = nodeWithID(m, 10);
  expect(m.id[widestChild(m, a, 0, 100)]).toBe(20);
  expect(m.id[widestChild(m, a, 25, 60)]).toBe(30); // only 5 of b are in view
  expect(widestChild(m, a, 52, 60)).toBe(-1);
  expect(m.id[neighbour(m, nodeWithID(m, 30), 1)]).toBe(50); // a's and d's callees are neighbours
  expect(neighbour(m, nodeWithID(m, 50), 1)).toBe(-1);
  expect(neighbour(m, nodeWithID(m, 20), -1)).toBe(-1);
});
