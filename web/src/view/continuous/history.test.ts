import { expect, test } from 'vitest';
import type { FunctionHistory, History } from '../../api/continuous';
import { changeWords, costText, firstText, linesOf, meanShare, versionShares } from './history';

const f: FunctionHistory = {
  name: 'main.f', flat: [0, 10, 30], cum: [0, 20, 60], versions: { flat: [0, 40], cum: [0, 80] },
  first: { time: Date.UTC(2026, 10, 21, 9, 20), version: 'v2', start: false },
  change: { time: Date.UTC(2026, 10, 21, 9, 20), version: 'v2', before: 0, after: 20, sure: 17.5 },
};
const h: History = {
  from: 0, to: 3, step: 1, type: 'cpu', unit: 'nanoseconds', time: [0, 1, 2], total: [0, 100, 100],
  profiles: [1, 1, 1], duration: [1, 1, 1],
  versions: [
    { version: 'v1', first: 0, total: 100, profiles: 1, duration: 1, profile: '' },
    { version: 'v2', first: 1, total: 200, profiles: 2, duration: 2, profile: '' },
  ],
  left: 0, functions: [f], warnings: [],
};

test('shares are of what there is: windows without a total count for nothing', () => {
  expect(meanShare(h, f, false)).toBe(20);
  expect(meanShare(h, f, true)).toBe(40);
});

test('a version without the function has no share', () => {
  expect(versionShares(h, f, false)).toEqual([null, 20]);
});

test('changes are told with the version, and how sure they are', () => {
  expect(changeWords(f)).toMatch(/^\+20\.0 points with v2, from 21 Nov \d\d:\d\d on; \+17\.5 points beyond sampling error$/);
  expect(changeWords({ ...f, change: { ...f.change!, sure: 0 } })).toMatch(/; within sampling error$/);
  expect(changeWords({ ...f, change: { ...f.change!, version: '', sure: 20 } }))
    .toMatch(/^\+20\.0 points in the last third of the time, from .* on$/);
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
  const cpu = { type: 'cpu', unit: 'nanoseconds' };
  expect(costText(cpu, 5e9, 1, 10e9)).toBe('0.5 cores');
  expect(costText(cpu, 5e9, 1, 0)).toBe('');
  expect(costText({ type: 'inuse_space', unit: 'bytes' }, 4 * 2 ** 20, 2, 60e9)).toBe('2MB');
  expect(costText({ type: 'goroutine', unit: 'count' }, 0, 0, 0)).toBe('');
});
