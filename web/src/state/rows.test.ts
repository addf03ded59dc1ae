import { expect, test } from 'vitest';
import { chosenRows, wide, withRows } from './rows';

test('rows of a heat map are values of its label', () => {
  expect(chosenRows('cpu{service="shop"}', 'instance')).toEqual([]);
  expect(chosenRows('cpu{instance="b"}', 'instance')).toEqual(['b']);
  expect(chosenRows('cpu{instance=~"a|b\\\\.1"}', 'instance')).toEqual(['a', 'b.1']);
  expect(chosenRows('cpu{instance!="b"}', 'instance')).toBeNull();
  expect(chosenRows('cpu{instance=~"b.*"}', 'instance')).toBeNull();
});

test('a heat map has all rows, whichever are selected', () => {
  expect(wide('cpu{service="shop", instance=~"a|b"}', 'instance')).toBe('cpu{service="shop"}');
  expect(wide('{instance="a"}', 'instance')).toBe('');
  expect(wide('cpu{instance!="b"}', 'instance')).toBe('cpu{instance!="b"}'); // these are left out on purpose
});

test('rows are selected in place of others', () => {
  expect(withRows('cpu{instance="b", version="1"}', 'instance', ['a', 'c.d'])).toBe('cpu{instance=~"a|c\\\\.d", version="1"}');
  expect(withRows('cpu{instance="b"}', 'instance', null)).toBe('cpu');
  expect(withRows('cpu', 'instance', [''])).toBe('cpu{instance=""}');
  expect(withRows('cpu{instance!="b"}', 'instance', ['a'])).toBe('cpu{instance!="b"}');
});
