import { beforeAll, expect, test, vi } from 'vitest';
import type * as Comparable from './comparable';

let m: typeof Comparable;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./comparable');
});

const scaled = { normalize: 'true', base_total: '0.9' };

test.each([
  ['files', 'cpu.pb.gz', {}, { lead: '', means: false }],
  ['shares of files', 'cpu.pb.gz', { normalize: 'true' }, { lead: '', means: false }],
  ['operations of runs', '2026:Count/cpu', scaled, { lead: 'Per operation', means: false }],
  ['operations, switched off', '2026:Count/cpu', { base_total: '0.9' }, { lead: '', means: false }],
  ['rates', 'sel:q=cpu&per=second', {}, { lead: '', means: true }],
  ['averages', 'sel:q=heap', {}, { lead: '', means: true }],
  ['sums', 'sel:q=cpu', {}, { lead: '', means: false }],
  ['requests', 'sel:q=cpu&per=request', {}, { lead: 'Per request', means: false }],
  ['the load of a regression', 'sel:q=cpu&per=second', scaled, { lead: 'At the same load', means: true }],
])('%s', (_, id, options, want) => {
  expect(m.comparableOf({ profile: [id], options })).toEqual(want);
});
