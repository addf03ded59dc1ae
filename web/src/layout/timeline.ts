// Where the lines of a timeline run, and what a drag on it selects. Pure.

import { place, valueAt, type Scale } from './axis';

export interface Point {
  /** Start of a window, ms since 1970. */
  time: number;
  value: number | null;
}

/**
 * Runs of points that belong together: where nothing is known for a while, the line ends. What a while is depends on how
 * often there is something: windows may be narrower than profiles, or counts of requests, are apart.
 */
export function runs(all: readonly Point[], step: number): Point[][] {
  const points = all.filter((p) => p.value !== null);
  const gaps = points.slice(1).map((p, i) => p.time - points[i]!.time);
  const usual = quantile(gaps, 0.9);
  const found: Point[][] = [];
  points.forEach((p, i) => {
    const gap = i - 1; // before this point
    // A part of the time may have fewer points than the rest.
    const near = [gaps.slice(Math.max(0, gap - NEAR), Math.max(0, gap)), gaps.slice(i, i + NEAR)];
    const here = Math.max(usual, ...near.map((some) => quantile(some, 0.5)));
    if (i === 0 || gaps[gap]! > Math.max(1.5 * step, 2.5 * here)) found.push([]);
    found.at(-1)!.push(p);
  });
  return found;
}

/** How many gaps on either side say what is usual there. */
const NEAR = 4;

const quantile = (of: readonly number[], at: number): number =>
  of.toSorted((a, b) => a - b)[Math.floor(Math.max(0, of.length - 1) * at)] ?? 0;

/**
 * Splits a run of sums where a window is only partly within the time that is shown, as the last one is that goes on: its sum
 * says how much of it has passed, and would read as a drop. Rates and averages have whole runs.
 */
export function split(
  run: readonly Point[], step: number, span: { from: number; to: number }, sums: boolean,
): { whole: readonly Point[]; partial: readonly (readonly Point[])[] } {
  if (!sums) return { whole: run, partial: [] };
  const isWhole = (p: Point | undefined) => p !== undefined && p.time >= span.from && p.time + step <= span.to;
  const first = isWhole(run[0]) ? 0 : 1;
  const end = isWhole(run.at(-1)) ? run.length : run.length - 1;
  if (first >= end) return { whole: [], partial: run.length > 0 ? [run] : [] };
  const partial = [...(first > 0 ? [run.slice(0, 2)] : []), ...(end < run.length ? [run.slice(-2)] : [])];
  return { whole: run.slice(first, end), partial };
}

const text = (n: number) => String(Math.round(n * 10) / 10);

/** The path of a run; a value stands in the middle of its window. */
export function linePath(run: readonly Point[], step: number, x: Scale, y: Scale): string {
  return run.map((p, i) => `${i === 0 ? 'M' : 'L'}${text(place(x, p.time + step / 2))} ${text(place(y, p.value!))}`).join('');
}

/** The area below a run. */
export function areaPath(run: readonly Point[], step: number, x: Scale, y: Scale): string {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last) return '';
  const foot = text(y.from);
  return `${linePath(run, step, x, y)}L${text(place(x, last.time + step / 2))} ${foot}L${text(place(x, first.time + step / 2))} ${foot}Z`;
}

/** The whole windows between two places of a drag, within what is shown; null for what is a click. */
export function dragged(a: number, b: number, x: Scale, step: number): { from: number; to: number } | null {
  if (Math.abs(a - b) < 4) return null;
  const within = (t: number) => Math.min(x.max, Math.max(x.min, t));
  const from = within(Math.floor(valueAt(x, Math.min(a, b)) / step) * step);
  const to = within(Math.ceil(valueAt(x, Math.max(a, b)) / step) * step);
  return from < to ? { from, to } : null;
}

/** Moves one end of a range by steps, not past the other one nor out of what is shown. */
export function nudged(
  range: { from: number; to: number }, end: 'from' | 'to', by: number, step: number, x: { min: number; max: number },
): { from: number; to: number } {
  const aligned = (by < 0 ? Math.ceil : Math.floor)(range[end] / step) * step + by * step;
  if (end === 'from') return { ...range, from: Math.max(x.min, Math.min(aligned, range.to - step)) };
  return { ...range, to: Math.min(x.max, Math.max(aligned, range.from + step)) };
}

/** The point whose window has a time, or the one nearest to it within a few windows. */
export function pointAt(points: readonly Point[], time: number, step: number): Point | undefined {
  let best: Point | undefined;
  for (const p of points) {
    if (p.value === null) continue;
    const off = Math.abs(p.time + step / 2 - time);
    if (off <= 2.5 * step && (!best || off < Math.abs(best.time + step / 2 - time))) best = p;
  }
  return best;
}

/** Texts beside places that leave each other room: those that fit, in their order. */
export function fitting<T>(items: readonly T[], at: (item: T) => number, width: (item: T) => number): Set<T> {
  const shown = new Set<T>();
  let end = -Infinity;
  for (const item of items) {
    if (at(item) < end) continue;
    shown.add(item);
    end = at(item) + width(item);
  }
  return shown;
}
