// What the pages of kept runs show, as a value that lives in the URL.

import { computed } from '@preact/signals';
import { href, visit, where, type State } from './state';

export const RUN_PAGES = ['runs', 'run', 'compare', 'trend'] as const;
export type RunPage = (typeof RUN_PAGES)[number];

export interface RunsState {
  page: RunPage;
  /** Names of runs: the one shown, or those compared, the base first. */
  run: readonly string[];
  /** Text that names have to contain. */
  find: string;
  /** The column a table is ordered by, with - in front for descending. */
  order: string;
  /** The unit results are narrowed to; '' for all. */
  unit: string;
  /** Which comparisons: '' for all, or changed. */
  only: string;
  /** The row looked at: see rowID. */
  pick: string;
}

const TEXTS = ['find', 'order', 'unit', 'only', 'pick'] as const;

export function parseRuns(path: string, query: string): RunsState | null {
  const page = RUN_PAGES.find((p) => `/${p}` === path);
  if (!page) return null;
  const q = new URLSearchParams(query);
  const text = (name: (typeof TEXTS)[number]) => q.get(name) ?? '';
  return { page, run: q.getAll('run'), find: text('find'), order: text('order'), unit: text('unit'), only: text('only'), pick: text('pick') };
}

/** The link to a page, the inverse of parseRuns. */
export function runsHref(s: Partial<RunsState> & { page: RunPage }): string {
  const q = new URLSearchParams();
  for (const id of s.run ?? []) q.append('run', id);
  for (const name of TEXTS) if (s[name]) q.set(name, s[name]);
  const text = q.toString();
  return `/${s.page}${text && `?${text}`}`;
}

/** The page of runs that is shown, null if profiles are. */
export const runsState = computed(() => {
  const [path, query] = where.value.split('?', 2) as [string, string?];
  return parseRuns(path, query ?? '');
});

/** Shows another page of runs. */
export function goRuns(to: Partial<RunsState> & { page: RunPage }): void {
  visit(runsHref(to), 'push');
}

/** Changes what the page shows. */
export function setRuns(change: Partial<RunsState>, how: 'push' | 'replace' = 'replace'): void {
  const now = runsState.peek();
  if (now) visit(runsHref({ ...now, ...change }), how);
}

/** Names a benchmark and unit in links. */
export function rowID(row: { package?: string; benchmark: string; unit: string }): string {
  return `${row.package ? `${row.package}.` : ''}${row.benchmark} ${row.unit}`;
}

/** Where a profile of a run is shown, alone or compared. */
export function profileState(view: State['view'], profile: string, base: string | undefined, unit: string): State {
  const options: Record<string, string> = {};
  // Both took as long as it took to measure them: shares compare, times don't.
  if (base !== undefined) options['normalize'] = 'true';
  if (/(^|\/)mem$/.test(profile)) options['sample_index'] = unit === 'allocs/op' ? 'alloc_objects' : 'alloc_space';
  return { view, profile: [profile], base: base === undefined ? [] : [base], options, fn: '', search: '', own: {} };
}

export const profileHref = (...of: Parameters<typeof profileState>) => href(profileState(...of));

/** The kind of profile that explains a unit. */
export function kindOf(unit: string): string {
  return /(^|-)(B|allocs)\/op$/.test(unit) ? 'mem' : 'cpu';
}
