import { expect, test } from 'vitest';
import { bareName, methodName, shortName } from './names';

test.each([
  ['main.main', 'main.main', 'main', 'main'],
  ['net/http.(*conn).serve', 'http.(*conn).serve', '(*conn).serve', 'serve'],
  ['example.org/x/y.F[go.shape.struct { a/b.C int }]', 'y.F[go.shape.struct { a/b.C int }]', 'F', 'F'],
  ['slices.SortFunc[...]', 'slices.SortFunc[...]', 'SortFunc', 'SortFunc'],
  ['a/b.(*T[go.shape.int]).Do', 'b.(*T[go.shape.int]).Do', '(*T).Do', 'Do'],
  ['a/b.f.func1.2', 'b.f.func1.2', 'f.func1.2', 'f.func1.2'],
  ['std::vector<int>::push_back', 'std::vector<int>::push_back', 'std::vector<int>::push_back', 'std::vector<int>::push_back'],
  ['', '', '', ''],
  ['a/b.(*T).f via net/http.(*Client).Do', 'b.(*T).f via http.(*Client).Do', 'via http.(*Client).Do', 'via (*Client).Do'],
  ['library: a.b/c', 'library: a.b/c', 'library: a.b/c', 'library: a.b/c'],
  ['runtime: garbage collection', 'runtime: garbage collection', 'runtime: garbage collection', 'runtime: garbage collection'],
])('%s', (name, short, bare, method) => {
  expect(shortName(name)).toBe(short);
  expect(bareName(short)).toBe(bare);
  expect(methodName(bare)).toBe(method);
});
