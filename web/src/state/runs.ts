// What the pages of kept runs show, as a value that lives in the URL.

import { pagesOf, text, texts } from './links';
import { begun } from './mine';
import { isSelection } from './selection';
import { href, type State } from './state';

export const RUN_PAGES = ['runs', 'run', 'compare', 'trend'] as const;
export type RunPage = (typeof RUN_PAGES)[number];

export interface RunsState {
  page: RunPage;
  /** Names of runs: the one shown, those compared, the base first, or in the list those ticked. */
  run: readonly string[];
  /** Text that names have to contain. */
  find: string;
  /** The column a table is ordered by, with - in front for descending. */
  order: string;
  /** The unit results are narrowed to; '' for all. */
  unit: string;
  /** Which comparisons: '' for all, or changed. */
  only: string;
  /** The row looked at: see rowID. Of advice, the finding that is open. */
  pick: string;
  /** Of a run, '' for what is usual, load (the charts of one), figures or advice. */
  show: string;
  /** The axis of times: '' for logarithms, or linear. */
  scale: string;
}

/** The links to these pages, which of them is shown, and the ways there: see pagesOf. */
export const { parse: parseRuns, href: runsHref, shown: runsState, go: goRuns, set: setRuns } = pagesOf<RunsState>(RUN_PAGES, {
  run: texts('run'), find: text('find'), order: text('order'), unit: text('unit'), only: text('only'), pick: text('pick'),
  show: text('show'), scale: text('scale'),
});

/** Names a benchmark and unit in links. */
export function rowID(row: { package?: string; benchmark: string; unit: string }): string {
  return `${row.package ? `${row.package}.` : ''}${row.benchmark} ${row.unit}`;
}

/** What a comparison of runs found, that one of its profiles takes along. */
export interface Finding {
  /** The benchmark and unit: see rowID. */
  row: string;
  /** What an operation cost before, as a multiple of what it costs now. */
  ratio: number;
}

/** Where a profile of a run is shown, alone or compared. */
export function profileState(view: State['view'], profile: string, base: string | undefined, unit: string, finding?: Finding): State {
  const options: Record<string, string> = {};
  const own: Record<string, string> = {};
  if (base !== undefined) {
    // Both took as long as it took to measure them: times don't compare, as many operations do, and else shares.
    options['normalize'] = 'true';
    if (finding) {
      if (finding.ratio > 0 && Number.isFinite(finding.ratio)) options['base_total'] = String(Number(finding.ratio.toPrecision(9)));
      own['row'] = finding.row;
    }
  }
  if (/(^|\/)(mem|allocs)$/.test(profile)) options['sample_index'] = unit === 'allocs/op' ? 'alloc_objects' : 'alloc_space';
  return {
    view, profile: [profile], base: base === undefined ? [] : [base], options: base === undefined ? options : begun(options), fn: '',
    search: '', own,
  };
}

/** What is left of a state's settings when its two sides become others: a finding was of them. */
export function withoutFinding({ options, own }: Pick<State, 'options' | 'own'>): Pick<State, 'options' | 'own'> {
  const { base_total: _, ...others } = options;
  const { row: __, ...rest } = own;
  return { options: others, own: rest };
}

/** The runs, or sides of one, whose profiles are compared; null if they are not of runs. */
export function runsOf(base: string, head: string): [string, string] | null {
  const [a, b] = [base, head].map((id) => (isSelection(id) ? null : /^([^:]+):(base\/)?/.exec(id)));
  if (!a || !b) return null;
  const name = (m: RegExpExecArray) => `${m[1]}${m[2] ? ':base' : a[1] === b[1] ? ':head' : ''}`;
  return [name(a), name(b)];
}

export const profileHref = (...of: Parameters<typeof profileState>) => href(profileState(...of));

/** The kind of profile that explains a unit. */
export function kindOf(unit: string): string {
  if (/(^|-)(B|allocs)\/op$/.test(unit)) return 'mem';
  return /^(mutex|block)-/.exec(unit)?.[1] ?? 'cpu';
}

/** Whether a profile of a kind explains a unit: the allocations of a service under load are allocs. */
export const explains = (kind: string, unit: string): boolean => (kind === 'allocs' ? 'mem' : kind) === kindOf(unit);
