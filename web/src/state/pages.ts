// The pages of continuous profiling beside its selections, which are shown as
// profiles are: their state lives in the URL too.

import { computed } from '@preact/signals';
import { visit, where } from './state';

export const PAGES = ['services', 'status'] as const;
export type Page = (typeof PAGES)[number];

export interface PageState {
  page: Page;
  /** Text that names have to contain. */
  find: string;
  /** The column a table is ordered by, with - in front for descending. */
  order: string;
}

export function parsePage(path: string, query: string): PageState | null {
  const page = PAGES.find((p) => `/${p}` === path);
  if (!page) return null;
  const q = new URLSearchParams(query);
  return { page, find: q.get('find') ?? '', order: q.get('order') ?? '' };
}

/** The link to a page, the inverse of parsePage. */
export function pageHref({ page, find, order }: Partial<PageState> & { page: Page }): string {
  const q = new URLSearchParams();
  if (find) q.set('find', find);
  if (order) q.set('order', order);
  const text = q.toString();
  return `/${page}${text && `?${text}`}`;
}

/** The page that is shown, null if something else is. */
export const pageState = computed(() => {
  const [path, query] = where.value.split('?', 2) as [string, string?];
  return parsePage(path, query ?? '');
});

export function goPage(page: Page): void {
  visit(pageHref({ page }), 'push');
}

/** Changes what the page shows. */
export function setPage(change: Partial<PageState>, how: 'push' | 'replace' = 'replace'): void {
  const now = pageState.peek();
  if (now) visit(pageHref({ ...now, ...change }), how);
}
