import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changeText, intervalText, scaledText, scaleOf, spreadText, valueText, withUnit } from './quantity';

// What benchunit.Scale makes of the same values.
test.each([
  [4.58905e-5, 'sec/op', '45.89µ'],
  [1.4795e-6, 'sec/op', '1.480µ'],
  [0, 'sec/op', '0.000'],
  [2.5, 'sec/op', '2.500'],
  [9.9996e-7, 'sec/op', '1.000µ'],
  [123456, 'sec/op', '123.5k'],
  [17338.5, 'B/op', '16.93Ki'],
  [872, 'B/op', '872.0'],
  [2 ** 30, 'B/op', '1.000Gi'],
  [311, 'allocs/op', '311.0'],
  [12345, 'allocs/op', '12.35k'],
  [1.5e9, 'B/s', '1.397Gi'],
  [0.123, 'items/op', '123.0m'],
  [1e-12, 'sec/op', '0.001000n'],
  [25, 'allocs/op', '25.00'],
  [1023.9, 'B/op', '1023.9'],
  [1e15, 'x', '1000.0T'],
  [-4.2e-6, 'sec/op', '-4.200µ'],
])('%d %s is %s', (value, unit, text) => {
  expect(scaledText(value, unit)).toBe(text);
});

test.each([
  ['45.89µ', 'sec/op', '45.89µs'],
  ['470.3µ', 'p50-sec', '470.3µs'],
  ['12.04µ', 'cpu-sec/op', '12.04µs'],
  ['16.93Ki', 'B/op', '16.93kB'],
  ['1.397Gi', 'B/s', '1.397GB/s'],
  ['311.0', 'allocs/op', '311'],
  ['12.35k', 'allocs/op', '12\u202f350'],
  ['123.5', 'widgets/op', '123.5'],
  ['80.00m', 'gcs', '0.08'],
  ['-80.00m', 'gcs', '-0.08'],
  ['3.056', 'gcs/op', '3.056'],
  ['1.500M', 'widgets/op', '1\u202f500\u202f000'],
  ['0.000', 'B/op', '0'],
  ['-', 'sec/op', '-'],
  ['∞', 'sec/op', '∞'],
])('%s of %s is shown as %s', (text, unit, shown) => {
  expect(withUnit(text, unit)).toBe(shown);
});

test('a value that is not known is a dash', () => {
  expect(valueText(null, 'sec/op')).toBe('–');
});

test('intervals are told by their wider half', () => {
  expect(spreadText(100, 98, 103)).toBe('± 3%');
  expect(spreadText(100, 60, 110)).toBe('± 40%');
  expect(spreadText(5, 5, 5)).toBe('± 0%');
  expect(spreadText(5, null, null)).toBe('± ∞');
});

interface Figures {
  unit: string;
  largest: number;
  changes: { value: number; text: string }[];
  intervals: { lo: number | null; hi: number | null; text: string }[];
}
const figures = JSON.parse(
  readFileSync(new URL('../../../internal/compare/testdata/figures.json', import.meta.url), 'utf8'),
) as Figures[];

test.each(figures)('changes of $unit, the largest $largest, are printed as in terminals', ({ unit, largest, changes, intervals }) => {
  const scale = scaleOf(largest, unit);
  expect(changes.map((c) => changeText(c.value, scale))).toEqual(changes.map((c) => c.text));
  expect(intervals.map((i) => intervalText(i.lo, i.hi, scale))).toEqual(intervals.map((i) => i.text));
});
