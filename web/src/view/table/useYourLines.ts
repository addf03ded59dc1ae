import type { Summary, SummaryLine } from '../../api/types';
import { useReport } from '../../state/report';
import { queryOf, type State } from '../../state/state';

/**
 * Your lines that cost most, as the strip above the views has them; those of a comparison are changes, which say nothing about one
 * side. known is whether the server has told.
 */
export function useYourLines(state: State, wanted = true): { lines: readonly SummaryLine[]; known: boolean } {
  const asks = wanted && state.base.length === 0;
  const { answer, error } = useReport<Summary>('summary', asks ? queryOf(state) : null);
  return { lines: (asks && answer?.report.lines) || [], known: !asks || answer !== undefined || error !== undefined };
}
