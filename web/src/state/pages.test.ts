import { beforeAll, expect, test, vi } from 'vitest';
import type * as Pages from './pages';

let m: typeof Pages;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./pages');
});

test('a link to a page is its state', () => {
  const state = { page: 'services', find: 'a b', order: '-cpu' } as const;
  expect(m.parsePage(m.pageHref(state))).toEqual(state);
  expect(m.parsePage('/flame')).toBeNull();
});
