import { describe, expect, test } from 'vitest';
import { folds } from './folds';
import { tokens, type Inside } from './tokens';

/** Tokens as text: kind in front of what is not plain. */
function shown(line: string, inside: Inside = '') {
  const got = tokens(line, inside);
  expect(got.tokens.map((t) => t.text).join('')).toBe(line);
  return [got.tokens.map((t) => (t.kind ? `<${t.kind} ${t.text}>` : t.text)).join(''), got.inside];
}

describe('tokens', () => {
  const cases: [string, string, Inside][] = [
    ['', '', ''],
    ['\treturn x // done', '\t<keyword return> x <comment // done>', ''],
    ['func (r *T) format(s string)', '<keyword func> (r *T) format(s string)', ''],
    ['a := "x // \\" y" + z', 'a := <string "x // \\" y"> + z', ''],
    ["case '\\'', '\"':", '<keyword case> <string \'\\\'\'>, <string \'"\'>:', ''],
    ['x /* y */ z', 'x <comment /* y */> z', ''],
    ['x /* y', 'x <comment /* y>', '*'],
    ['s := `a "b', 's := <string `a "b>', '`'],
    ['größe := goto1', 'größe := goto1', ''],
    ['"not closed', '<string "not closed>', ''],
    ['a / b / c', 'a / b / c', ''],
  ];
  for (const [line, want, inside] of cases) {
    test(JSON.stringify(line), () => expect(shown(line)).toEqual([want, inside]));
  }
  test('across lines', () => {
    expect(shown('still */ if', '*')).toEqual(['<comment still */> <keyword if>', '']);
    expect(shown('still', '*')).toEqual(['<comment still>', '*']);
    expect(shown('raw` + `more', '`')).toEqual(['<string raw`> + <string `more>', '`']);
  });
});

describe('folds', () => {
  test('short functions stay whole', () => {
    expect(folds(10, (i) => i === 5)).toEqual([{ first: 0, end: 10, folded: false }]);
    expect(folds(0, () => false)).toEqual([]);
  });
  test('far lines are folded', () => {
    expect(folds(100, (i) => i === 50)).toEqual([
      { first: 0, end: 2, folded: false },
      { first: 2, end: 44, folded: true },
      { first: 44, end: 57, folded: false },
      { first: 57, end: 100, folded: true },
    ]);
  });
  test('small gaps are not', () => {
    expect(folds(40, (i) => i === 8 || i === 30)).toEqual([{ first: 0, end: 40, folded: false }]);
  });
});
