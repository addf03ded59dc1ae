import { describe, expect, it } from 'vitest';
import { either, exactly, exactName, fault } from './pattern';

describe('patterns from names', () => {
  it('match that name', () => {
    expect(exactly('main.(*T).F')).toBe('^main\\.\\(\\*T\\)\\.F$');
    expect(exactName(exactly('main.(*T).F'))).toBe('main.(*T).F');
    expect(exactName('^a.b$')).toBeUndefined();
  });
  it('are added once', () => {
    expect(either('', 'a')).toBe('a');
    expect(either('a|b', 'b')).toBe('a|b');
    expect(either('a', 'b')).toBe('a|b');
  });
});

describe('fault', () => {
  it.each([
    '(', 'json(', '[a', 'a)', '\\', '*json', '(?', '(?i', '(?P<n', '(?P<n>', 'a(?=b)', '(?<!a)b', 'a|*',
  ])('%s is refused', (pattern) => {
    expect(fault(pattern)).not.toBe('');
  });
  it.each([
    '', 'json', '(?i)json', '(?i:a)b', '(?s-i)a', '(?P<n>a)', '(?<n>a)', '\\Q(\\E', '[](]', '[[:alpha:]]', '^*', '\\b+', '\\pN', '\\z',
    'a{,5}', '\\(?=', '[*+?]',
  ])('%s is for the server', (pattern) => {
    expect(fault(pattern)).toBe('');
  });
});
