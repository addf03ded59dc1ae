import { expect, test } from 'vitest';
import { tooMany } from './size';

const cases = [['abc', 3, 0], ['abcd', 3, 1], ['aäö', 4, 1], ['äö', 1, 2], ['a😀', 2, 1]] as const;

test.each(cases)('%s in %d bytes is %d too long', (text, most, want) => {
  expect(tooMany(text, most)).toBe(want);
});
