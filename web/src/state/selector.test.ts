import { expect, test } from 'vitest';
import { formatSelector, matcherOf, matcherText, parseSelector, valueOf, valuesOf, withMatcher } from './selector';

test('selectors are read as the server reads them', () => {
  expect(parseSelector('cpu{service="api", version=~"v1[.].*", zone!=\'b\', instance!~`x|y`}')).toEqual([
    { name: 'kind', op: '=', value: 'cpu' },
    { name: 'service', op: '=', value: 'api' },
    { name: 'version', op: '=~', value: 'v1[.].*' },
    { name: 'zone', op: '!=', value: 'b' },
    { name: 'instance', op: '!~', value: 'x|y' },
  ]);
  expect(parseSelector('heap')).toEqual([{ name: 'kind', op: '=', value: 'heap' }]);
  expect(parseSelector('')).toEqual([]);
  expect(parseSelector(' {a="1",} ')).toEqual([{ name: 'a', op: '=', value: '1' }]);
  expect(parseSelector(String.raw`{a="tab\t\"q\" é \\"}`)).toEqual([{ name: 'a', op: '=', value: 'tab\t"q" é \\' }]);
});

test.each(['cpu{', 'cpu service', '{a}', '{a="1" b="2"}', '{a="1"} x', '{a="\\q"}', '{="1"}', '{a=1}'])('%s is not a selector', (text) => {
  expect(parseSelector(text)).toBeNull();
});

test.each([
  'cpu', 'cpu{service="api"}', '{service="a\\"b", kind=~"cpu|heap"}', '{zone!=""}', '{"a b/c"="x", "größe \\""=~"y"}',
])('%s is written as it was read', (text) => {
  expect(formatSelector(parseSelector(text)!)).toBe(text);
});

test('a kind that is no word stays a condition', () => {
  expect(formatSelector([{ name: 'kind', op: '=', value: 'a b' }])).toBe('{kind="a b"}');
  expect(formatSelector([])).toBe('{}');
});

test('values make a condition and are read from it', () => {
  for (const values of [['a'], ['a', 'b'], ['v1.2', '(x|y)'], ['', 'a']]) {
    for (const not of [false, true]) expect(valuesOf(matcherOf('n', values, not))).toEqual(values);
  }
  expect(matcherOf('n', ['v1.2', 'v2']).value).toBe('v1\\.2|v2');
  expect(valuesOf({ name: 'n', op: '=~', value: 'v1.*' })).toBeNull();
  expect(valuesOf({ name: 'n', op: '=~', value: '\\d' })).toBeNull();
});

test('a condition takes the place of those on its label', () => {
  const all = parseSelector('cpu{service="api", version=~"v1|v2", zone="a"}')!;
  expect(formatSelector(withMatcher(all, 'version', matcherOf('version', ['v3'])))).toBe('cpu{service="api", version="v3", zone="a"}');
  expect(formatSelector(withMatcher(all, 'version', null))).toBe('cpu{service="api", zone="a"}');
  expect(formatSelector(withMatcher(all, 'kind', matcherOf('kind', ['heap'])))).toBe('heap{service="api", version=~"v1|v2", zone="a"}');
  expect(formatSelector(withMatcher(all, 'pod', matcherOf('pod', ['x'])))).toBe('cpu{service="api", version=~"v1|v2", zone="a", pod="x"}');
  expect(valueOf(all, 'zone')).toBe('a');
  expect(valueOf(all, 'version')).toBeUndefined();
});

test('chips say conditions in words', () => {
  expect(parseSelector('{a="x", b!="x", c=~"x|y", d!~"x|y", e=~"v.*", f=""}')!.map(matcherText)).toEqual([
    'x', 'not x', 'x, y', 'not x, y', 'v.*', 'none',
  ]);
});
