// What Growth shows of an answer. Pure.

import { runs } from '../../layout/timeline';
import type { FunctionHistory, History } from '../../api/continuous';
import { bareName, shortName } from '../../model/names';
import { formatSigned } from '../../model/units';
import { timeText, type Selection, type Span } from '../../state/selection';
import { overTimeText } from '../continuous/words';
import { plural } from '../table/format';
import { shorten } from '../table/names';

/** Lines that colours tell apart. */
export const TONES = 8;

/** A line of code: its function, file and line number, if the name has them. */
export interface Spot {
  fn: string;
  line: string;
  /** The short form: "cache.go:31". */
  place: string;
}

export function spotOf(name: string): Spot {
  const [, fn, file, line] = /^(.*) (\S+):(\d+)$/.exec(name) ?? [];
  return fn === undefined ? { fn: name, line: '', place: name } : { fn, line: line!, place: `${file!.replace(/.*\//, '')}:${line}` };
}

/** A line as a row of a table names it: without the file's folders, which its package tells. */
export function shortOf(name: string): { name: string; function: string } {
  const { fn, line, place } = spotOf(name);
  return { name: line ? `${fn} ${place}` : fn, function: fn };
}

/** A value per profile as text. */
export const amountText = (value: number, of: { type: string; unit: string }): string => overTimeText(value, of, 'profile');

/** The time that growth is told of: what is selected of the timeline, or all of it. */
export function grownIn(sel: Pick<Selection, 'from' | 'to'>, timeline: Span): Span {
  const part = sel.from > 0 && sel.to > sel.from && (sel.from > timeline.from || sel.to < timeline.to);
  return part ? { from: sel.from, to: sel.to } : timeline;
}

/** The value per profile in each window; null without profiles. */
export function valuesOf(h: History, f: FunctionHistory, cum: boolean): (number | null)[] {
  return (cum ? f.cum : f.flat).map((v, i) => (h.profiles[i]! > 0 ? v / h.profiles[i]! : null));
}

/** "+12.3MB/h"; what is within the usual variation has no slope. */
export function slopeText(f: FunctionHistory, of: { type: string; unit: string }): string {
  if (f.growth?.sure === 0) return 'no growth';
  const text = formatSigned(f.growth?.slope ?? 0, (size) => amountText(size, of));
  return text === '0' ? '0' : `${text}/h`;
}

/** Growth in words: how sure it is. */
export function growthWords(f: FunctionHistory, of: { type: string; unit: string }): string {
  const g = f.growth;
  if (!g) return 'Too few windows to tell';
  const change = `from ${amountText(g.before, of)} in the first third of the time to ${amountText(g.after, of)} in the last`;
  if (g.sure === 0) return `${change}: within the usual variation`;
  return `${change}: a ${g.sure > 0 ? 'rise' : 'fall'} of ${amountText(Math.abs(g.sure), of)} beyond the usual variation`;
}

/** Where a line was high for a time: its highest value, and the window that has it. */
export interface Rise {
  name: string;
  value: number;
  time: number;
}

const ENOUGH = 3; // windows in a third, to know how much they usually differ

/**
 * The highest rise of a line that didn't grow from the first third to the last: a leak that a restart ended. It is two
 * windows or more in a row, far from the first third of them, and not a trifle. undefined if there is none.
 */
export function riseOf(h: History, cum: boolean): Rise | undefined {
  let most: (Rise & { by: number }) | undefined;
  for (const f of h.functions) {
    if (!f.growth || f.growth.sure > 0) continue;
    const known = valuesOf(h, f, cum).flatMap((value, i) => (value === null ? [] : [{ value, i }]));
    const first = known.slice(0, Math.floor(known.length / 3)).map((w) => w.value);
    if (first.length < ENOUGH) continue;
    const usual = middle(first);
    const limit = usual + Math.max(usual / 2, 7.5 * middle(first.map((v) => Math.abs(v - usual)))); // about 5 standard deviations
    known.forEach(({ value, i }, k) => {
      if (value <= limit || Math.max(known[k - 1]?.value ?? 0, known[k + 1]?.value ?? 0) <= limit) return;
      if (value * h.profiles[i]! < h.total[i]! / 100 || (most && most.by >= value - usual)) return;
      most = { name: f.name, value, time: h.time[i]!, by: value - usual };
    });
  }
  return most;
}

/** The median of some values. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

const NAME = 20; // characters of a function's name in the verdict

/** What became of all lines, and what else there is to know. */
export function verdict(h: History, cum: boolean): string[] {
  const grew = h.functions.filter((f) => (f.growth?.sure ?? 0) > 0).length;
  if (grew > 0) return [`${plural(grew, 'line')} grew`];
  const rise = riseOf(h, cum);
  if (!rise) return ['No line grew by more than the usual variation'];
  const at = timeText(Math.round((rise.time + h.step / 2) / 60_000) * 60_000);
  const { fn, line } = spotOf(rise.name);
  const name = shorten(bareName(shortName(fn)), NAME);
  return [`${name}${line && `:${line}`} rose for a time`, `to ${amountText(rise.value, h)} on ${at}: select that time above`];
}

/** The lines of code in the chart, with their colours: those that grew, or if none did, the first ones. */
export function drawn(functions: readonly FunctionHistory[], chosen: string): Map<string, number | undefined> {
  const grew = functions.filter((f) => (f.growth?.sure ?? 0) > 0);
  const lines = new Map<string, number | undefined>();
  (grew.length > 0 ? grew : functions.slice(0, 3)).slice(0, TONES).forEach((f, i) => lines.set(f.name, i));
  if (functions.some((f) => f.name === chosen) && !lines.has(chosen)) lines.set(chosen, lines.size < TONES ? lines.size : undefined);
  return lines;
}

/** The path of a small chart, 100 wide and 20 high, from 0 up. */
export function sparkPath(values: readonly (number | null)[]): string {
  const most = values.reduce<number>((m, v) => Math.max(m, v ?? 0), 0);
  const x = (i: number) => (values.length > 1 ? (100 * i) / (values.length - 1) : 50).toFixed(1);
  const y = (v: number) => (19 - (most > 0 ? (18 * v) / most : 0)).toFixed(1);
  return runs(values.map((value, time) => ({ time, value })), 1).map((run) => {
    const path = run.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(p.time)} ${y(p.value!)}`).join('');
    return run.length === 1 ? `${path}l3 0` : path;
  }).join('');
}
