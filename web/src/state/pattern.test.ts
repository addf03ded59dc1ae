import { describe, expect, it } from 'vitest';
import { either, exactly, exactName, fault, finder, patternOf } from './pattern';

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

describe('what is typed to find something', () => {
  it.each([
    ['', ''],
    ['json', '(?i)json'],
    ['ReadAll', 'ReadAll'],
    ['json|gzip', '(?i)json|gzip'],
    ['main\\.\\S+', '(?i)main\\.\\S+'],
    ['(?-i)json', '(?-i)json'],
    ['(*T).Read', '\\(\\*T\\)\\.Read'],
    ['json(', '(?i)json\\('],
    ['^\\d+$', '^\\d+$'],
    ['^main\\.run$', '^main\\.run$'],
    ['größe', '(?i)größe'],
    ['Größe', 'Größe'],
  ])('%j is %j', (text, pattern) => {
    expect(patternOf(text)).toBe(pattern);
    expect(patternOf(pattern)).toBe(pattern);
  });
  it('finds names', () => {
    expect(finder('')).toBeNull();
    expect(finder('malloc')!('runtime.MallocGC')).toBe(true);
    expect(finder('Malloc')!('runtime.mallocgc')).toBe(false);
    expect(finder('json|sort')!('encoding/json.Marshal')).toBe(true);
    expect(finder('(*T')!('a.(*T).F')).toBe(true);
    expect(finder('\\Q.T')!('a.T')).toBe(false); // only the server understands it
  });
});
