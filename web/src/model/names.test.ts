import { expect, test } from 'vitest';
import { bareName, frameName, methodName, nameForms, shortName, orNoName } from './names';

test.each([
  ['main.main', 'main.main', 'main', 'main'],
  ['net/http.(*conn).serve', 'http.(*conn).serve', '(*conn).serve', 'serve'],
  ['example.org/x/y.F[go.shape.struct { a/b.C int }]', 'y.F[go.shape.struct { a/b.C int }]', 'F', 'F'],
  ['slices.SortFunc[...]', 'slices.SortFunc[...]', 'SortFunc', 'SortFunc'],
  ['a/b.(*T[go.shape.int]).Do', 'b.(*T[go.shape.int]).Do', '(*T).Do', 'Do'],
  ['a/b.f.func1.2', 'b.f.func1.2', 'f.func1.2', 'f.func1.2'],
  ['std::vector<int>::push_back', 'std::vector<int>::push_back', 'std::vector<int>::push_back', 'std::vector<int>::push_back'],
  ['', '', '', ''],
  ['<script>window.stolen = 1</script>', ...Array(3).fill('<script>window.stolen = 1</script>')],
  ['{{constructor}} ${window.stolen = 1}', ...Array(3).fill('{{constructor}} ${window.stolen = 1}')],
  ['a/b.(*T).f via net/http.(*Client).Do', 'b.(*T).f via http.(*Client).Do', 'via http.(*Client).Do', 'via (*Client).Do'],
  ['library: a.b/c', 'library: a.b/c', 'library: a.b/c', 'library: a.b/c'],
  ['runtime: garbage collection', 'runtime: garbage collection', 'runtime: garbage collection', 'runtime: garbage collection'],
])('%s', (name, short, bare, method) => {
  expect(shortName(name)).toBe(short);
  expect(bareName(short)).toBe(bare);
  expect(methodName(bare)).toBe(method);
});

test('labels that are frames stay whole', () => {
  expect(frameName('GET /v1/users.List', 0)).toBe('GET /v1/users.List');
  expect(nameForms('users/v1.Get', 0)).toEqual(['users/v1.Get']);
  expect(frameName('net/http.(*conn).serve', 3)).toBe('http.(*conn).serve');
  expect(nameForms('net/http.(*conn).serve', 3)).toEqual(['http.(*conn).serve', '(*conn).serve', 'serve']);
});

test('a function without a name says so', () => {
  expect(['', '   ', 'f'].map(orNoName)).toEqual(['(no name)', '(no name)', 'f']);
  expect(nameForms('   ', 3)).toEqual(['(no name)']);
  expect(frameName('', 0)).toBe('(no name)');
});
