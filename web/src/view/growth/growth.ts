// What Growth shows of an answer. Pure.

import type { FunctionHistory, History } from '../../api/continuous';
import { overTimeText } from '../continuous/words';

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

/** A value per profile as text. */
export const amountText = (value: number, of: { type: string; unit: string }): string => overTimeText(value, of, 'profile');

/** The value per profile in each window; null without profiles. */
export function valuesOf(h: History, f: FunctionHistory, cum: boolean): (number | null)[] {
  return (cum ? f.cum : f.flat).map((v, i) => (h.profiles[i]! > 0 ? v / h.profiles[i]! : null));
}

/** "+12.3MB/h". */
export function slopeText(f: FunctionHistory, of: { type: string; unit: string }): string {
  const slope = f.growth?.slope ?? 0;
  const text = amountText(Math.abs(slope), of);
  return text === '0' ? '0' : `${slope < 0 ? '−' : '+'}${text}/h`;
}

/** Growth in words: how sure it is. */
export function growthWords(f: FunctionHistory, of: { type: string; unit: string }): string {
  const g = f.growth;
  if (!g) return 'Too few windows to tell';
  const change = `from ${amountText(g.before, of)} in the first third of the time to ${amountText(g.after, of)} in the last`;
  if (g.sure === 0) return `${change}: within the usual variation`;
  return `${change}: a ${g.sure > 0 ? 'rise' : 'fall'} of ${amountText(Math.abs(g.sure), of)} beyond the usual variation`;
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
  let path = '';
  let joined = false;
  values.forEach((v, i) => {
    if (v === null) {
      joined = false;
      return;
    }
    const x = values.length > 1 ? (100 * i) / (values.length - 1) : 50;
    path += `${joined ? 'L' : 'M'}${x.toFixed(1)} ${(19 - (most > 0 ? (18 * v) / most : 0)).toFixed(1)}`;
    joined = true;
  });
  return path;
}
