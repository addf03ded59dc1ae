import { expect, test } from 'vitest';
import type { FunctionHistory, History } from '../../api/continuous';
import {
  changeWords, costsOf, costText, firstText, highestRate, highestShare, linesOf, meanCostText, meanShare, versionShares,
} from './history';

const f: FunctionHistory = {
  name: 'main.f', flat: [0, 10, 30], cum: [0, 20, 60], versions: { flat: [0, 40], cum: [0, 80] },
  first: { time: Date.UTC(2026, 10, 21, 9, 20), version: 'v2', start: false },
  change: { time: Date.UTC(2026, 10, 21, 9, 20), version: 'v2', before: 0, after: 20, sure: 17.5, cost: 1 },
};
const h: History = {
  from: 0, to: 3, step: 1, type: 'cpu', unit: 'nanoseconds', time: [0, 1, 2], total: [0, 100, 100],
  profiles: [1, 1, 1], duration: [1, 1, 1],
  versions: [
    { version: 'v1', first: 0, total: 100, profiles: 1, duration: 1, profile: '', counted: false },
    { version: 'v2', first: 1, total: 200, profiles: 2, duration: 2, profile: '', counted: false },
  ],
  left: 0, functions: [f], warnings: [],
};

test('shares are of what there is: windows without a total count for nothing', () => {
  expect(meanShare(h, f, false)).toBe(20);
  expect(meanShare(h, f, true)).toBe(40);
});

test('the mean share has the weights of the cost', () => {
  const uneven = { ...h, total: [0, 100, 300], duration: [0, 1e9, 3e9] };
  expect(meanShare(uneven, { ...f, flat: [0, 10, 90] }, false)).toBe(25); // not (10 % + 30 %) / 2
  expect(meanShare({ ...h, total: [0, 0, 0] }, f, false)).toBe(0);
});

test('the cores of a row have the same decimals', () => {
  const row: FunctionHistory = { ...f, versions: { flat: [98.5e6, 0.2e9], cum: [98.5e6, 0.2e9] } };
  const versions = h.versions.map((v) => ({ ...v, duration: 1e9 }));
  const most = highestRate({ ...h, versions, duration: [1e9, 1e9, 1e9] }, row, false);
  expect(most).toBe(0.2e9);
  expect([98.5e6, 110e6, 0.2e9, 1e6].map((v) => costText(h, v, { profiles: 1, duration: 1e9 }, most)))
    .toEqual(['0.099 cores', '0.110 cores', '0.200 cores', '0.001 cores']);
  expect([37.1e6, 7.6e6].map((v) => costText(h, v, { profiles: 1, duration: 1e9 }, 76.8e6))).toEqual(['0.0371 cores', '0.0076 cores']);
  expect(costText({ ...h, type: 'inuse_space', unit: 'bytes' }, 4 * 2 ** 20, { profiles: 2, duration: 60e9 }, most)).toBe('2MB');
});

test('the window with the highest share', () => {
  expect(highestShare(h, f, false)).toEqual({ share: 30, time: 2 });
  expect(highestShare({ ...h, total: [0, 0, 0] }, f, false)).toEqual({ share: 0, time: 0 });
});

test('a version without the function has no share', () => {
  expect(versionShares(h, f, false)).toEqual([null, 20]);
});

test('changes are told with the version, and how sure they are', () => {
  expect(changeWords(f)).toMatch(/^\+20\.0 points with v2, from 21 Nov \d\d:\d\d on; \+17\.5 points beyond sampling error; it costs more$/);
  expect(changeWords({ ...f, change: { ...f.change!, sure: 0 } })).toMatch(/; within sampling error$/);
  expect(changeWords({ ...f, change: { ...f.change!, version: '', sure: 20, cost: 0 } }))
    .toMatch(/^\+20\.0 points in the last third of the time, from .* on; it costs no more for sure$/);
});

test('when a function came', () => {
  expect(firstText(f)).toMatch(/^v2 · 21 Nov \d\d:\d\d$/);
  expect(firstText({ ...f, first: { ...f.first!, start: true } })).toBe('v2 · from the start');
  const { first: _, ...never } = f;
  expect(firstText(never)).toBe('never');
});

test('the first functions have a line each, and the one that is looked at', () => {
  const names = Array.from('abcdefghij');
  expect([...linesOf(names, new Set('b'), 'j')]).toEqual([...Array.from('acdefgh').map((n) => [n, names.indexOf(n)]), ['j', undefined]]);
  expect(linesOf(names, new Set('j'), 'j').has('j')).toBe(false);
});

test('a cost is per second, or of a moment', () => {
  const cpu = { ...h, type: 'cpu', unit: 'nanoseconds' };
  expect(costText(cpu, 5e9, { profiles: 1, duration: 10e9 })).toBe('0.5 cores');
  expect(costText(cpu, 5e9, { profiles: 1, duration: 0 })).toBe('');
  expect(costText({ ...h, type: 'inuse_space', unit: 'bytes' }, 4 * 2 ** 20, { profiles: 2, duration: 60e9 })).toBe('2MB');
  expect(costText({ ...h, type: 'goroutine', unit: 'count' }, 0, { profiles: 0, duration: 0 })).toBe('');
});

test('costs over time are of an average instance, and unknown without a duration', () => {
  expect(costsOf({ ...h, duration: [0, 1e9, 2e9] }, f, false)).toEqual([null, 10, 15]);
  expect(costsOf({ ...h, type: 'inuse_space', profiles: [0, 1, 3] }, f, true)).toEqual([null, 20, 20]);
});

test('costs are per request if that was asked for, and all versions have requests', () => {
  const versions = h.versions.map((v, i) => ({ ...v, requests: [4, 5][i]! }));
  const per = { ...h, requests: [0, 4, 5], duration: [1e9, 1e9, 1e9], versions };
  expect(costsOf(per, { ...f, flat: [8e6, 10e6, 30e6] }, false)).toEqual([null, 2.5e6, 6e6]);
  expect(costText(per, 40e6, versions[1]!, 1e9)).toBe('8ms');
  expect(meanCostText(per, { ...f, flat: [8e6, 10e6, 35e6] }, false, 1e9)).toBe('5ms');
  expect(costText({ ...per, versions: h.versions }, 40e6, h.versions[1]!)).toMatch(/cores$/);
});
