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

test('a time of a line opens with the line as its timeline', () => {
  const [HOUR, DAY] = [3_600_000, 86_400_000];
  const day = { from: now - DAY, to: now - HOUR / 2 }; // the last window isn't over
  expect(m.windowOf(3, day, HOUR)).toEqual({ from: day.from + 3 * HOUR, to: day.from + 4 * HOUR });
  expect(m.windowOf(23, day, HOUR)).toEqual({ from: day.to - HOUR, to: day.to });
  const state = m.momentState(service, 'cpu', m.windowOf(3, day, HOUR), day);
  expect(state).toMatchObject({ view: 'flame', own: { span: `${day.from}-${day.to}` } });
  expect(state.profile[0]).toContain(`from=${day.from + 3 * HOUR}&to=${day.from + 4 * HOUR}`);
});
