// What History shows of an answer. Pure, but for the words' clock.

import type { FunctionHistory, History } from '../../api/continuous';
import { convert, coresAlike, formatSigned, rateOf, roundText } from '../../model/units';
import { timeText } from '../../state/selection';
import { shareText as decimalsText } from '../table/format';
import { costWords, overTimeText } from './words';

/** Lines that colours tell apart. */
export const TONES = 8;

/** A share in percent; all of a table have the same digits. */
export const shareText = (percent: number): string => decimalsText(percent, 1);

/** The shares of a function in the windows, in percent; null where there is no total. */
export function sharesOf(h: History, f: FunctionHistory, cum: boolean): (number | null)[] {
  return percents(cum ? f.cum : f.flat, h.total);
}

/** The shares of a function in the versions, in percent; null where it is not, or nothing is. */
export function versionShares(h: History, f: FunctionHistory, cum: boolean): (number | null)[] {
  const shares = percents(cum ? f.versions.cum : f.versions.flat, h.versions.map((v) => v.total));
  return shares.map((share, i) => (f.versions.cum[i] === 0 && f.versions.flat[i] === 0 ? null : share));
}

const percents = (values: readonly number[], totals: readonly number[]) =>
  values.map((v, i) => (totals[i]! > 0 ? (100 * v) / totals[i]! : null));

/** The share of all windows together, in percent: as costs, it counts a window by what it has. */
export function meanShare(h: History, f: FunctionHistory, cum: boolean): number {
  const total = sum(h.total);
  return total > 0 ? (100 * sum(cum ? f.cum : f.flat)) / total : 0;
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The window in which a function has the highest share. */
export function highestShare(h: History, f: FunctionHistory, cum: boolean): { share: number; time: number } {
  const shares = sharesOf(h, f, cum);
  const at = shares.reduce<number>((most, share, i) => ((share ?? 0) > (shares[most] ?? 0) ? i : most), 0);
  return { share: shares[at] ?? 0, time: h.time[at] ?? h.from };
}

/** The highest cost of a function in a second, in its versions and in all windows together. */
export function highestRate(h: History, f: FunctionHistory, cum: boolean): number {
  const rate = (value: number, duration: number) => (duration > 0 ? Math.abs(value) / (duration / 1e9) : 0);
  const versions = h.versions.map((v, i) => rate((cum ? f.versions.cum : f.versions.flat)[i]!, v.duration));
  return Math.max(rate(sum(cum ? f.cum : f.flat), sum(h.duration)), ...versions);
}

/** Whether values are of a moment, as memory in use, instead of what a second took. */
const ofMoment = (h: Pick<History, 'type'>): boolean => /^(inuse_|goroutine)/.test(h.type);

/** Whether costs are per request: they were asked for, and requests were counted in all versions. */
export const isPerRequest = (h: Pick<History, 'requests' | 'versions'>): boolean =>
  (h.requests?.some((n) => n > 0) ?? false) && h.versions.every((v) => v.requests);

/** What a cost is of. */
interface Whole {
  profiles: number;
  duration: number;
  /** Of costs per request. */
  requests?: number | undefined;
}

/** The cost of a request, or in an average instance, per second or at a moment; null if unknown. */
function costOf(h: Costed, value: number, { profiles, duration, requests = 0 }: Whole): number | null {
  if (isPerRequest(h)) return requests > 0 ? value / requests : null;
  if (ofMoment(h)) return profiles > 0 ? value / profiles : null;
  return duration > 0 ? value / (duration / 1e9) : null;
}

type Costed = Pick<History, 'type' | 'unit' | 'requests' | 'versions'>;

/** A cost as text. */
export const rateText = (h: Costed, cost: number): string =>
  overTimeText(cost, h, isPerRequest(h) ? 'request' : ofMoment(h) ? 'profile' : 'second');

/** The cost of a function as text, '' if unknown. Cores of a table have the same decimals, by its highest rate. */
export function costText(h: Costed, value: number, of: Whole, highest?: number): string {
  const cost = costOf(h, value, of);
  if (cost === null) return '';
  if (highest && !isPerRequest(h) && !ofMoment(h) && rateOf({ ...h, perSecond: true }) === 'cores') {
    const cores = (v: number) => convert(v, h.unit, 's').value;
    return coresAlike(cores(cost), cores(highest));
  }
  return rateText(h, cost);
}

/** The mean cost of a function in all windows; those without requests are left out of costs per request. */
export function meanCostText(h: History, f: FunctionHistory, cum: boolean, highest: number): string {
  const known = isPerRequest(h) ? (_: number, i: number) => h.requests![i]! > 0 : () => true;
  const all = (values: readonly number[]) => sum(values.filter(known));
  const of = { profiles: all(h.profiles), duration: all(h.duration), requests: all(h.requests ?? []) };
  return costText(h, all(cum ? f.cum : f.flat), of, highest);
}

/** The costs of a function in the windows; null where unknown. */
export const costsOf = (h: History, f: FunctionHistory, cum: boolean): (number | null)[] =>
  (cum ? f.cum : f.flat).map((v, i) => costOf(h, v, { profiles: h.profiles[i]!, duration: h.duration[i]!, requests: h.requests?.[i] }));

export const versionName = (version: string): string => version || 'no version';

/** When a function was seen first, and in which version. */
export function firstText(f: FunctionHistory): string {
  if (!f.first) return 'never';
  const when = f.first.start ? 'from the start' : timeText(f.first.time, false);
  return f.first.version ? `${f.first.version} · ${when}` : when;
}

/** A change in words: how much, how sure that is, and since when. */
export function changeWords(f: FunctionHistory): string {
  const c = f.change;
  if (!c) return 'Nothing to compare';
  const points = (n: number) => `${formatSigned(n, (size) => roundText(size, 1))} points`;
  const since = c.version
    ? `with ${c.version}, from ${timeText(c.time, false)} on`
    : `in the last third of the time, from ${timeText(c.time, false)} on`;
  const sure = c.sure === 0 ? 'within sampling error' : c.sure === c.after - c.before ? '' : `${points(c.sure)} beyond sampling error`;
  return [`${points(c.after - c.before)} ${since}`, sure, costWords(c)].filter(Boolean).join('; ');
}

/** Which functions have a line: the first ones that aren't left out, and the one that is looked at; with their colours. */
export function linesOf(names: readonly string[], off: ReadonlySet<string>, chosen: string): Map<string, number | undefined> {
  const lines = new Map<string, number | undefined>();
  names.forEach((name, i) => {
    if (off.has(name)) return;
    if (i < TONES) lines.set(name, i);
    else if (name === chosen) lines.set(name, undefined);
  });
  return lines;
}
