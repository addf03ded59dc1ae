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

/** Windows with those of some milliseconds put together with the one before. */
export function evened(windows: readonly LoadWindow[]): LoadWindow[] {
  const all: LoadWindow[] = [];
  for (const w of windows) {
    const last = all.at(-1);
    if (last && w.end - w.start < STUB) {
      all[all.length - 1] = {
        ...last, end: w.end, succeeded: last.succeeded + w.succeeded, failed: last.failed + w.failed,
        late: (last.late ?? 0) + (w.late ?? 0),
      };
    } else all.push(w);
  }
  return all;
}

/** A line for each period, level within a window. */
export function levels(parts: readonly (readonly LoadWindow[])[], value: (w: LoadWindow) => number | null): XY[][] {
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
export function windowAt(windows: readonly LoadWindow[], second: number): LoadWindow | undefined {
  let found: LoadWindow | undefined;
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
