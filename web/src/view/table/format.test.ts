import { expect, test } from 'vitest';
import { marginText } from './format';

test('the interval of a share', () => {
  expect(marginText(15.28, { low: 8.8, high: 25.4 })).toBe('±8.3');
  expect(marginText(2.56, { low: 0.5, high: 13.2 })).toBe('(0.5 to 13.2)');
  expect(marginText(-2, { low: -3, high: -1 })).toBe('±1.0');
});
