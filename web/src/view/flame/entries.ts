// The entries of the legend. Pure.

import type { FlameAbout } from '../../model/model';
import { formatPercent } from '../../model/units';
import { CHANGE_STEPS } from '../../model/change';
import { changeFill, HEAT_STEPS, heatFill, originFill, ORIGINS, packageFill, separateHues, type ColorBy } from '../../theme/frames';

const MOST = 6;

interface Entry {
  label: string;
  share: string;
  fill: number;
}

/** What the colours mean, by package and module with their shares of all there is, drawn or not. */
export function entriesOf({ shares, whole }: FlameAbout, by: ColorBy): Entry[] {
  const apart = separateHues(shares.wide ?? []);
  const all = by === 'module'
    ? shares.origins.map((value, origin) => ({ value, fill: originFill(origin), label: ORIGINS[origin] ?? ORIGINS[0] }))
    : by === 'package'
      ? shares.packages.map(({ name, origin, value }) => ({
        value, fill: packageFill(name, origin, apart), label: name === '' ? 'no package' : name,
      }))
      : [];
  return all.filter((e) => e.value > 0).sort((a, b) => b.value - a.value).slice(0, MOST)
    .map(({ value, fill, label }) => ({ label, fill, share: formatPercent(value, whole.head) }));
}

/** Colours that go from little to much. */
export interface Scale {
  little: string;
  much: string;
  fills: readonly number[];
}

/** What the colours mean where they are no entries; null where they are. */
export function scaleOf(by: ColorBy): Scale | null {
  if (by === 'self') {
    const fills = Array.from({ length: HEAT_STEPS + 1 }, (_, i) => heatFill((i / HEAT_STEPS) ** 2));
    return { little: 'low self', much: 'high self', fills };
  }
  if (by !== 'change') return null;
  return { little: '▼ less', much: '▲ more', fills: Array.from({ length: 11 }, (_, i) => changeFill((i - 5) * (CHANGE_STEPS / 5))) };
}
