import { expect, test } from 'vitest';
import { farApart, logRangeOf, logTicks, place, rangeOf, ticks, timeTicks, valueAt } from './axis';

test('a place and its value are inverse', () => {
  const s = { min: 10, max: 20, from: 300, to: 0 };
  expect(place(s, 10)).toBe(300);
  expect(place(s, 15)).toBe(150);
  expect(valueAt(s, 150)).toBe(15);
  expect(place({ ...s, max: 10 }, 10)).toBe(150);
});

test('ticks are round and within the range', () => {
  expect(ticks(0, 47, 5)).toEqual([0, 10, 20, 30, 40]);
  expect(ticks(0.00000101, 0.00000149, 4)).toEqual([1.2e-6, 1.4e-6]);
  expect(ticks(0, 5000, 4, true)).toEqual([0, 2048, 4096]);
  expect(ticks(3, 3, 4)).toEqual([3]);
});

test('a range begins at zero unless that would flatten what there is to see', () => {
  expect(rangeOf([10, 40])[0]).toBe(0);
  expect(rangeOf([10, 40])[1]).toBeCloseTo(42.4);
  expect(rangeOf([98, 100])[0]).toBeGreaterThan(90);
  expect(rangeOf([5, 5])).toEqual([4.5, 5.5].map((v) => expect.closeTo(v)));
  expect(rangeOf([0, 0])).toEqual([0, 1]);
  expect(rangeOf([])).toEqual([0, 1]);
});

test('times stand at full hours and days of the zone', () => {
  const day = 86_400_000;
  expect(timeTicks(0, 3 * day, 3)).toEqual([0, day, 2 * day, 3 * day]);
  expect(timeTicks(0, day, 2, 3_600_000)[0]! + 3_600_000).toBe(43_200_000);
});

test('ticks of logarithms are round and within', () => {
  expect(logTicks(1e5, 5e8)).toEqual([1e5, 1e6, 1e7, 1e8]);
  expect(logTicks(2e5, 9e6)).toEqual([3e5, 1e6, 3e6]);
  expect(logTicks(2e5, 9e5)).toEqual([2e5, 5e5]);
  expect(logTicks(0, 5)).toEqual([]);
});

test('those of bytes are powers of two', () => {
  expect(logTicks(900, 9000, true)).toEqual([1024, 2048, 4096, 8192]);
  expect(logTicks(1, 2 ** 20, true)).toEqual([1, 16, 256, 4096, 65536, 2 ** 20]);
});

test('logarithms are offered for values more than a factor of ten apart', () => {
  expect(farApart([1, 10])).toBe(false);
  expect(farApart([1, 5, 10.1])).toBe(true);
  expect(farApart([0, 100])).toBe(false); // has no logarithm
  expect(farApart([5])).toBe(false);
});

test('a range of logarithms has room on both sides', () => {
  const [min, max] = logRangeOf([10, 1000, 0]);
  expect(min).toBeLessThan(10);
  expect(min).toBeGreaterThan(5);
  expect(max).toBeGreaterThan(1000);
  expect(max).toBeLessThan(2000);
});
