import { describe, expect, test } from 'vitest';
import { weighing, widthsOf } from './widths';

// all ─ a ─ b: b was called before, c is now; d is gone with its caller.
const nodes = { count: 6, parent: [0, 0, 1, 1, 0, 4] };
const head = { total: [100, 100, 0, 70, 0, 0], rest: [0, 0, 0, 0, 0, 0] };
const base = { total: [400, 320, 300, 0, 80, 60], rest: [0, 0, 0, 0, 10, 0] };

describe('frames are as wide as', () => {
  test.each([
    // The base is halved: a had 160, b 150; together with c's 70 that is more than a has on either side.
    ['both', [260, 220, 150, 70, 40, 30]],
    ['head', [100, 100, 0, 70, 0, 0]],
    ['base', [200, 160, 150, 0, 40, 30]],
  ] as const)('%s', (widths, want) => {
    expect([...widthsOf(nodes, head, base, weighing(widths, 0.5))]).toEqual(want);
  });
});

test('base values are whole once they are scaled', () => {
  expect(weighing('both', 1 / 3)(2, 8)).toBe(3);
  expect(weighing('base', 1 / 3)(2, 8)).toBe(3);
  expect(weighing('head', 1 / 3)(2, 8)).toBe(2);
});
