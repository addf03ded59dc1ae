import { beforeAll, expect, test, vi } from 'vitest';
import type * as Selected from './selected';
import type * as StateModule from './state';

// The state reads the address when it is loaded.
let m: typeof Selected;
let s: typeof StateModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./selected');
  s = await import('./state');
});

const s_ = (q: string) => ({ q, from: 0, to: 0, sampleType: '', top: '', id: '', per: 'second' as const });
const hour = { from: 1790000000000, to: 1790003600000 };

test('a service is shown by its rate, a heap by its average', () => {
  expect(m.fresh({ q: 'cpu{service="a"}', ...hour }).profile[0]).toMatch(/&per=second$/);
  expect(m.fresh({ q: 'heap{service="a"}', ...hour }).profile[0]).toMatch(/&per=profile$/);
});

test('the link of a selection is its state', () => {
  const state = m.versionsState('a b', 'cpu', '1', '2', hour);
  expect(s.parse(s.href(state))).toEqual(state);
  expect(state.view).toBe('diff');
  expect(new URLSearchParams(state.base[0]!.slice(4)).get('q')).toBe('cpu{service="a b", version="1"}');
});

test('versions compare as shares, whichever hours each ran at', () => {
  expect(m.versionsState('a', 'cpu', '1', '2', hour).options.normalize).toBe('true');
});

test('the comparison of the start page is one of another kind, too, at the same hours', () => {
  const side = (version: string, from: number) => `sel:${new URLSearchParams({
    q: `cpu{service="a", version="${version}"}`, from: String(from), to: String(from + 3_600_000), per: 'second',
  })}`;
  const chosen = { profile: side('2', hour.from), base: side('1', hour.from - 86_400_000) };
  const cpu = m.chosenState(chosen);
  expect([cpu.profile, cpu.base, cpu.options.normalize]).toEqual([[chosen.profile], [chosen.base], 'true']);
  const heap = m.chosenState(chosen, '', { kind: 'heap', per: 'profile' });
  const of = (id: string) => Object.fromEntries(new URLSearchParams(id.slice(4)));
  expect(of(heap.profile[0]!)).toEqual({ ...of(chosen.profile), q: 'heap{service="a", version="2"}', per: 'profile' });
  expect(of(heap.base[0]!)).toEqual({ ...of(chosen.base), q: 'heap{service="a", version="1"}', per: 'profile' });
});

test('a comparison per request needs no shares, and another kind is per request if it has a rate', () => {
  const side = (version: string) =>
    `sel:${new URLSearchParams({ q: `cpu{service="a", version="${version}"}`, from: '1', per: 'request' })}`;
  const chosen = { profile: side('2'), base: side('1') };
  expect(m.chosenState(chosen).options.normalize).toBe(undefined);
  expect(m.chosenState(chosen, '', { kind: 'mutex', per: 'second' }).base[0]).toMatch(/q=mutex.*per=request/);
  const heap = m.chosenState(chosen, '', { kind: 'heap', per: 'profile' });
  expect([heap.options.normalize, heap.base[0]!.includes('per=profile')]).toEqual(['true', true]);
});

test('what is compared with follows the selection, and what it can not follow goes', () => {
  const state = { ...m.versionsState('a', 'cpu', '1', '2', hour), own: { vs: 'label:version=1', zoom: '17' } };
  const next = m.withSelection(state, { from: hour.from + 60_000 });
  expect(new URLSearchParams(next.base[0]!.slice(4)).get('from')).toBe(String(hour.from + 60_000));
  expect(next.own).toEqual({ vs: 'label:version=1' });
});

test('another kind has its own sample types, and a rate only if it has a duration', () => {
  const cpu = { ...m.fresh({ q: 'cpu{service="a"}', ...hour, sampleType: 'samples' }), options: { sample_index: 'samples', focus: 'x' } };
  const heap = m.withSelection(cpu, { q: 'heap{service="a"}' });
  expect(heap.profile[0]).toMatch(/&per=profile$/);
  expect(heap.profile[0]).not.toContain('sample_type');
  expect(heap.options).toEqual({ focus: 'x' });
  expect(m.withSelection(heap, { q: 'cpu{service="a"}' }).profile[0]).toMatch(/&per=second$/);
  expect(m.withSelection(cpu, { q: '{service="a"}' }).profile[0]).toMatch(/&per=profile$/);
  const sum = m.fresh({ q: 'cpu', ...hour, per: 'sum' });
  expect(m.withSelection(sum, { q: 'heap' }).profile[0]).toMatch(/&per=sum$/);
  expect(m.withSelection(sum, { q: 'mutex' }).profile[0]).not.toContain('per=');
});

test('what is compared with becomes of the same kind', () => {
  const state = m.comparedState(m.fresh({ q: 'cpu{service="a"}', ...hour }), '', { ...s_('cpu{service="b"}'), from: 1, to: 2 });
  const heap = m.withSelection(state, { q: 'heap{service="a"}' });
  expect(new URLSearchParams(heap.base[0]!.slice(4)).get('q')).toBe('heap{service="b"}');
  expect(new URLSearchParams(heap.base[0]!.slice(4)).get('per')).toBe('profile');
});

test('a single profile is left when something else is selected', () => {
  const one = m.fresh({ q: 'cpu', ...hour, id: 'ab' });
  expect(m.withSelection(one, { top: '0.5' }).profile[0]).toContain('id=ab');
  expect(m.withSelection(one, { from: 1 }).profile[0]).not.toContain('id=');
});

test('sums do not compare: both sides become rates', () => {
  const sums = { ...m.fresh({ q: 'cpu', ...hour, per: 'sum' }) };
  const both = m.comparedState(sums, 'previous');
  for (const id of [...both.profile, ...both.base]) expect(id).toMatch(/per=second$/);
});
