// Which regressions are listed, and in which order. Pure.

import type { Regression, RegressionCause } from '../../api/regressions';
import { ALL_CODE } from '../../state/mine';
import { formatSpan, parseSelection } from '../../state/selection';
import type { PageState } from '../../state/pages';
import type { State } from '../../state/state';
import { sentenceText } from './words';

export const STATES = ['open', 'acknowledged', 'resolved'] as const;
/** Of the filter by state: all of them. */
export const ALL = 'all';

/** What all instances cost more. */
const extraOf = (r: Regression): number => (r.after - r.before) * Math.max(1, r.instances);

/** What a regression costs, as a share of what services with regressions spend on a kind: its own, or cpu if that is more. */
export interface Weight {
  share: number;
  of: string;
}

/**
 * What each regression costs: the growth as a share of what all services with regressions spend on its kind. So shares of large
 * services count more, and kinds with other units compare. Waiting counts by how it compares with CPU time, which can be much more.
 */
export function weights(all: readonly Regression[]): ReadonlyMap<string, Weight> {
  const kindOf = (r: Regression) => `${r.kind} ${r.per_request}`;
  const services = new Map<string, Map<string, number>>(); // by kind: what each service spends
  for (const r of all) {
    const of = services.get(kindOf(r)) ?? new Map<string, number>();
    services.set(kindOf(r), of);
    of.set(r.service, Math.max(of.get(r.service) ?? 0, r.share > 0 ? extraOf(r) / r.share : extraOf(r)));
  }
  const totals = new Map([...services].map(([kind, of]) => [kind, [...of.values()].reduce((a, b) => a + b, 0)]));
  return new Map(all.map((r) => {
    const own = totals.get(kindOf(r))!;
    const cpu = r.unit === 'nanoseconds' ? totals.get(`cpu ${r.per_request}`) ?? 0 : 0;
    return [r.id, { share: extraOf(r) / (Math.max(own, cpu) || 1), of: cpu > own ? 'cpu' : r.kind }];
  }));
}

/** The costliest first, or the latest. */
export function ordered(all: readonly Regression[], latest: boolean, of = weights(all)): Regression[] {
  const costly = (a: Regression, b: Regression) => of.get(b.id)!.share - of.get(a.id)!.share;
  return [...all].sort((a, b) => (latest ? b.since - a.since : 0) || costly(a, b) || (a.id < b.id ? -1 : 1));
}

export type Shown = Pick<PageState, 'service' | 'kind' | 'state' | 'id'>;

/** Whether a regression is listed, apart from its state. */
const within = (r: Regression, s: Shown): boolean => (!s.service || r.service === s.service) && (!s.kind || r.kind === s.kind);

/** Those that are listed. The one that the link is about always is. */
export function listed(all: readonly Regression[], s: Shown, finds: ((text: string) => boolean) | null): Regression[] {
  const state = s.state || 'open';
  return all.filter((r) => r.id === s.id
    || (within(r, s) && (state === ALL || r.state === state) && (finds?.(textOf(r)) ?? true)));
}

const textOf = (r: Regression) => [
  r.service, r.kind, r.version, r.function, ...r.causes.map((c) => c.function), ...r.new, r.by, r.reason, sentenceText(r),
].join(' ');

/**
 * The functions to look at for the cause, apart from those that the sentence names. The callers of a function only pass its growth on,
 * and where its own cost grew, it is the cause.
 */
export const causesOf = (r: Regression): readonly RegressionCause[] =>
  (r.callees ? r.causes.filter((c) => !c.caller && c.function !== r.function && !r.new.includes(c.function)) : []);

/** How many have each state, of those that are listed apart from it. */
export function counts(all: readonly Regression[], s: Shown): Readonly<Record<string, number>> {
  const out: Record<string, number> = { open: 0, acknowledged: 0, resolved: 0, [ALL]: 0 };
  for (const r of all) {
    if (!within(r, s)) continue;
    out[r.state] = (out[r.state] ?? 0) + 1;
    out[ALL]!++;
  }
  return out;
}

/**
 * How much of the service's cost the same change added: all regressions of it that are known, or the largest of their causes, such as
 * a caller with the growth of several.
 */
export function added(r: Regression, all: readonly Regression[]): number {
  const same = all.filter((o) => o.service === r.service && o.kind === r.kind && o.version === r.version && o.since === r.since);
  const sum = same.reduce((n, o) => n + o.share, 0);
  return Math.max(sum, r.share, ...same.flatMap((o) => o.causes.map((c) => c.share)));
}

const MOST_ADDED = 0.95;

/**
 * The comparison of before and after, at a function, with the figures of the regression. Costs per request compare as they are. Other
 * costs are scaled to the load after the change: if the change hadn't added anything, the total would be as it was. All code is shown,
 * since it may be of a library.
 */
export function comparisonOf(r: Regression, all: readonly Regression[], of: Pick<RegressionCause, 'function' | 'callees'> = r): State {
  const [base, head] = [parseSelection(r.base, r.found), parseSelection(r.head, r.found)];
  const rest = 1 - Math.min(MOST_ADDED, added(r, all));
  const scaled = r.per_request ? {} : { normalize: 'true', base_total: String(Number(rest.toFixed(4))) };
  return {
    view: 'diff', profile: [r.head], base: [r.base], fn: of.function, search: '',
    options: { ...scaled, mine: ALL_CODE, ...(of.callees && { sort: 'cum' }) },
    own: { span: formatSpan({ from: Math.min(base.from, head.from), to: Math.max(base.to, head.to) }) },
  };
}
