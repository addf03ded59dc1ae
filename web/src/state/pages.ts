// The pages of continuous profiling beside its selections, which are shown as
// profiles are: their state lives in the URL too.

import { pagesOf, text } from './links';

export const PAGES = ['services', 'regressions', 'status'] as const;
export type Page = (typeof PAGES)[number];

export interface PageState {
  page: Page;
  /** Text that names have to contain. */
  find: string;
  /** The column a table is ordered by, with - in front for descending. */
  order: string;
  /** Of regressions: only these; '' for all services and kinds, and for the state open. */
  service: string;
  kind: string;
  state: string;
  /** Of regressions: the one that a link is about. It is shown whatever is left out. */
  id: string;
}

/** The links to these pages, which of them is shown, and the ways there: see pagesOf. */
export const { parse: parsePage, href: pageHref, shown: pageState, go: goPage, set: setPage } = pagesOf<PageState>(PAGES, {
  find: text('find'), order: text('order'), service: text('service'), kind: text('kind'), state: text('state'), id: text('id'),
});
