// What the page shows, as a value that lives in the URL: a link reproduces the
// view. Nothing else decides what is shown, except for taste (theme, widths),
// which belongs to the browser and not to a link.

import { batch, computed, signal } from '@preact/signals';

export const VIEWS = [
  'flame', 'top', 'sandwich', 'graph', 'source', 'disasm', 'peek', 'traces', 'tags', 'raw', 'diff',
  'history', 'records', // of selections in the store alone
] as const;
export type ViewID = (typeof VIEWS)[number];

export interface State {
  view: ViewID;
  /** Ids of the profiles shown; several are added up. None: the first open one. */
  profile: readonly string[];
  /** Ids of the profiles they are compared with. */
  base: readonly string[];
  /** Report options by the names of hone's flags, those that are not at their default. */
  options: Readonly<Record<string, string>>;
  /** Selected function, across views; '' for none. */
  fn: string;
  /** Text searched for, a pattern. */
  search: string;
  /** Settings that only one view has, such as zoom=17 of the flame graph. */
  own: Readonly<Record<string, string>>;
}

/** Report options a link may hold; the server's list is in doc/api.md. */
export const OPTIONS = [
  'sample_index', 'focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from',
  'tagfocus', 'tagignore', 'tagshow', 'taghide', 'tagroot', 'tagleaf',
  'granularity', 'noinlines', 'nodecount', 'nodefraction', 'edgefraction', 'trim', 'sort', 'unit', 'mean',
  'divide_by', 'call_tree', 'relative_percentages', 'drop_negative', 'intel_syntax', 'showcolumns', 'normalize',
] as const;
export type Option = (typeof OPTIONS)[number];

/** Settings of single views. */
export const OWN = [
  'zoom', 'inverted', 'collapse', 'color', 'flip', 'pivot', // flame
  'order', 'find', // tables
  'asm', // source
  'match', // peek
  'relative', // diff
  'span', 'by', 'off', 'line', 'live', 'vs', // selections: see selected.ts
  'fns', // history
] as const;
export type Own = (typeof OWN)[number];

export function parse(path: string, query: string): State {
  const view = VIEWS.find((v) => `/${v}` === path) ?? 'flame';
  const q = new URLSearchParams(query);
  const options: Record<string, string> = {};
  const own: Record<string, string> = {};
  for (const name of OPTIONS) {
    const value = q.get(name);
    if (value !== null) options[name] = value;
  }
  for (const name of OWN) {
    const value = q.get(name);
    if (value !== null) own[name] = value;
  }
  return {
    view,
    profile: q.getAll('profile'),
    base: q.getAll('base'),
    options,
    fn: q.get('fn') ?? '',
    search: q.get('q') ?? '',
    own,
  };
}

/** The link to a state, the inverse of parse. */
export function href(s: State): string {
  const q = new URLSearchParams();
  for (const id of s.profile) q.append('profile', id);
  for (const id of s.base) q.append('base', id);
  for (const name of OPTIONS) {
    const value = s.options[name];
    if (value !== undefined && value !== '') q.set(name, value);
  }
  if (s.fn) q.set('fn', s.fn);
  if (s.search) q.set('q', s.search);
  for (const name of OWN) {
    const value = s.own[name];
    if (value !== undefined && value !== '') q.set(name, value);
  }
  const text = q.toString();
  return `/${s.view}${text && `?${text}`}`;
}

/** Where in the address a state lives. */
export interface Address {
  read(): State;
  /** The link to a state, as history takes it. */
  link(s: State): string;
}

let address: Address = { read: () => parse(location.pathname, location.search), link: href };

export const state = signal<State>(address.read());

/** Path and query of the page that is shown. State is what they say where they are those of a view. */
export const where = signal(location.pathname + location.search);

/** Shows another page than that of a view: it makes its state of where. */
export function visit(link: string, how: 'push' | 'replace'): void {
  if (link === where.peek()) return;
  note(link, how);
  where.value = link;
}

const isView = (link: string) => VIEWS.some((v) => link === `/${v}` || link.startsWith(`/${v}?`));

function note(link: string, how: 'push' | 'replace'): void {
  try {
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', link);
  } catch {
    // Safari allows 100 changes in half a minute, and a page in a sandbox none: the address stays behind.
  }
}

/** Lets the state live elsewhere in the address, where path and query are taken. */
export function liveAt(other: Address): void {
  address = other;
  state.value = address.read();
}

/** Settings that mean something only for what a view shows now: another one begins without them. */
const PASSING: readonly Own[] = ['order', 'find', 'match'];

/** What a state is in another view. */
export function inView(s: State, view: ViewID): State {
  if (view === s.view) return s;
  const own = Object.fromEntries(Object.entries(s.own).filter(([name]) => !PASSING.includes(name as Own)));
  return { ...s, view, own };
}

/**
 * Changes what is shown. A step the user would want to undo with the browser's
 * back button is pushed; with replace (typing, panning) it takes the last one's place.
 */
export function go(change: Partial<State>, how: 'push' | 'replace' = 'push'): void {
  const next = { ...inView(state.value, change.view ?? state.value.view), ...change };
  const link = address.link(next);
  if (link === where.peek() || (link === address.link(state.value) && isView(where.peek()))) return;
  note(link, how);
  batch(() => {
    state.value = next;
    where.value = link;
  });
}

/** Sets one report option; '' returns it to its default. */
export function setOption(name: Option, value: string, how?: 'push' | 'replace'): void {
  const { [name]: _, ...options } = state.value.options;
  go({ options: value === '' ? options : { ...options, [name]: value } }, how);
}

/** Sets one setting of a view; '' returns it to its default. */
export function setOwn(name: Own, value: string, how?: 'push' | 'replace'): void {
  const { [name]: _, ...own } = state.value.own;
  go({ own: value === '' ? own : { ...own, [name]: value } }, how);
}

/** Selects a function across views; '' for none. Already selected, nothing changes. */
export function selectFunction(name: string, how: 'push' | 'replace' = 'replace'): void {
  go({ fn: name }, how);
}

/**
 * What the search matches in the view shown, as the view found it: its value
 * printed and its share, and how many places. null: nothing searched, or not known yet.
 */
export const matched = signal<{ text: string; percent: number; count: number } | { error: string } | null>(null);

/** Goes to the next (1) or the previous (-1) match, if the view shown can. */
export const nextMatch = signal<((direction: 1 | -1) => void) | null>(null);

addEventListener('popstate', () => {
  batch(() => {
    state.value = address.read();
    where.value = location.pathname + location.search;
  });
});

/** Query of the reports on what is shown; views add parameters of their own to a copy. */
export const reportQuery = computed<URLSearchParams>(() => queryOf(state.value));

export function queryOf(s: State): URLSearchParams {
  const q = new URLSearchParams();
  for (const id of s.profile) q.append('profile', id);
  for (const id of s.base) q.append('base', id);
  for (const name of OPTIONS) {
    const value = s.options[name];
    if (value !== undefined) q.set(name, value);
  }
  return q;
}
