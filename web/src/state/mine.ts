// Whether reports are of your code only. Comparisons are, unless their link says that all code is
// shown: what one can change oneself is seen at once. That choice is kept for the next comparison.
// And what a comparison begins with.

import type { State } from './state';
import { keep, kept } from './taste';

/** The value of the option mine with which a comparison shows all code. */
export const ALL_CODE = 'false';

const TASTE = 'hone.comparison';

type Compared = Pick<State, 'base' | 'options'>;

/** What reports are asked for; auto is your code where there is some, and other code as well. */
export function mineAsked({ base, options }: Compared): string {
  const { mine = '' } = options;
  if (mine === ALL_CODE) return '';
  return mine || (base.length > 0 ? 'auto' : '');
}

/** Whether your code only is shown. foldable: the profile has code of yours and other code. */
export function mineShown(s: Compared, foldable: boolean): boolean {
  const asked = mineAsked(s);
  return asked === 'auto' ? foldable : asked !== '';
}

/** The options that show the other of both. */
export function turned(s: Compared, foldable: boolean): State['options'] {
  const { mine: _, ...others } = s.options;
  const on = !mineShown(s, foldable);
  if (s.base.length === 0) return on ? { ...others, mine: 'true' } : others;
  keep(TASTE, on ? null : 'all');
  if (on) return foldable ? others : { ...others, mine: 'true' };
  return { ...others, mine: ALL_CODE };
}

/** Views of all of a profile, from which a comparison begins with the list of what changed. */
const WHOLE: readonly string[] = ['flame', 'top', 'graph', 'traces', 'tags', 'raw', 'history', 'growth', 'records'];

/** What a comparison begins with. */
export const comparing = ({ view, options }: Pick<State, 'view' | 'options'>): Pick<State, 'view' | 'options'> =>
  ({ view: WHOLE.includes(view) ? 'diff' : view, options: begun(options) });

/** The options of a comparison that begins: with the choice of the last one. */
export function begun(options: State['options']): State['options'] {
  return options.mine === undefined && kept(TASTE) === 'all' ? { ...options, mine: ALL_CODE } : options;
}
