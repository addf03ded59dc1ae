// Whether reports show only your code. Comparisons do, so that what you can change is seen at once,
// unless their link says otherwise. The choice is kept for the next comparison. Also: the view that
// a comparison begins with.

import type { State } from './state';
import { keep, kept } from './taste';

/** The value of the option mine with which a comparison shows all code. */
export const ALL_CODE = 'false';

const TASTE = 'hone.comparison';

type Compared = Pick<State, 'base' | 'options'>;

/** The option that requests have; auto is your code if the profile has both your code and other code. */
export function mineAsked({ base, options }: Compared): string {
  const { mine = '' } = options;
  if (mine === ALL_CODE) return '';
  return mine || (base.length > 0 ? 'auto' : '');
}

/** Whether only your code is shown. foldable: the profile has your code and other code. */
export function mineShown(s: Compared, foldable: boolean): boolean {
  const asked = mineAsked(s);
  return asked === 'auto' ? foldable : asked !== '';
}

/** The options that switch between your code and all code. */
export function turned(s: Compared, foldable: boolean): State['options'] {
  const { mine: _, ...others } = s.options;
  const on = !mineShown(s, foldable);
  if (s.base.length === 0) return on ? { ...others, mine: 'true' } : others;
  keep(TASTE, on ? null : 'all');
  if (on) return foldable ? others : { ...others, mine: 'true' };
  return { ...others, mine: ALL_CODE };
}

/** Views of a whole profile. A comparison that starts in one of them begins with the list of what changed. */
const WHOLE: readonly string[] = ['flame', 'top', 'graph', 'traces', 'tags', 'raw', 'history', 'endpoints', 'growth', 'records'];

/** The view that a comparison begins with. */
export const comparing = ({ view, options }: Pick<State, 'view' | 'options'>): Pick<State, 'view' | 'options'> =>
  ({ view: WHOLE.includes(view) ? 'diff' : view, options: begun(options) });

/** The options of a new comparison, with the choice of the last one. */
export function begun(options: State['options']): State['options'] {
  return options.mine === undefined && kept(TASTE) === 'all' ? { ...options, mine: ALL_CODE } : options;
}
