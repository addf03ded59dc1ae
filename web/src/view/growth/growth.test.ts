import { expect, test } from 'vitest';
import type { FunctionHistory, History } from '../../api/continuous';
import { drawn, grownIn, growthWords, riseOf, shortOf, slopeText, sparkPath, spotOf, valuesOf, verdict } from './growth';

const bytes = { type: 'inuse_space', unit: 'bytes' };
const line = (name: string, slope: number, sure: number): FunctionHistory => ({
  name, flat: [10, 40], cum: [20, 80], versions: { flat: [], cum: [] }, growth: { slope, before: 1 << 20, after: 3 << 20, sure },
});

test('a name has a function and a line', () => {
  expect(spotOf('main.(*Cache).Put /src/cache.go:31')).toEqual({ fn: 'main.(*Cache).Put', line: '31', place: 'cache.go:31' });
  expect(spotOf('main.main')).toEqual({ fn: 'main.main', line: '', place: 'main.main' });
  expect(shortOf('bytes.growSlice /usr/local/go/src/bytes/buffer.go:257')).toEqual({
    name: 'bytes.growSlice buffer.go:257', function: 'bytes.growSlice',
  });
  expect(shortOf('main.main')).toEqual({ name: 'main.main', function: 'main.main' });
});

test('values are those of a profile', () => {
  const h = { profiles: [2, 0] } as unknown as History;
  expect(valuesOf(h, line('a', 0, 0), false)).toEqual([5, null]);
  expect(valuesOf(h, line('a', 0, 0), true)).toEqual([10, null]);
});

test('growth is told with its sign, and how sure it is', () => {
  expect(slopeText(line('a', 2 << 20, 1), bytes)).toBe('+2MB/h');
  expect(slopeText(line('a', -2 << 20, -1), bytes)).toBe('-2MB/h');
  expect(slopeText(line('a', 0, 0), bytes)).toBe('no growth');
  expect(slopeText(line('a', 103 << 10, 0), bytes)).toBe('no growth'); // within the usual variation
  expect(growthWords(line('a', 1, 0), bytes)).toBe(
    'from 1MB in the first third of the time to 3MB in the last: within the usual variation',
  );
  expect(growthWords(line('a', 1, 1 << 20), bytes)).toMatch(/: a rise of 1MB beyond the usual variation$/);
});

test('growth is told of what is selected', () => {
  const timeline = { from: 100, to: 900 };
  expect(grownIn({ from: 300, to: 500 }, timeline)).toEqual({ from: 300, to: 500 });
  expect(grownIn({ from: 100, to: 900 }, timeline)).toEqual(timeline);
  expect(grownIn({ from: 0, to: 0 }, timeline)).toEqual(timeline);
});

const over = (values: readonly number[], sure = 0, total = 4000): History => ({
  from: 0, to: 0, step: 60_000, ...bytes, time: values.map((_, i) => 60_000 * i), total: values.map(() => total),
  profiles: values.map(() => 1), duration: values.map(() => 0), versions: [], left: 0, warnings: [],
  functions: [{ ...line('main.(*Cache).Put /src/cache.go:31', 1, sure), flat: [...values] }],
});
const leak = [70, 72, 71, 70, 500, 1900, 800, 71, 70, 70];

test('a rise that ended is told, and a wave or a single window is not', () => {
  expect(riseOf(over(leak), false)).toMatchObject({ value: 1900, time: 300_000 });
  expect(riseOf(over(leak.map((v) => (v === 500 || v === 800 ? 70 : v))), false)).toBe(undefined);
  expect(riseOf(over([70, 100, 130, 100, 70, 100, 130, 100, 70, 100]), false)).toBe(undefined);
  expect(riseOf(over(leak, 0, 1e6), false)).toBe(undefined);
  expect(riseOf(over(leak, 1), false)).toBe(undefined);
});

test('the verdict does not deny what the chart shows', () => {
  expect(verdict(over(leak, 1), false)).toEqual(['1 line grew']);
  expect(verdict(over(leak.map(() => 70)), false)).toEqual(['No line grew by more than the usual variation']);
  const [first, rest] = verdict(over(leak), false);
  expect(first).toBe('(*Cache).Put:31 rose for a time');
  expect(rest).toMatch(/^to 1\.86kB on 1 Jan \d\d:\d\d: select that time above$/);
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
  expect(sparkPath([10, null, 10])).toBe('M0.0 1.0L100.0 1.0'); // profiles are rarer than windows
  expect(sparkPath([10, 10, 10, 10, null, null, null, null, 10])).toBe('M0.0 1.0L12.5 1.0L25.0 1.0L37.5 1.0M100.0 1.0l3 0');
});
