// The links of the start page.

import type { OverviewService } from '../../api/continuous';
import { flagOn } from '../../state/options';
import { goPage } from '../../state/pages';
import { DAY, formatSelection, formatSpan, HOUR, inOrder, lately, MINUTE, parseSelection, perOf, type Span } from '../../state/selection';
import { chosenState, fresh } from '../../state/selected';
import { formatSelector } from '../../state/selector';
import { go, type State } from '../../state/state';
import { compareVersions } from '../continuous/Against';
import type { MenuItem } from '../parts';
import { compared } from './changes';

/** A service that sent nothing for so long is silent: agents send each kind every minute or ten. */
export const SILENT = 15 * MINUTE;

/** The kind that a service opens with. */
export const mainKind = (s: OverviewService): string => (s.kinds.find((k) => k.kind === 'cpu') ?? s.kinds[0])?.kind ?? '';

/** The last hour of a kind, or the last hour there is. Counts of requests have no stacks: they open as endpoints. */
export function kindState(s: OverviewService, kind: string, now: number, view: State['view'] = 'flame'): State {
  if (kind === 'requests' && view === 'flame') {
    return { ...kindState(s, mainKind(s), now, 'endpoints'), own: { measure: 'requests' } };
  }
  const facts = s.kinds.find((k) => k.kind === kind);
  const last = facts?.last ?? s.last;
  const q = formatSelector([{ name: 'kind', op: '=', value: kind }, { name: 'service', op: '=', value: s.name }]);
  const end = now - last > SILENT ? last + 1000 : now;
  return fresh({ q, ...(facts && { per: perOf(facts) }), ...lately(view === 'history' ? 7 * DAY : HOUR, end) }, view);
}

/** One of the windows of a line; the last, which isn't over, begins earlier. */
export const windowOf = (i: number, { from, to }: Span, step: number): Span => {
  const end = Math.min(from + (i + 1) * step, to);
  return { from: Math.max(from, end - step), to: end };
};

/** What a kind did at a time of the day: the day in the timeline, with that time selected. */
export function momentState(s: OverviewService, kind: string, at: Span, day: Span): State {
  const state = kindState(s, kind, at.to);
  const sel = parseSelection(state.profile[0]!, at.to);
  return { ...state, profile: [formatSelection({ ...sel, ...at })], own: { ...state.own, span: formatSpan(day) } };
}

/** A function over the last hour, with the options of the start page: your code, with what it calls. */
export const functionState = (s: OverviewService, kind: string, fn: string, now: number): State =>
  ({ ...kindState(s, kind, now, 'top'), fn, options: { mine: flagOn('mine') } });

/** The actions on a service. */
export function itemsOf(s: OverviewService): MenuItem[] {
  const { version, yesterday } = compared(s.name) ?? {};
  return [
    ...inOrder(s.kinds.map((k) => k.kind))
      .map((kind): MenuItem => ({ label: `Open ${kind}`, icon: 'chart', run: () => go(kindState(s, kind, Date.now())) })),
    'separator',
    ...(version
      ? [{ label: `Compare ${s.version} with ${s.previous}`, icon: 'compare', run: () => go(chosenState(version)) } as const]
      : s.versions > 1
        ? [{ label: 'Compare the two latest versions', icon: 'compare', run: () => void compareVersions(s.name, mainKind(s)) } as const]
        : []),
    ...(yesterday ? [{ label: 'Compare with yesterday', icon: 'compare', run: () => go(chosenState(yesterday)) } as const] : []),
    { label: 'Regressions', icon: 'warning', run: () => goPage({ page: 'regressions', service: s.name, state: 'all' }) },
    { label: 'History of its functions', icon: 'chart', run: () => go(kindState(s, mainKind(s), Date.now(), 'history')) },
  ];
}
