import type { Top } from '../../api/types';
import { useReport, type Loading } from '../../state/report';
import { queryOf, type State } from '../../state/state';
import { selects } from './names';
import { extend } from './query';

/**
 * The function a view about one function shows: the selected one, or until there
 * is one, that which costs most by itself, or in a comparison what grew most. loading tells why there is none.
 */
export function useShownFunction(state: State): { fn: string; loading: Loading<Top> } {
  const loading = useReport<Top>('top', state.fn ? null : extend(
    queryOf(state), { granularity: 'functions', sort: 'flat', order: state.base.length > 0 ? '-flat' : '', limit: '1' },
  ));
  const hottest = loading.answer?.report.rows[0];
  return { fn: state.fn || (hottest && !loading.error ? selects(hottest) : ''), loading };
}
