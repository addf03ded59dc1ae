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
  const s = {
    page: 'compare', run: ['a:base', 'b'], find: 'Parse/x y', order: '-change', unit: 'sec/op', only: 'changed', pick: 'p.Parse-2 sec/op',
    show: 'load', scale: 'linear',
  } as const;
  const link = m.runsHref(s);
  expect(link.split('?')[0]).toBe('/compare');
  expect(m.parseRuns(link)).toEqual(s);
});

test('other paths are no pages of runs', () => {
  expect(m.parseRuns('/flame')).toBeNull();
  expect(m.parseRuns('/runs')).toEqual({ page: 'runs', run: [], find: '', order: '', unit: '', only: '', pick: '', show: '', scale: '' });
});

test('profiles of runs are linked by their lasting names', () => {
  expect(m.profileHref('diff', 'b:Parse/cpu', 'a:Parse/cpu', 'sec/op')).toBe(
    '/diff?profile=b%3AParse%2Fcpu&base=a%3AParse%2Fcpu&normalize=true',
  );
  expect(m.profileHref('flame', 'b:Parse/mem', undefined, 'allocs/op')).toBe('/flame?profile=b%3AParse%2Fmem&sample_index=alloc_objects');
});

test('the cost of an operation goes along', () => {
  expect(m.profileHref('diff', 'b:Parse/cpu', 'a:Parse/cpu', 'sec/op', { row: 'p.Parse-2 sec/op', ratio: 9.1 }))
    .toBe('/diff?profile=b%3AParse%2Fcpu&base=a%3AParse%2Fcpu&normalize=true&base_total=9.1&row=p.Parse-2+sec%2Fop');
  const state = m.profileState('diff', 'b:Parse/cpu', 'a:Parse/cpu', 'sec/op', { row: 'x', ratio: Infinity });
  expect(state.options).toEqual({ normalize: 'true' });
  expect(m.withoutFinding({ options: { base_total: '2', focus: 'f' }, own: { row: 'x', zoom: '1' } })).toEqual({
    options: { focus: 'f' }, own: { zoom: '1' },
  });
});

test('profiles tell their runs', () => {
  expect(m.runsOf('a:Parse/cpu', 'b:Parse/cpu')).toEqual(['a', 'b']);
  expect(m.runsOf('a:base/Parse/cpu', 'a:Parse/cpu')).toEqual(['a:base', 'a:head']);
  expect(m.runsOf('a:base/Parse/cpu', 'b:Parse/cpu')).toEqual(['a:base', 'b']);
  expect(m.runsOf('0123abcd', 'b:Parse/cpu')).toBeNull();
  expect(m.runsOf('sel:q=cpu', 'b:Parse/cpu')).toBeNull();
});

test('rows are told apart by package, benchmark and unit', () => {
  expect(m.rowID({ package: 'example.com/p', benchmark: 'Parse-2', unit: 'B/op' })).toBe('example.com/p.Parse-2 B/op');
  expect(m.rowID({ benchmark: 'Parse-2', unit: 'B/op' })).toBe('Parse-2 B/op');
});

test('allocations explain bytes and allocs, CPU the rest', () => {
  expect([m.kindOf('B/op'), m.kindOf('allocs/op'), m.kindOf('sec/op'), m.kindOf('widgets')]).toEqual(['mem', 'mem', 'cpu', 'cpu']);
  expect([m.kindOf('cpu-sec/op'), m.kindOf('mutex-sec/op'), m.kindOf('p99-sec')]).toEqual(['cpu', 'mutex', 'cpu']);
  expect(m.explains('allocs', 'B/op') && m.explains('mem', 'B/op') && !m.explains('allocs', 'sec/op')).toBe(true);
});
