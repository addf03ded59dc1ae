import { beforeAll, expect, test, vi } from 'vitest';
import type { OverviewService } from '../../api/continuous';
import type * as Links from './links';

vi.mock('../continuous/Against', () => ({})); // what is drawn is not tested here

// The state reads the address when it is loaded.
let m: typeof Links;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./links');
});

const now = 1_800_000_000_000;
const kinds = ['cpu', 'requests'].map((kind) => ({ kind, last: now, duration: 10 }));
const service = { name: 'shop', kinds, last: now } as unknown as OverviewService;

test('a kind opens its flame graph', () => {
  expect(m.kindState(service, 'cpu', now)).toMatchObject({ view: 'flame', own: {} });
});

test('requests have no stacks: they open the endpoints', () => {
  const state = m.kindState(service, 'requests', now);
  expect(state).toMatchObject({ view: 'endpoints', own: { measure: 'requests' } });
  expect(state.profile[0]).toContain('cpu');
  expect(state.profile[0]).not.toContain('requests');
});
