// The comparison that shows what changed in a history.

import type { History } from '../../api/continuous';
import { formatSpan, parseSelection, type Span } from '../../state/selection';
import { comparedState, fairly, withSelection } from '../../state/selected';
import { formatSelector, matcherOf, parseSelector, withMatcher } from '../../state/selector';
import type { State } from '../../state/state';
import { versionName } from './history';

export interface Change {
  label: string;
  to: State;
}

/**
 * A version compared with the one before it, over all of the timeline: what is selected of it may have one of them alone.
 * undefined if there is none before.
 */
export function versionChange(h: History, version: string, s: State, span: Span, fn = ''): Change | undefined {
  const at = h.versions.findIndex((v) => v.version === version);
  const [before, after] = [h.versions[at - 1], h.versions[at]];
  const matchers = parseSelector(parseSelection(s.profile[0]!, 0).q);
  if (!before || !after || !matchers) return undefined;
  const q = formatSelector(withMatcher(matchers, 'version', matcherOf('version', [after.version])));
  const head = withSelection(
    { ...s, base: [], fn }, { q, ...span, ...(before.counted && after.counted && { per: 'request' as const }) }, { span: '', live: '' },
  );
  return {
    label: `Compare ${versionName(after.version)} with ${versionName(before.version)}`,
    to: fairly(comparedState(head, `label:version=${before.version}`, undefined, 'diff')),
  };
}

/** The last third of the time compared with the first one, where there are no versions. */
export function thirdsChange(h: History, from: number, s: State, span: Span, fn: string): Change | undefined {
  const [first, end] = [h.time[0], h.time[Math.floor(h.time.length / 3)]];
  if (first === undefined || end === undefined || end <= first || from < end) return undefined;
  const head = withSelection({ ...s, base: [], fn }, { from, to: span.to }, { span: formatSpan(span), live: '' });
  const base = { ...parseSelection(s.profile[0]!, 0), from: Math.max(first, span.from), to: end, id: '' };
  return { label: 'Compare the last third of the time with the first', to: comparedState(head, 'range', base, 'diff') };
}
