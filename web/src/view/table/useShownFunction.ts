import type { Top } from '../../api/types';
import { useReport, type Loading } from '../../state/report';
import { queryOf, type State } from '../../state/state';
import { selects } from './names';
import { extend } from './query';
import { useYourLines } from './useYourLines';

/**
 * The function that a view of one function shows. That is the selected one. Without a selection, it is the function of your costliest
 * line, or the one with the highest own cost; in a comparison, the one that changed most. loading says why there is none.
 */
export function useShownFunction(state: State): { fn: string; loading: Loading<Top> } {
  const yours = useYourLines(state, state.fn === '');
  const loading = useReport<Top>('top', state.fn ? null : extend(
    queryOf(state), { granularity: 'functions', sort: 'flat', limit: '1' },
  ));
  const hottest = loading.answer?.report.rows[0];
  const own = yours.lines.find((line) => line.function)?.function;
  if (!state.fn && !yours.known) return { fn: '', loading: { stale: true } };
  return { fn: state.fn || own || (hottest && !loading.error ? selects(hottest) : ''), loading };
}
