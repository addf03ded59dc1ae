import { beforeAll, expect, test, vi } from 'vitest';
import type { Trend, TrendSeries } from '../../api/runs';
import type * as TrendModule from './TrendPage';
import type * as StepsModule from './trend';

// The state reads the address when it is loaded.
let m: typeof TrendModule;
let steps: typeof StepsModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./TrendPage');
  steps = await import('./trend');
});

test.each([
  ['main 3f2a9c1d2+dirty', '3f2a9c1+'],
  ['3f2a9c1d2', '3f2a9c1'],
  ['v1.2.0 81c0ee52f', '81c0ee5'],
  ['-', '-'],
])('below a point, %s is %s', (revision, text) => expect(m.commitText(revision)).toBe(text));

test.each([
  ['apart', [9, 11], [12, 14], ['a', 'a'], true],
  ['apart the other way', [12, 14], [9, 11], ['a', 'a'], true],
  ['exact and equal', [9, 9], [9, 9], ['a', 'a'], false],
  ['one interval in the other', [9, 10], [8, 20], ['a', 'a'], false],
  ['too few samples for an interval', [9, null], [12, 14], ['a', 'a'], false],
  ['on another machine', [9, 11], [12, 14], ['a', 'b'], false],
] as const)('two points of a trend, %s', (_, before, after, machines, sure) => {
  const trend = { runs: machines.map((machine) => ({ machine })) } as unknown as Trend;
  const point = (run: number, [lo, hi]: readonly [number, number | null]) => ({ run, median: 10, lo, hi, n: 8 });
  expect(steps.differ(trend, point(0, before), point(1, after))).toBe(sure);
});

test('a step is from the run before that has the benchmark, and coloured only if it is sure', () => {
  const trend = { runs: ['a', 'b', 'c', 'd'].map((id) => ({ id, machine: 'm' })) } as unknown as Trend;
  const point = (run: number, median: number | null, half = 1) =>
    ({ run, median, lo: median && median - half, hi: median && median + half, n: 8 });
  const series = { benchmark: 'B-2', unit: 'sec/op', better: -1, points: [point(0, 10), point(1, null), point(2, 20), point(3, 21, 5)] };
  const step = (i: number, of = series) => steps.stepTo(trend, of as unknown as TrendSeries, of.points[i]);
  expect(step(0)).toBe(undefined);
  expect(step(1)).toBe(undefined);
  expect(step(2)).toMatchObject({ before: { run: 0 }, by: 1, sure: true, tone: 'more' });
  expect(step(3)).toMatchObject({ before: { run: 2 }, by: 0.05, sure: false, tone: 'soft' });
  expect(step(2, { ...series, better: 1 })?.tone).toBe('less');
  expect(step(2, { ...series, better: 0 })?.tone).toBe('');
  expect(steps.comparisonOf(trend, series as unknown as TrendSeries, step(2)!))
    .toEqual({ page: 'compare', run: ['a', 'c'], pick: 'B-2 sec/op' });
  expect(steps.lastStep(trend, series as unknown as TrendSeries)?.by).toBe(0.05);
});
