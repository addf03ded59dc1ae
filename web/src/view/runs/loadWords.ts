// The figures of a load as text.

import { figureText } from '../../api/figures';
import type { LoadSide } from '../../api/runs';
import { seconds } from '../../model/load';
import { valueText } from '../../model/quantity';
import { count } from '../table/format';

/** One of the loads that are shown: two are before and after. */
export interface ShownLoad {
  /** Of one of two, '' for one alone. */
  name: string;
  side: LoadSide;
}

export const timeText = (ns: number | null | undefined) => valueText(ns == null ? null : seconds(ns), 'sec');
export const rateText = (perSec: number | null) => (perSec === null ? '–' : `${figureText(String(Number(perSec.toPrecision(4))))}/s`);
export const asked = (l: ShownLoad) => l.side.succeeded + l.side.failed;

/** What a cost is called, and the unit that its value is told in. */
export const costs: Record<string, { name: string; unit: string; factor: number }> = {
  'cpu-ns/op': { name: 'CPU time', unit: 'sec', factor: 1e-9 },
  'mutex-ns/op': { name: 'mutex waits', unit: 'sec', factor: 1e-9 },
  'block-ns/op': { name: 'blocking', unit: 'sec', factor: 1e-9 },
  'B/op': { name: 'allocated', unit: 'B/op', factor: 1 },
  'allocs/op': { name: 'allocations', unit: 'allocs/op', factor: 1 },
  'gcs/op': { name: 'garbage collections', unit: 'gcs/op', factor: 1 },
};

export function costText(unit: string, value: number | undefined): string {
  const of = costs[unit];
  // Few requests have one: "1.671 m" of it says less.
  if (unit === 'gcs/op' && value !== undefined && value > 0 && value < 0.5) return `1 in ${count(Math.round(1 / value))}`;
  return value === undefined ? '–' : valueText(value * (of?.factor ?? 1), of?.unit ?? unit);
}

const UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

/** The goals for the two quantiles that are drawn over time, in nanoseconds as these are: "p99<=50ms". */
export function goalLines(loads: readonly ShownLoad[]): { value: number; text: string }[] {
  const texts = new Set(loads.flatMap((l) => (l.side.goals ?? []).map((g) => g.text)));
  return [...texts].flatMap((text) => {
    const [, number, unit] = /^p(?:50|99)\s*<=?\s*([\d.]+)([nuµm]?s)$/.exec(text) ?? [];
    return number === undefined ? [] : [{ value: Number(number) * UNITS[unit!]!, text }];
  });
}

/** Whether the last of some loads missed a goal for what a tile shows. */
export function missed(loads: readonly ShownLoad[], tile: string): boolean {
  const of = { Throughput: 'rate', p50: 'p50', p99: 'p99', Slowest: 'max', Failed: 'failed' }[tile];
  return of !== undefined && (loads.at(-1)?.side.goals ?? []).some((g) => !g.met && new RegExp(`^${of}\\s*[<>]`).test(g.text));
}
