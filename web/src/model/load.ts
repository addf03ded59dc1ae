// What charts of a load draw: lines over the time of a load, and quantiles on
// a scale on which each power of ten of rarer requests is as wide. Pure.

import type { LoadPoint, LoadSide, LoadWindow } from '../api/runs';

/** A point of a line; without y it breaks. Infinity is above all others. */
export interface XY {
  x: number;
  /** null: there is none. */
  y: number | null;
}

/** Seconds of a number of nanoseconds. */
export const seconds = (ns: number): number => ns / 1e9;

/** A window this much shorter than a second is one of the end of a period: its rate says nothing alone. */
const STUB = 0.3e9;

/** Windows of a period each, in order. */
export function byPeriod(side: LoadSide): LoadWindow[][] {
  const periods = side.periods ?? [];
  const parts: LoadWindow[][] = periods.map(() => []);
  let p = 0;
  for (const w of side.windows ?? []) {
    while (p + 1 < periods.length && w.start >= periods[p + 1]!.start) p++;
    (parts[p] ??= []).push(w);
  }
  return parts.filter((part) => part.length > 0);
}

/** A window with what became of the requests that were due: no more of them than that were answered in time. */
export interface Step extends LoadWindow {
  /** Requests that were due in it; Infinity for users, who ask when they have an answer. */
  due: number;
}

/** Windows of a side, with those of some milliseconds put together with the one before. */
export function evened(side: Pick<LoadSide, 'asked'>, windows: readonly LoadWindow[]): Step[] {
  const all: Step[] = [];
  for (const w of windows) {
    const last = all.at(-1);
    const due = side.asked > 0 ? w.asked * seconds(w.end - w.start) : Infinity;
    if (last && w.end - w.start < STUB) {
      all[all.length - 1] = {
        ...last, end: w.end, succeeded: last.succeeded + w.succeeded, failed: last.failed + w.failed, due: last.due + due,
        overdue: (last.overdue ?? 0) + (w.overdue ?? 0), late: (last.late ?? 0) + (w.late ?? 0),
      };
    } else all.push({ ...w, due });
  }
  return all;
}

/** How many were answered in time: what a service catches up on was due before. */
const inTime = (w: Step) => Math.min(w.succeeded - (w.overdue ?? 0), w.due);

/** Requests per second that were answered in time: never more than were asked for. */
export function answered(w: Step): number {
  if (w.due === Infinity) return perSecond(w.succeeded, w);
  return w.due > 0 ? (w.asked * inTime(w)) / w.due : 0;
}

/** How many answers came late: for requests that were due before. One or two at the border of a window are none. */
export function answeredLate(w: Step): number {
  const n = w.due === Infinity ? 0 : Math.round(w.succeeded - inTime(w));
  return n > Math.max(2, w.due / 20) ? n : 0;
}

/** A time that is told apart, in seconds. */
export interface Span {
  from: number;
  to: number;
}

/** Windows that something is true of, neighbours as one. */
export function spans<W extends LoadWindow>(windows: readonly W[], is: (w: W) => boolean): Span[] {
  const all: Span[] = [];
  for (const w of windows.filter(is)) {
    const last = all.at(-1);
    if (last && last.to === seconds(w.start)) last.to = seconds(w.end);
    else all.push({ from: seconds(w.start), to: seconds(w.end) });
  }
  return all;
}

/** A line for each period, level within a window. */
export function levels<W extends LoadWindow>(parts: readonly (readonly W[])[], value: (w: W) => number | null): XY[][] {
  return parts.map((windows) => windows.flatMap((w) => {
    const y = value(w);
    return [{ x: seconds(w.start), y }, { x: seconds(w.end), y }];
  }));
}

/** A number of a window per second. */
export const perSecond = (n: number, w: LoadWindow): number => (w.end > w.start ? n / seconds(w.end - w.start) : 0);

/** Where a quantile stands: 0 the fastest, 1 that of 90 %, 2 of 99 %. The slowest of n requests is one in n. */
export function rarity(q: number, n: number): number {
  return Math.log10(Math.min(1 / (1 - q), Math.max(1, n)));
}

export function curveLine(curve: readonly LoadPoint[], n: number): XY[] {
  return curve.map((p) => ({ x: rarity(p.q, n), y: p.time }));
}

/** The quantiles that an axis up to so many requests names. */
export function quantileTicks(n: number): { at: number; text: string }[] {
  const all = [{ at: 0, text: '0 %' }, { at: rarity(0.5, n), text: '50 %' }];
  for (let k = 1; 10 ** k <= n; k++) all.push({ at: k, text: quantileText(1 - 10 ** -k) });
  return all;
}

/** 0.999: "99.9 %", without digits that say nothing. */
export function quantileText(q: number): string {
  return `${Number((100 * q).toPrecision(12))} %`;
}

/** The window at a time, or the last one before. */
export function windowAt<W extends LoadWindow>(windows: readonly W[], second: number): W | undefined {
  let found: W | undefined;
  for (const w of windows) {
    if (seconds(w.start) > second) break;
    found = w;
  }
  return found && seconds(found.end) >= second ? found : undefined;
}

/** The point of a curve that says how long a share of the requests took at most: the first one at it or above. */
export function pointAt(curve: readonly LoadPoint[], q: number): LoadPoint | undefined {
  return curve.find((p) => p.q >= q - 1e-12);
}
