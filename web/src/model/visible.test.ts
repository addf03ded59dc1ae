import { expect, test } from 'vitest';
import { visible } from './visible';

test.each([
  ['main.main', 'main.main'],
  ['شعلة.Flame', 'شعلة.Flame'],
  ['right-to-left \u202eeltrut\u202c', 'right-to-left \\u202eeltrut\\u202c'],
  ['\u2066\u200f\u061c', '\\u2066\\u200f\\u061c'],
])('%j', (text, shown) => expect(visible(text)).toBe(shown));
