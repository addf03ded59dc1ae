// What the page shows, as a value that lives in the URL: a link reproduces the
// view. Nothing else decides what is shown, except for taste (theme, widths),
// which belongs to the browser and not to a link.

import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { cut, visit, where, type How } from './address';
import { linksOf, named, text, texts } from './links';
import { mineAsked } from './mine';
import { DAY, formatSpan, isSelection, parseSelection, type Span } from './selection';

export const VIEWS = [
  'flame', 'top', 'sandwich', 'graph', 'source', 'disasm', 'peek', 'traces', 'tags', 'raw', 'diff', 'advice',
  'history', 'endpoints', 'growth', 'records', // of selections in the store alone
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
  'tagfocus', 'tagignore', 'tagshow', 'taghide', 'tagroot', 'tagleaf', 'mine',
  'granularity', 'noinlines', 'nodecount', 'nodefraction', 'edgefraction', 'trim', 'sort', 'unit', 'mean',
  'divide_by', 'call_tree', 'relative_percentages', 'drop_negative', 'intel_syntax', 'showcolumns', 'normalize',
  'base_total', // with normalize: of runs, so that as many operations are compared
] as const;
export type Option = (typeof OPTIONS)[number];

/** Settings of single views. */
export const OWN = [
  'zoom', 'inverted', 'collapse', 'color', 'flip', 'pivot', 'beside', 'widths', // flame
  'order', 'find', // tables
  'asm', 'at', // source: machine code, a line
  'merged', 'base_revision', 'revision', // source of a comparison: as one file, and the commits of its sides
  'finding', // source, advice
  'match', // peek
  'fold', // raw: sections that are put away, at is a line of it; disasm: none, for all code
  'as', 'label', // tags: as a list, and of which label
  'measure', 'endpoint', // endpoints, history: what is drawn over time; endpoints: the selected one; records: which of them
  'relative', // diff
  'span', 'by', 'off', 'line', 'live', 'vs', 'heat', // selections: see selected.ts
  'fns', // history
  'row', // the benchmark and unit whose profiles are compared: see runs.ts
] as const;
export type Own = (typeof OWN)[number];

const links = linksOf<State, 'view'>('view', VIEWS, {
  profile: texts('profile'), base: texts('base'), options: named(OPTIONS), fn: text('fn'), search: text('q'), own: named(OWN),
});

/** What a link stands for; of the first view, if it is to none. */
export function parse(link: string): State {
  return links.parse(link) ?? links.parse(`/flame?${cut(link)[1]}`)!;
}

/** The link to a state, the inverse of parse. */
export const href: (s: State) => string = links.href;

const isView = (link: string) => cut(link)[0] === '/' || links.parse(link) !== null;

const latest = signal(parse(where.peek()));

/** What the views show, or showed before a page beside them. */
export const state: ReadonlySignal<State> = latest;

where.subscribe((link) => {
  if (isView(link)) latest.value = parse(link);
});

/** Whether a selection in the store is shown, rather than profiles that are open. */
export const stored = computed(() => isSelection(state.value.profile[0]));

/** Settings that mean something only for what a view shows now: another one begins without them. */
const PASSING: readonly Own[] = ['order', 'find', 'match', 'finding', 'at', 'fold', 'measure', 'endpoint'];

/** What a state is in another view. */
export function inView(s: State, view: ViewID): State {
  if (view === s.view) return s;
  const own: Record<string, string> =
    Object.fromEntries(Object.entries(s.own).filter(([name]) => !PASSING.includes(name as Own)));
  if (view === 'history' && own['span'] === undefined && own['live'] === undefined) {
    const span = historySpan(s.profile[0]);
    if (span !== null) own['span'] = formatSpan(span);
  }
  return { ...s, view, own };
}

/** The time that a history begins with, if less than a day is selected: versions come every few days. null: what is selected. */
export function historySpan(id: string | undefined): Span | null {
  if (!isSelection(id)) return null;
  const { from, to, id: single } = parseSelection(id, Date.now());
  return from && to && !single && to - from < DAY ? { from: to - 7 * DAY, to } : null;
}

/** Changes what is shown: see visit. */
export function go(change: Partial<State>, how: How = 'push'): void {
  const now = state.peek();
  const link = href({ ...inView(now, change.view ?? now.view), ...change });
  if (link === href(now) && isView(where.peek())) return; // the address may say it in other words
  visit(link, how);
}

/** Sets one report option; '' returns it to its default. */
export function setOption(name: Option, value: string, how?: How): void {
  const { [name]: _, ...options } = state.value.options;
  go({ options: value === '' ? options : { ...options, [name]: value } }, how);
}

/** Sets one setting of a view; '' returns it to its default. */
export function setOwn(name: Own, value: string, how?: How): void {
  const { [name]: _, ...own } = state.value.own;
  go({ own: value === '' ? own : { ...own, [name]: value } }, how);
}

/** Selects a function across views; '' for none. Already selected, nothing changes. */
export function selectFunction(name: string, how: How = 'replace'): void {
  const { at: _, ...own } = state.peek().own; // a line of another
  go({ fn: name, own }, how);
}

/**
 * What the search matches in the view shown, as the view found it: its value
 * printed and its share, and how many matches the view marks. null: nothing searched, or not known yet.
 */
export const matched = signal<Matches | { error: string } | null>(null);

export interface Matches {
  text: string;
  percent: number;
  /** Nothing matches. */
  none: boolean;
  /** "6 places", if the view marks all that it finds. */
  marks?: string;
  /** Of a comparison: what it was before. */
  base?: { text: string; percent: number };
}

/** Goes to the next (1) or the previous (-1) match, if the view shown can. */
export const nextMatch = signal<((direction: 1 | -1) => void) | null>(null);

/** Query of the reports on what is shown; views add parameters of their own to a copy. */
export const reportQuery = computed<URLSearchParams>(() => queryOf(state.value));

export function queryOf(s: State): URLSearchParams {
  const q = new URLSearchParams();
  for (const id of s.profile) q.append('profile', id);
  for (const id of s.base) q.append('base', id);
  for (const name of OPTIONS) {
    const value = name === 'mine' ? mineAsked(s) : s.options[name];
    if (value) q.set(name, value);
  }
  return q;
}
