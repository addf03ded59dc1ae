import { beforeAll, expect, test, vi } from 'vitest';
import type { Trend } from '../../api/runs';
import type * as TrendModule from './TrendPage';
import type * as RunsModule from './TrendRuns';

// The state reads the address when it is loaded.
let m: typeof TrendModule;
let runs: typeof RunsModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./TrendPage');
  runs = await import('./TrendRuns');
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
  expect(runs.differ(trend, point(0, before), point(1, after))).toBe(sure);
});
