import { expect, test } from 'vitest';
import { cut, TextMeasurer } from './text';

let asked = 0;
const ten = new TextMeasurer((text) => {
  asked++;
  return text === '…' ? 10 : 10 * [...text].length;
});

test('widths are sums of letters, asked for once', () => {
  expect(ten.width('abcabc')).toBe(60);
  const before = asked;
  expect(ten.width('cabbac')).toBe(60);
  expect(asked).toBe(before);
  expect(ten.width('日本')).toBe(20);
  expect(ten.width('a😀')).toBe(20);
});

test.each([
  ['runtime', 70, 7, 'runtime'],
  ['runtime', 69, 5, 'runti…'],
  ['runtime', 30, 2, 'ru…'],
  ['runtime', 29, 0, ''],
  ['', 10, 0, ''],
])('%s in %d', (text, room, keep, shown) => {
  expect(ten.fit(text, room)).toBe(keep);
  expect(cut(text, keep)).toBe(shown);
});

test('a letter of two halves is not cut apart', () => {
  expect(cut('a😀b', 2)).toBe('a…');
});
