// The pages of continuous profiling beside its selections, which are shown as
// profiles are: their state lives in the URL too.

import { pagesOf, text } from './links';

export const PAGES = ['services', 'status'] as const;
export type Page = (typeof PAGES)[number];

export interface PageState {
  page: Page;
  /** Text that names have to contain. */
  find: string;
  /** The column a table is ordered by, with - in front for descending. */
  order: string;
}

/** The links to these pages, which of them is shown, and the ways there: see pagesOf. */
export const { parse: parsePage, href: pageHref, shown: pageState, go: goPage, set: setPage } =
  pagesOf<PageState>(PAGES, { find: text('find'), order: text('order') });
