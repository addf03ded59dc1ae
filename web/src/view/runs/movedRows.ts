// Which rows of an explanation are shown. Pure.

import type { Bounded, Explanation, Moved } from '../../api/runs';

/** Functions shown with what they call: all that is above what moved has moved. */
export const CALLERS = 5;

const sure = ({ lo, hi }: Bounded): boolean => (lo !== null && lo > 0) || (hi !== null && hi < 0);

/**
 * Your functions that changed for sure with what they call, the one that explains most first: of two with the same change, the one of
 * which it is the larger part is nearer to the cause.
 */
export function yoursOf(e: Pick<Explanation, 'functions' | 'callers'>): Moved[] {
  const weight = (f: Moved) => f.cumChange.value ** 2 / Math.max(f.baseCum ?? 0, f.headCum ?? 0, Number.MIN_VALUE);
  return [...e.functions, ...e.callers].filter((f) => f.yours && sure(f.cumChange)).sort((a, b) => weight(b) - weight(a)).slice(0, CALLERS);
}
