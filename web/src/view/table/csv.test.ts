import { expect, test } from 'vitest';
import { csv } from './csv';

test('cells with separators are quoted, quotes doubled', () => {
  expect(csv([['a', 'b'], ['x,y', 'say "no"'], ['line\nbreak', '=1+1']])).toBe('a,b\r\n"x,y","say ""no"""\r\n"line\nbreak",=1+1\r\n');
});
