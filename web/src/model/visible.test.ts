import { expect, test } from 'vitest';
import { visible } from './visible';

test.each([
  ['main.main', 'main.main'],
  ['شعلة.Flame', 'شعلة.Flame'],
  ['right-to-left \u202eeltrut\u202c', 'right-to-left \\u202eeltrut\\u202c'],
  ['\u2066\u200f\u061c', '\\u2066\\u200f\\u061c'],
  ['\u200e\u202a\u202b\u202d\u2067\u2068', '\\u200e\\u202a\\u202b\\u202d\\u2067\\u2068'],
  ['zero\u200dwidth', 'zero\u200dwidth'],
])('%j', (text, shown) => expect(visible(text)).toBe(shown));
