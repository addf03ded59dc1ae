// The rows of a heat map by label that a selector selects. Rows are values of the label. Pure.

import { formatSelector, matcherOf, parseSelector, valuesOf, withMatcher } from './selector';

/** The selector without its conditions on a label, so that a heat map has all rows. */
export function wide(q: string, label: string): string {
  const matchers = parseSelector(q);
  if (!matchers || chosenRows(q, label) === null) return q;
  const rest = formatSelector(withMatcher(matchers, label, null));
  return rest === '{}' ? '' : rest;
}

/** The values of a label that a selector lists, none if it selects all; null if its conditions aren't a list. */
export function chosenRows(q: string, label: string): readonly string[] | null {
  const of = parseSelector(q)?.filter((m) => m.name === label) ?? [];
  if (of.length === 0) return [];
  const [only] = of;
  return of.length === 1 && (only!.op === '=' || only!.op === '=~') ? valuesOf(only!) : null;
}

/** The selector with only these rows of a label; with all if rows is null. */
export function withRows(q: string, label: string, rows: readonly string[] | null): string {
  const matchers = parseSelector(q);
  if (!matchers || chosenRows(q, label) === null) return q;
  const to = formatSelector(withMatcher(matchers, label, rows && matcherOf(label, rows)));
  return to === '{}' ? '' : to;
}
