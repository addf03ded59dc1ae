import { beforeAll, expect, test, vi } from 'vitest';
import type * as TrendModule from './TrendPage';

// The state reads the address when it is loaded.
let m: typeof TrendModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./TrendPage');
});

test.each([
  ['main 3f2a9c1d2+dirty', '3f2a9c1+'],
  ['3f2a9c1d2', '3f2a9c1'],
  ['v1.2.0 81c0ee52f', '81c0ee5'],
  ['-', '-'],
])('below a point, %s is %s', (revision, text) => expect(m.commitText(revision)).toBe(text));
