import { expect, test } from 'vitest';
import { tooMany } from './size';

test.each([['abc', 3, 0], ['abcd', 3, 1], ['aäö', 4, 1], ['äö', 1, 2], ['a😀', 2, 1]])('%s in %d bytes is %d too long', (text, most, want) => {
  expect(tooMany(text, most)).toBe(want);
});
