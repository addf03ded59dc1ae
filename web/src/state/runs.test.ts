import { beforeAll, expect, test, vi } from 'vitest';
import type * as RunsModule from './runs';

// The state reads the address when it is loaded.
let m: typeof RunsModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./runs');
});

test('a link to a page of runs is its state', () => {
  const s = { page: 'compare', run: ['a:base', 'b'], find: 'Parse/x y', order: '-change', unit: 'sec/op', only: 'changed', pick: 'p.Parse-2 sec/op' } as const;
  const [path, query] = m.runsHref(s).split('?') as [string, string];
  expect(path).toBe('/compare');
  expect(m.parseRuns(path, query)).toEqual(s);
});

test('other paths are no pages of runs', () => {
  expect(m.parseRuns('/flame', '')).toBeNull();
  expect(m.parseRuns('/runs', '')).toEqual({ page: 'runs', run: [], find: '', order: '', unit: '', only: '', pick: '' });
});

test('profiles of runs are linked by their lasting names', () => {
  expect(m.profileHref('diff', 'b:Parse/cpu', 'a:Parse/cpu', 'sec/op')).toBe('/diff?profile=b%3AParse%2Fcpu&base=a%3AParse%2Fcpu&normalize=true');
  expect(m.profileHref('flame', 'b:Parse/mem', undefined, 'allocs/op')).toBe('/flame?profile=b%3AParse%2Fmem&sample_index=alloc_objects');
});

test('rows are told apart by package, benchmark and unit', () => {
  expect(m.rowID({ package: 'example.com/p', benchmark: 'Parse-2', unit: 'B/op' })).toBe('example.com/p.Parse-2 B/op');
  expect(m.rowID({ benchmark: 'Parse-2', unit: 'B/op' })).toBe('Parse-2 B/op');
});

test('allocations explain bytes and allocs, CPU the rest', () => {
  expect([m.kindOf('B/op'), m.kindOf('allocs/op'), m.kindOf('sec/op'), m.kindOf('widgets')]).toEqual(['mem', 'mem', 'cpu', 'cpu']);
});
