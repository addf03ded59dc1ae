import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { FlameSearch } from '../../api/types';
import { finder, patternOf } from '../../state/pattern';
import { useReport } from '../../state/report';
import { matched, nextMatch, queryOf, type State } from '../../state/state';
import { useKeys } from '../parts';
import { extend } from './query';

export type Step = (direction: 1 | -1) => void;

/**
 * What the search in the header finds in a view. The value that matches is the
 * server's: adding up rows would count a stack once for each of its frames that
 * match. step goes to the next match, if the view can, and marks says how many it
 * marks: they are not the places that the server counts, those of the flame graph.
 * A view beside another one leaves all of it to that.
 */
export function useSearch(state: State, step?: Step, beside = false, marks?: string): ((name: string) => boolean) | null {
  const { search } = state;
  const found = useReport<FlameSearch>('flame/search', search && !beside ? extend(queryOf(state), { query: patternOf(search) }) : null);
  useEffect(() => {
    if (beside) return;
    if (!search || found.stale) matched.value = null;
    else if (found.error) matched.value = { error: found.error.message };
    else if (found.answer) {
      const { matched: all, base, count } = found.answer.report;
      matched.value = { ...all, none: count === 0, ...(marks && { marks }), ...(base && { base }) };
    }
    return () => {
      matched.value = null;
    };
  }, [search, found.answer, found.error, found.stale, beside, marks]);

  const can = step !== undefined && search !== '' && !beside;
  useEffect(() => {
    if (!can) return;
    nextMatch.value = step;
    return () => {
      if (nextMatch.peek() === step) nextMatch.value = null;
    };
  }, [can, step]);
  useKeys('Search', step && !beside ? [
    { keys: 'n', label: 'Next match', run: () => (can ? step(1) : false) },
    { keys: 'N', label: 'Previous match', run: () => (can ? step(-1) : false) },
  ] : []);
  return useMemo(() => finder(search), [search]);
}

/** The same function through all renderings, which does what the latest one says. */
export function useStable(step: Step): Step {
  const latest = useRef(step);
  latest.current = step;
  return useCallback((direction) => latest.current(direction), []);
}
