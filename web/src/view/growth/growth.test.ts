import { expect, test } from 'vitest';
import type { FunctionHistory, History } from '../../api/continuous';
import { drawn, growthWords, slopeText, sparkPath, spotOf, valuesOf } from './growth';

const bytes = { type: 'inuse_space', unit: 'bytes' };
const line = (name: string, slope: number, sure: number): FunctionHistory => ({
  name, flat: [10, 40], cum: [20, 80], versions: { flat: [], cum: [] }, growth: { slope, before: 1 << 20, after: 3 << 20, sure },
});

test('a name has a function and a line', () => {
  expect(spotOf('main.(*Cache).Put /src/cache.go:31')).toEqual({ fn: 'main.(*Cache).Put', line: '31', place: 'cache.go:31' });
  expect(spotOf('main.main')).toEqual({ fn: 'main.main', line: '', place: 'main.main' });
});

test('values are those of a profile', () => {
  const h = { profiles: [2, 0] } as unknown as History;
  expect(valuesOf(h, line('a', 0, 0), false)).toEqual([5, null]);
  expect(valuesOf(h, line('a', 0, 0), true)).toEqual([10, null]);
});

test('growth is told with its sign, and how sure it is', () => {
  expect(slopeText(line('a', 2 << 20, 1), bytes)).toBe('+2MB/h');
  expect(slopeText(line('a', -2 << 20, -1), bytes)).toBe('−2MB/h');
  expect(slopeText(line('a', 0, 0), bytes)).toBe('0');
  expect(growthWords(line('a', 1, 0), bytes)).toBe(
    'from 1MB in the first third of the time to 3MB in the last: within the usual variation',
  );
  expect(growthWords(line('a', 1, 1 << 20), bytes)).toMatch(/: a rise of 1MB beyond the usual variation$/);
});

test('what grew has a line, and what is looked at', () => {
  const all = [line('a', 2, 2), line('b', 1, 1), line('c', 1, 0), line('d', -1, -1)];
  expect([...drawn(all, '')]).toEqual([['a', 0], ['b', 1]]);
  expect([...drawn(all, 'd')]).toEqual([['a', 0], ['b', 1], ['d', 2]]);
  expect([...drawn(all.slice(2), '').keys()]).toEqual(['c', 'd']);
  expect([...drawn(all, 'gone').keys()]).toEqual(['a', 'b']);
});

test('a small chart begins at 0, and ends where there is nothing', () => {
  expect(sparkPath([0, 5, 10])).toBe('M0.0 19.0L50.0 10.0L100.0 1.0');
  expect(sparkPath([10, null, 10])).toBe('M0.0 1.0M100.0 1.0');
});
