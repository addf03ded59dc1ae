import { expect, test } from 'vitest';
import { endText, intervalText, marginText, shareText, signedText, wayOf } from './format';

test('the interval of a share', () => {
  expect(marginText(15.28, { low: 8.8, high: 25.4 })).toBe('±8.3');
  expect(marginText(2.56, { low: 0.5, high: 13.2 })).toBe('(0.5 to 13.2)');
  expect(marginText(-2, { low: -3, high: -1 })).toBe('±1.0');
});

test('an interval is never shown as nothing', () => {
  expect(marginText(17.34, { low: 17.31, high: 17.38 })).toBe('');
  expect(marginText(2.34, { low: 2.31, high: 2.38 })).toBe('±0.03');
  expect(marginText(0.02, { low: 0.001, high: 0.09 })).toBe('(<0.01 to 0.09)');
  expect(intervalText({ low: 3.04, high: 25.4 })).toBe('3.0% to 25.4%');
  expect(intervalText({ low: 0.04, high: 25.4 })).toBe('0.04% to 25.40%');
  expect(intervalText({ low: 0, high: 0.3 })).toBe('0.0% to 0.3%');
  expect(intervalText({ low: 3.31, high: 3.34 })).toBe('3.31% to 3.34%');
});

test('a small share is below what its digits show', () => {
  expect([0, 0.004, 0.04, -0.004, 12.3456].map((p) => shareText(p))).toEqual(['0%', '<0.01%', '0.04%', '>-0.01%', '12.35%']);
  expect([0, 0.04, 9.8].map((p) => shareText(p, 1))).toEqual(['0%', '<0.1%', '9.8%']);
});

test('an end of an interval is a number', () => {
  expect(['-0.12s', '>-0.01s', '<+0.01 cores', '+1.50MB/s', '0', ''].map(endText)).toEqual(['-0.12', '-0.00', '+0.00', '+1.50', '0', '']);
});

test('changes have their sign and colour in all views, other values none', () => {
  const cases: [string, number, string][] = [['0.18s', 1, '+0.18s'], ['<0.01s', 1, '<+0.01s'], ['-0.18s', -1, '-0.18s'], ['', 1, '']];
  for (const [text, value, want] of cases) expect(signedText(text, value, true)).toBe(want);
  expect(signedText('0.18s', 1, false)).toBe('0.18s');
  expect([wayOf(1, true), wayOf(-1, true), wayOf(0, true), wayOf(1, false)]).toEqual(['more', 'less', '', '']);
});
