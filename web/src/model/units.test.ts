import { describe, expect, test } from 'vitest';
import { formatPercent, formatSigned, formatValue } from './units';

// The right-hand sides were printed by hone itself.
describe('values are printed as the server does', () => {
  test.each([
    [0, 'nanoseconds', '0'],
    [1, 'nanoseconds', '1ns'],
    [999, 'nanoseconds', '999ns'],
    [1810000000, 'nanoseconds', '1.81s'],
    [240290000000, 'nanoseconds', '240.29s'],
    [35794730000000, 'nanoseconds', '9.94hrs'],
    [1500, 'microseconds', '1.50ms'],
    [10_000_000, 'nanoseconds', '10ms'],
    [-1_500_000, 'nanoseconds', '-1.50ms'],
    [512, 'bytes', '512B'],
    [1536, 'bytes', '1.50kB'],
    [5 * 2 ** 20, 'bytes', '5MB'],
    [1 << 30, 'bytes', '1GB'],
    [1234567, 'count', '1\u202f234\u202f567'],
    [7, 'objects', '7'],
  ])('%d %s is %s', (value, unit, text) => expect(formatValue(value, unit)).toBe(text));

  test('in a unit that was asked for', () => {
    expect(formatValue(1810000000, 'nanoseconds', 'ms')).toBe('1\u202f810ms');
    expect(formatValue(1536, 'bytes', 'kb')).toBe('1.50kB');
  });

  test('halves are rounded to even, as Go does', () => {
    expect(formatValue(1125, 'nanoseconds')).toBe('1.12µs');
    expect(formatValue(1375, 'nanoseconds')).toBe('1.38µs');
    expect(formatValue(1875, 'nanoseconds')).toBe('1.88µs');
    expect(formatValue(1625, 'nanoseconds')).toBe('1.62µs');
  });
});

test.each([
  [0, 100, '0%'],
  [1, 1, '100%'],
  [9996, 10000, '100%'],
  [1436, 10000, '14.36%'],
  [25, 10000, '0.25%'],
  [1, 3_000_000, '0.000033%'],
  [-5, 10, '50.00%'],
  [1, 0, '0%'],
])('%d of %d is %s', (part, whole, text) => expect(formatPercent(part, whole)).toBe(text));

test('differences have a sign', () => {
  const ms = (v: number) => `${v}ms`;
  expect(formatSigned(3, ms)).toBe('+3ms');
  expect(formatSigned(-3, ms)).toBe('-3ms');
  expect(formatSigned(-1e-9, () => '0')).toBe('0');
  expect(formatSigned(0, ms)).toBe('0ms');
});
