// The settings of a flame graph, as they stand in links.

import type { FlameWidths } from '../../api/types';
import type { State } from '../../state/state';
import { keep, kept } from '../../state/taste';
import type { ColorBy } from '../../theme/frames';
import { COLORINGS, WIDTHS } from './Toolbar';

export interface Settings {
  /** Function whose callers and callees are shown; '' for all of the graph. */
  pivot: string;
  inverted: boolean;
  flip: boolean;
  collapse: boolean;
  /** Of a comparison: whose values frames are as wide as. */
  widths: FlameWidths;
  /** In comparisons: one graph for each side. */
  sides: boolean;
}

/** Its value in links, where widths are. */
export const SIDES = 'sides';

export function settingsOf(own: State['own']): Settings {
  const pivot = own.pivot ?? '';
  return {
    pivot,
    inverted: own.inverted === '1' && pivot === '',
    flip: own.flip === '1' && pivot === '',
    collapse: own.collapse === '1',
    widths: WIDTHS.find((w) => w.widths === own.widths)?.widths ?? 'both',
    sides: own.widths === SIDES,
  };
}

const TASTE = 'hone.colours';

/** Keeps the choice of colours for graphs whose link says nothing of them: of comparisons, and of others. */
export const keepColoring = (by: ColorBy, diff: boolean): void => keep(diff ? `${TASTE}.change` : TASTE, by);

/** Meaning of the colours: as the link says, as was chosen last, or the change if there is one to tell. */
export function coloringOf(own: State['own'], diff: boolean): ColorBy {
  const usual = diff ? 'change' : 'package';
  const fits = (name: string | null | undefined) => COLORINGS.find((c) => c.by === name && (diff || c.by !== 'change'))?.by;
  return fits(own.color) ?? fits(kept(diff ? `${TASTE}.change` : TASTE)) ?? usual;
}

/** The query of the graph: that of all reports, with what settings add to it. */
export function flameQuery(asking: URLSearchParams, { inverted, collapse, pivot, widths }: Settings): URLSearchParams {
  const q = new URLSearchParams(asking);
  if (inverted) q.set('inverted', '1');
  if (collapse) q.set('collapse', '1');
  if (pivot) q.set('pivot', pivot);
  if (widths !== 'both') q.set('widths', widths);
  return q;
}
