import { expect, it } from 'vitest';
import type { SummaryLine } from '../api/types';
import { formatDuration, safeLink, tooFew } from './facts';

it.each([
  [5, '5ns'], [1500, '1.5µs'], [2_500_000, '2.5ms'], [13_431_518_870, '13.4s'], [125e9, '2m 5s'], [3600e9, '1h'], [7_384e9, '2h 3m'],
])('%d ns is %s', (ns, want) => expect(formatDuration(ns)).toBe(want));

it.each([
  ['https://go.dev/doc', 'https://go.dev/doc'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['//x', undefined],
  ['', undefined],
  [undefined, undefined],
])('%s leads to %s', (url, want) => expect(safeLink(url)).toBe(want));

it.each([
  [39, [2.56, 2.56], true],
  [39, [15.4, 2.56], false],
  [1580, [0.5], false],
  [undefined, [2.56], false],
  [39, [], false],
])('of %s samples, lines with %j percent are too few to rank: %s', (samples, percents, want) => {
  const lines = percents.map((percent) => ({ name: 'f', cost: { value: 1, text: '1', percent } }) as SummaryLine);
  expect(tooFew({ ...(samples === undefined ? {} : { samples }), lines })).toBe(want);
});
