import { expect, test } from 'vitest';
import { tester } from './pattern';

test.each([
  ['runtime', 'runtime.mallocgc', true],
  ['RUNTIME', 'runtime.mallocgc', false],
  ['(?i)RUNTIME', 'runtime.mallocgc', true],
  ['(?-i)RUNTIME', 'runtime.mallocgc', false],
  ['^main\\.', 'main.main', true],
  ['^main\\.', 'x/main.main', false],
  ['json|gzip', 'compress/gzip.(*Writer).Write', true],
  ['\\(\\*conn\\)\\.serve$', 'net/http.(*conn).serve', true],
  ['(?P<what>gc)', 'runtime.gc', true],
])('%s in %s: %s', (pattern, name, matches) => expect(tester(pattern)!(name)).toBe(matches));

// What means something else here, or nothing, is left to the server.
test.each(['\\pL', '\\Qa.b\\E', '[[:alpha:]]', '(?U)a+', 'a\\z', '(', '(?=a)', '(a)\\1', 'x{,3}'])('%s is for the server', (pattern) =>
  expect(tester(pattern)).toBeNull());
