import { beforeAll, expect, test, vi } from 'vitest';
import type * as Pages from './pages';

let m: typeof Pages;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./pages');
});

test('a link to a page is its state', () => {
  const none = { service: '', kind: '', state: '', id: '' };
  const state = { page: 'services', find: 'a b', order: '-cpu', ...none } as const;
  expect(m.parsePage(m.pageHref(state))).toEqual(state);
  const filtered = { page: 'regressions', find: '', order: 'latest', service: 'a&b', kind: 'cpu', state: 'all', id: '3f2a' } as const;
  expect(m.parsePage(m.pageHref(filtered))).toEqual(filtered);
  expect(m.pageHref({ page: 'regressions' })).toBe('/regressions');
  expect(m.parsePage('/flame')).toBeNull();
});
