import { beforeAll, expect, test, vi } from 'vitest';
import type { Regression } from '../../api/regressions';
import type * as Order from './order';

let m: typeof Order;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./order');
});

const of = (id: string, change: Partial<Regression>): Regression => ({
  id, state: 'open', by: '', reason: '', acknowledged: 0, service: 's', kind: 'cpu', version: 'v2', since: 0, found: 9000, resolved: 0,
  function: id, callees: false, type: 'cpu', unit: 'nanoseconds', before: 0, after: 0, per_request: false, growth: 0.1, low: 0, high: 0,
  share: 0.1, affected: 1, instances: 1, causes: [], new: [], base: 'sel:q=cpu&from=1000&to=2000', head: 'sel:q=cpu&from=2000&to=3000',
  ...change,
});
const ids = (all: readonly Regression[]) => all.map((r) => r.id).join(' ');

test('the costliest come first: shares of large services, and kinds by how much all services spend on them', () => {
  const all = [
    of('small', { service: 'tiny', before: 1, after: 2, share: 0.1 }), // of 10
    of('large', { service: 'huge', before: 20, after: 30, share: 0.05, instances: 2 }), // of 400
    of('heap', { kind: 'heap', before: 1e9, after: 1.03e9, share: 0.03 }), // of 1e9
  ];
  // 20 of 410, 0.03 of 1, 1 of 410
  expect(ids(m.ordered(all, false))).toBe('large heap small');
  expect(m.weights(all).get('large')!.share).toBeCloseTo(20 / 410);
  // Half of what little it waits is less than a twentieth of the CPU time.
  const wait = of('wait', { kind: 'block', before: 1e-3, after: 2e-3, share: 0.5 });
  expect(ids(m.ordered([...all, wait], false))).toBe('large heap small wait');
  expect(['large', 'heap', 'wait'].map((id) => m.weights([...all, wait]).get(id)!.of)).toEqual(['cpu', 'heap', 'cpu']);
  expect(ids(m.ordered([of('heap', { kind: 'heap', share: 0.1, after: 1 }), wait], false))).toBe('wait heap');
  expect(ids(m.ordered([of('a', { since: 1 }), of('b', { since: 2 })], true))).toBe('b a');
  expect(ids(m.ordered([of('b', {}), of('a', {})], false))).toBe('a b');
});

test('callers aren’t causes, nor is anything else where the function’s own cost grew', () => {
  const cause = (name: string, caller = false) => ({ function: name, callees: true, caller, growth: 0.2, share: 0.1 });
  const r = of('f', { callees: true, causes: [cause('f'), cause('main', true), cause('g'), cause('fresh')], new: ['fresh'] });
  expect(m.causesOf(r).map((c) => c.function)).toEqual(['g']);
  expect(m.causesOf({ ...r, callees: false })).toEqual([]);
});

test('what is listed', () => {
  const all = [
    of('a', {}), of('b', { state: 'resolved' }), of('c', { kind: 'heap', state: 'acknowledged', reason: 'known' }),
    of('d', { service: 't' }),
  ];
  const shown = (s: Partial<Order.Shown>, finds: ((text: string) => boolean) | null = null) =>
    ids(m.listed(all, { service: '', kind: '', state: '', id: '', ...s }, finds));
  expect(shown({})).toBe('a d');
  expect(shown({ service: 's' })).toBe('a');
  expect(shown({ state: 'all' })).toBe('a b c d');
  expect(shown({ state: 'all', kind: 'heap' })).toBe('c');
  expect(shown({ service: 't', id: 'b' })).toBe('b d'); // a link to one survives that it is resolved
  expect(shown({ state: 'all' }, (text) => text.includes('known'))).toBe('c');
  expect(m.counts(all, { service: 's', kind: '', state: '', id: '' })).toEqual({ open: 1, acknowledged: 1, resolved: 1, all: 3 });
});

test('the comparison is at the load after the change', () => {
  const r = of('a', { share: 0.1, callees: true });
  const all = [r, of('b', { share: 0.05 }), of('c', { share: 0.5, version: 'v3' }), of('d', { share: 0.5, kind: 'heap' })];
  const s = m.comparisonOf(r, all);
  expect([s.view, s.profile[0], s.base[0], s.fn, s.own.span]).toEqual(['diff', r.head, r.base, 'a', '1000-3000']);
  expect(s.options).toEqual({ normalize: 'true', base_total: '0.85', mine: 'false', sort: 'cum' });
  const cause = m.comparisonOf(r, all, { function: 'other', callees: false });
  expect([cause.fn, cause.options.sort]).toEqual(['other', undefined]);
  const caller = of('e', { version: 'v4', causes: [{ function: 'f', callees: true, caller: true, growth: 0.2, share: 0.25 }] });
  expect(m.comparisonOf(caller, [caller]).options.base_total).toBe('0.75');
  expect(m.comparisonOf(of('g', { share: 1 }), []).options.base_total).toBe('0.05');
  // A cost per request has the load in it.
  expect(m.comparisonOf({ ...r, per_request: true }, all).options).toEqual({ mine: 'false', sort: 'cum' });
});
