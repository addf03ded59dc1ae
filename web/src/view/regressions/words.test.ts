import { beforeAll, expect, test, vi } from 'vitest';
import type { Regression } from '../../api/regressions';
import type * as Words from './words';

let w: typeof Words;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubEnv('TZ', 'UTC');
  w = await import('./words');
});

const some: Regression = {
  id: '1', state: 'open', by: '', reason: '', acknowledged: 0, service: 'shop', kind: 'cpu', version: 'v1.2.0',
  since: Date.UTC(2026, 10, 26, 14, 5), found: 0, resolved: 0, function: 'example.com/shop/cart.total', callees: true, type: 'cpu',
  unit: 'nanoseconds', before: 0.1e9, after: 0.118e9, per_request: false, growth: 0.18, low: 0.15, high: 0.21, share: 0.018, affected: 4,
  instances: 4, causes: [], new: ['regexp.MustCompile'], base: '', head: '',
};

test('what a comparison shows for before is told where the expected cost differs', () => {
  const r = { ...some, per_request: true, before: 2.2e6, after: 5.06e6, measured: 2.12e6 };
  expect(w.measuredText(r)).toBe('2.12ms was measured before. Without the change, it would be 2.20ms.');
  expect(w.measuredText({ ...r, measured: 2.2e6 })).toBe('');
  expect(w.measuredText({ ...r, per_request: false })).toBe('');
  expect(w.measuredText({ ...r, measured: 0 })).toBe('');
});

test.each<[string, Partial<Regression>, string]>([
  [
    'new below it', {},
    'Since v1.2.0 (26 Nov 14:05, 4 of 4 instances) cart.total costs 18% more CPU, because regexp.MustCompile is new below it.',
  ],
  ['several', { new: ['a.A', 'b.B'] }, 'cart.total costs 18% more CPU, because a.A and b.B are new below it.'],
  ['many', { new: ['a.A', 'b.B', 'c.C', 'd.D'] }, 'because a.A, b.B and 2 more are new below it.'],
  ['its own cost', { callees: false, new: [] }, 'cart.total itself costs 18% more CPU.'],
  ['with calls', { new: [] }, 'cart.total, with what it calls, costs 18% more CPU.'],
  ['per request', { per_request: true, new: [] }, 'costs 18% more CPU per request.'],
  ['a drift', { version: '', new: [] }, 'Since 26 Nov 14:05 (4 of 4 instances), compared with a week before, cart.total, with'],
  ['one instance', { affected: 1, instances: 1 }, '(26 Nov 14:05, its instance)'],
  ['much more', { growth: 10.6, new: [] }, 'costs 12 times as much CPU.'],
  ['a little', { growth: 0.0234, new: [] }, 'costs 2.3% more CPU.'],
  ['new', { growth: 0, before: 0, new: [] }, 'cart.total costs 0.12 cores per instance; before, it cost nothing.'],
  ['memory', { kind: 'heap', type: 'inuse_space', unit: 'bytes', callees: false, new: [] }, 'cart.total itself holds 18% more memory.'],
  ['locks', { kind: 'mutex', type: 'delay', callees: false, new: [] }, 'cart.total itself keeps others waiting for locks 18% longer.'],
  ['goroutines', { kind: 'goroutine', type: 'goroutine', unit: 'count', growth: 20, new: [] }, 'is in 21 times as many goroutines.'],
])('the sentence: %s', (_, change, want) => {
  expect(w.sentenceText({ ...some, ...change })).toContain(want);
});

test('functions of the sentence have their whole names', () => {
  expect(w.sentence(some).filter((part) => part.fn).map((part) => [part.text, part.fn])).toEqual([
    ['cart.total', 'example.com/shop/cart.total'], ['regexp.MustCompile', 'regexp.MustCompile'],
  ]);
});

test('figures', () => {
  expect(w.growthText(some.growth)).toBe('+18%');
  expect(w.intervalText(some)).toBe('+15% to +21%');
  expect(w.intervalText({ ...some, growth: 0 })).toBe('');
  expect(w.changeText(some)).toBe('0.1 → 0.12 cores');
  expect(w.changeText({ ...some, per_request: true, before: 571_610, after: 1.32e6 })).toBe('0.57 → 1.32ms');
  const heap = { ...some, kind: 'heap', type: 'inuse_space', unit: 'bytes' };
  expect(w.changeText({ ...heap, before: 900 * 1024, after: 2 * 2 ** 20 })).toBe('900kB → 2MB');
  expect(w.extraText(some)).toBe('+0.072 cores');
  expect(w.extraText({ ...some, per_request: true })).toBe('');
  expect(w.serviceWhole(some)).toBe('of shop’s CPU');
  expect(w.allWhole(some, { share: 0.01, of: 'cpu' })).toBe('+0.072 cores of their CPU');
  expect(w.allWhole({ ...some, kind: 'mutex', per_request: true }, { share: 0.01, of: 'cpu' })).toBe('beside their CPU');
  expect(w.costText(1.5e6, { ...some, per_request: true })).toBe('1.50ms/request');
  expect(w.costText(3.4, { ...some, kind: 'goroutine', type: 'goroutine', unit: 'count' })).toBe('3.4');
  expect(w.causeText({ function: 'f', callees: false, caller: false, growth: 0.5, share: 0.123 })).toBe('+50%, 12% of the service');
});

test('who knows about it', () => {
  const at = Date.UTC(2026, 10, 27, 9, 30);
  expect(w.acknowledgedText({ ...some, by: 'ann', acknowledged: at, reason: 'known' })).toBe('Acknowledged by ann, 27 Nov 09:30: known');
  expect(w.acknowledgedText({ ...some, acknowledged: at })).toBe('Acknowledged, 27 Nov 09:30');
  expect(w.acknowledgedText({ ...some, by: 'ann' })).toBe('Acknowledged by ann');
});
