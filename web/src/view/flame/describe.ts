// What is said about a frame: in the tooltip, in the line below the graph, and to
// screen readers.

import type { FlameAbout } from '../../model/model';
import { formatCount, formatPercent, formatRate, formatSigned, rateOf } from '../../model/units';
import { ORIGINS } from '../../theme/frames';
import type { Spot } from './spot';

export interface Measure {
  label: string;
  value: string;
  /** Shares; '' where one says nothing. */
  ofAll: string;
  ofZoomed: string;
  ofParent: string;
}

export interface Words {
  about: FlameAbout;
  /** The unit asked for, or minimum. */
  unit: string;
  /** The frame that is zoomed to; null for all. */
  zoomed: Pick<Spot, 'x' | 'width' | 'total' | 'base' | 'depth'> | null;
}

export function valueText(w: Words, value: number): string {
  return formatRate(value, w.about.unit, w.unit, rateOf(w.about));
}

/** "1.20s → 1.50s (+300ms, +25%)" */
export function changeText(w: Words, base: number, head: number): string {
  const scaled = base * w.about.baseScale;
  const delta = head - scaled;
  const relative = scaled === 0
    ? (head === 0 ? '' : ', new')
    : head === 0 ? ', gone'
    : `, ${formatSigned((100 * delta) / scaled, (v) => formatPercent(v, 100))}`;
  return `${valueText(w, scaled)} → ${valueText(w, head)} (${formatSigned(delta, (v) => valueText(w, v))}${relative})`;
}

/** Of what shares are, where there are two sides; '' where it goes without saying. */
export function wholeOf({ diff, widths }: FlameAbout): string {
  return !diff ? '' : widths === 'head' ? ' of all after' : ' of all before';
}

/**
 * The share a value has of all. Of both sides it is that of its change, of all there was before, as in tables; else that of the side
 * that frames are as wide as.
 */
export function shareOfAll(about: FlameAbout, value: number, base = 0): string {
  const before = base * about.baseScale;
  const { head, base: all } = about.whole;
  if (!about.diff || about.widths === 'head') return formatPercent(value, head);
  if (about.widths === 'base') return formatPercent(before, all);
  return formatSigned(value - before, (size) => formatPercent(size, all));
}

/** Whether a frame lies in the one that is zoomed to. */
function inZoomed(w: Words, s: Spot): boolean {
  const z = w.zoomed;
  return z !== null && s.depth >= z.depth && s.x >= z.x && s.x + s.width <= z.x + z.width;
}

export function measures(w: Words, s: Spot): Measure[] {
  const { about } = w;
  // A change is told as a share of all alone: of a caller that changed, too, it would say little.
  const shared = !about.diff || about.widths !== 'both';
  const side = (head: number, base = 0) => (about.diff && about.widths === 'base' ? base : head);
  const row = (label: string, value: number, base?: number): Measure => ({
    label,
    value: base === undefined ? valueText(w, value) : changeText(w, base, value),
    ofAll: shareOfAll(about, value, base),
    ofZoomed: shared && inZoomed(w, s) ? formatPercent(side(value, base), side(w.zoomed!.total, w.zoomed!.base?.total)) : '',
    ofParent: shared && s.depth > 1 ? formatPercent(side(value, base), side(s.parentTotal, s.parentBase)) : '',
  });
  if (s.kind === 'rest') {
    // What they have on either side was not sent.
    return [{ label: 'total', value: valueText(w, s.width), ofAll: formatPercent(s.width, about.width), ofZoomed: '', ofParent: '' }];
  }
  const out = [row('total', s.total, s.base?.total)];
  if (!w.about.inverted && s.kind === 'frame') out.push(row('self', s.self, s.base?.self));
  return out;
}

export function place(s: Spot): string {
  if (s.file === '') return '';
  const where = s.line > 0 ? `${s.file}:${s.line}` : s.file;
  return s.otherFiles > 0 ? `${where} and in ${formatCount(s.otherFiles)} more ${s.otherFiles === 1 ? 'file' : 'files'}` : where;
}

/** Package, origin and whatever else is special about a frame. */
export function traits(w: Words, s: Spot): string[] {
  if (s.kind === 'rest') return [w.about.partial ? 'Zoom in to see those in this file.' : 'Zoom in to see them.'];
  const out: string[] = [];
  if (s.step !== 0) out.push(s.step > 0 ? '▲ increase beyond noise' : '▼ decrease beyond noise');
  else if (w.about.diff && s.kind === 'frame') out.push('no change beyond noise');
  if (s.inlined) out.push('inlined');
  if (s.kind === 'frame' && s.origin > 0) out.push(ORIGINS[s.origin]!);
  if (s.hidden > 0) out.push(`${formatCount(s.hidden)} narrower ${s.hidden === 1 ? 'frame' : 'frames'} not drawn`);
  return out;
}

/** One sentence, for those who hear it. */
export function sentence(w: Words, s: Spot): string {
  const parts = [s.kind === 'rest' ? title(s) : s.name];
  for (const m of measures(w, s)) parts.push(`${m.label} ${m.value}, ${m.ofAll}${s.kind === 'rest' ? '' : wholeOf(w.about)}`);
  if (s.kind !== 'rest') {
    parts.push(`level ${s.depth}`);
    const children = s.children + s.hidden;
    parts.push(
      `${formatCount(children)} ${w.about.inverted ? (children === 1 ? 'caller' : 'callers') : children === 1 ? 'callee' : 'callees'}`,
    );
  }
  parts.push(...traits(w, s).filter((t) => s.kind === 'rest' || !t.endsWith('not drawn')));
  return parts.join('; ');
}

export function title(s: Spot): string {
  if (s.kind !== 'rest') return s.name;
  return s.hidden > 0 ? `Frames too narrow to draw, ${formatCount(s.hidden)} at this caller` : 'Frames too narrow to draw';
}
