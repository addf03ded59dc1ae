// Links, and the values they stand for. A kind of pages is described once, by its
// paths and the parts of its values; reading and writing links follow from that.

import { computed } from '@preact/signals';
import { cut, visit, where, type How } from './address';

/** How a part of a value stands in the query of a link. */
export interface Part<T> {
  read(q: URLSearchParams): T;
  write(q: URLSearchParams, value: T): void;
}

/** A text, '' for none. */
export const text = (name: string): Part<string> => ({
  read: (q) => q.get(name) ?? '',
  write: (q, value) => {
    if (value !== '') q.set(name, value);
  },
});

/** Any number of texts. */
export const texts = (name: string): Part<readonly string[]> => ({
  read: (q) => q.getAll(name),
  write: (q, values) => values.forEach((value) => q.append(name, value)),
});

/** Texts by their names; '' does as much as none. */
export const named = (names: readonly string[]): Part<Readonly<Record<string, string>>> => ({
  read: (q) => Object.fromEntries(names.filter((name) => q.has(name)).map((name) => [name, q.get(name)!])),
  write: (q, values) => names.forEach((name) => text(name).write(q, values[name] ?? '')),
});

/** The links to pages, whose values say in the field key which of the pages they are of. */
export function linksOf<S, K extends keyof S>(
  key: K, pages: readonly (S[K] & string)[], parts: { readonly [P in Exclude<keyof S, K>]: Part<S[P]> },
) {
  const fields = Object.entries(parts) as [Exclude<keyof S, K>, Part<unknown>][];
  return {
    /** What a link stands for, null if it is to no page of these. */
    parse(link: string): S | null {
      const [path, query] = cut(link);
      const page = pages.find((p) => `/${p}` === path);
      if (page === undefined) return null;
      const q = new URLSearchParams(query);
      return Object.fromEntries([[key, page], ...fields.map(([name, part]) => [name, part.read(q)])]) as S;
    },
    /** The link to a value, the inverse of parse; parts that are left out are as in a link without them. */
    href(s: Pick<S, K> & Partial<S>): string {
      const q = new URLSearchParams();
      for (const [name, part] of fields) if (s[name] !== undefined) part.write(q, s[name]);
      const query = q.toString();
      return `/${String(s[key])}${query && `?${query}`}`;
    },
  };
}

/** Pages beside the views, that have no state but where. */
export function pagesOf<S extends { page: string }>(
  pages: readonly (S['page'])[], parts: { readonly [P in Exclude<keyof S, 'page'>]: Part<S[P]> },
) {
  const links = linksOf<S, 'page'>('page', pages, parts);
  const shown = computed(() => links.parse(where.value));
  return {
    ...links,
    /** The page that is shown, null if something else is. */
    shown,
    go: (to: Pick<S, 'page'> & Partial<S>): void => visit(links.href(to), 'push'),
    /** Changes what the page shows. */
    set(change: Partial<S>, how: How = 'replace'): void {
      const now = shown.peek();
      if (now) visit(links.href({ ...now, ...change }), how);
    },
  };
}
