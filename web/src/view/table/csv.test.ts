import { expect, test } from 'vitest';
import { csv } from './csv';
import { tsv } from './tsv';

test('cells with separators are quoted, quotes doubled', () => {
  expect(csv([['a', 'b'], ['x,y', 'say "no"'], ['line\nbreak', 'x']])).toBe('a,b\r\n"x,y","say ""no"""\r\n"line\nbreak",x\r\n');
});

test('no cell is a formula', () => {
  for (const cell of ['=1+1', '+1+1', '-1+1', '@SUM(A1)', "=cmd|' /C calc'!A0", ' =1', '\u00a0\u200b=1', '＝1', '-A1', '+1A1', '-1|x']) {
    expect(tsv([['a', cell]])).toBe(`a\t'${cell}`);
    expect(csv([['a', cell]])).toBe(`a,'${cell}\r\n`);
  }
  expect(csv([['\t=1', '\r=1', '\n=1', '=1,"2"']])).toBe(`'\t=1,"'\r=1","'\n=1","'=1,""2"""\r\n`);
});

test('figures and names stay as they are', () => {
  for (const cell of ['', '-3', '+1.5', '-1e-9', '+2.5%', '-12ms', '-3 B/op', 'main.f', 'a=b', '(*T).-', "'x"]) {
    expect(csv([[cell]])).toBe(`${cell}\r\n`);
    expect(tsv([[cell]])).toBe(cell);
  }
});
