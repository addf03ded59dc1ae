// The start page's texts and charts of usage and changes. Pure.

import { bareName, methodName, shortName } from '../../model/names';
import { formatCount, formatRate, formatShare, formatValue } from '../../model/units';
import type { FunctionChange, ServiceComparison, TotalChange, Usage } from '../../api/continuous';
import { clockText, lengthText, parseSelection, type Span } from '../../state/selection';
import { changeText } from '../table/format';

export type Measure = 'cpu' | 'memory' | 'goroutines';

export function usageText(value: number, of: Measure): string {
  switch (of) {
    case 'cpu': return formatRate(value * 1e9, 'nanoseconds', 'minimum', 'cores');
    case 'memory': return formatValue(Math.round(value), 'bytes');
    case 'goroutines': return formatCount(value < 1 ? Number(value.toPrecision(1)) : Math.round(value));
  }
}

/** What each of several instances used of what all used, on average: start has sums, and a selection shows an instance. */
export const eachText = (now: number | null, instances: number, of: Measure): string =>
  (now === null || instances < 2 ? '' : `${usageText(now / instances, of)} each`);

/** What an average instance used at a time of the line. */
export const momentText = ({ from }: Span, value: number | null, of: Measure): string =>
  `${clockText(from)} ${value === null ? 'none' : usageText(value, of)}`;

/** What an average instance used, and the top of its line, for a tooltip. */
export const meanText = ({ mean, values }: Usage, of: Measure): string =>
  `One instance: ${usageText(mean, of)} on average, at most ${usageText(Math.max(mean, ...values.map((v) => v ?? 0)), of)}`;

/** The outline of values in a box of 100 by 20, from 0 to the largest; what is missing is left out. */
export function outline(values: readonly (number | null)[]): string {
  const top = values.reduce<number>((most, v) => Math.max(most, v ?? 0), 0) || 1;
  const tenth = (v: number) => Math.round(10 * v) / 10;
  const width = Math.max(1, values.length - 1);
  let path = '';
  values.forEach((v, i) => {
    if (v === null) return;
    const x = tenth((100 * i) / width);
    const y = tenth(20 - (19 * v) / top);
    const before = values[i - 1] ?? null;
    const after = values[i + 1] ?? null;
    path += `${before === null ? 'M' : 'L'}${x} ${y}`;
    if (before === null && after === null) path += 'l3 0'; // a point alone
  });
  return path;
}

/** Where a time is in the windows, in percent; null if it is before or after them. */
export function placeOf(time: number, { from, to }: { from: number; to: number }): number | null {
  return time > from && time < to ? (100 * (time - from)) / (to - from) : null;
}

/** A function's name with its package, and what of it the cost is in, where that is code of others: "via json.Unmarshal". */
export function callerAndVia(name: string): [caller: string, via: string] {
  const at = name.indexOf(' via ');
  if (at <= 0 || name.startsWith('runtime: ')) return [nameForms(name)[0], ''];
  return [shortName(name.slice(0, at)), `via ${shortName(name.slice(at + 5))}`];
}

/** A function's name, ever shorter: with its package, with its receiver, alone. */
export function nameForms(name: string): [long: string, bare: string, method: string] {
  const via = name.indexOf(' via ');
  // Time of the runtime that is nobody's: what of it, before whose it is.
  if (name.startsWith('runtime: ')) return [name, name, name.slice('runtime: '.length)];
  const [caller, rest] = via > 0 ? [name.slice(0, via), ` via ${shortName(name.slice(via + 5))}`] : [name, ''];
  const long = shortName(caller);
  const bare = bareName(long);
  return [long + rest, bare + rest, methodName(bare) + rest];
}

/** The change of a function's cost per request, or of its share. */
export function functionText({ before, after }: FunctionChange, { per_request: perRequest }: Compared): string {
  if (!perRequest) return `${formatShare(before)} → ${formatShare(after)}`;
  if (before === 0) return 'new';
  return after === 0 ? 'gone' : changeText((after - before) / before);
}

/** What the figure is, from what to what. */
export function functionTitle(c: FunctionChange, { per_request: perRequest, unit = '' }: Compared): string {
  if (!perRequest) return 'Share of the profile';
  return requestTitle(c, unit);
}

const requestTitle = (c: { before: number; after: number }, unit: string): string =>
  `Per request: ${formatValue(c.before, unit)} → ${formatValue(c.after, unit)}`;

type Compared = Pick<ServiceComparison, 'per_request' | 'unit'>;

const MEASURES: Record<string, { of: Measure; title: string }> = {
  cpu: { of: 'cpu', title: 'CPU' }, heap: { of: 'memory', title: 'Memory' }, goroutine: { of: 'goroutines', title: 'Goroutines' },
};

/** A change of what an instance uses: "CPU", "+50.0%", "0.48 cores → 0.72 cores per instance"; or of what a request costs. */
export function totalText(c: TotalChange, unit = ''): { title: string; change: string; about: string } {
  const { of, title } = MEASURES[c.kind] ?? { of: 'goroutines' as const, title: c.kind };
  const change = c.before > 0 ? changeText((c.after - c.before) / c.before) : 'new';
  if (c.per_request) return { title: `All ${title}`, change, about: requestTitle(c, unit) };
  return { title, change, about: `${usageText(c.before, of)} → ${usageText(c.after, of)} per instance` };
}

/** What a comparison is of: "per request, over 20 h". */
export function overText({ per_request: perRequest, profile }: Pick<ServiceComparison, 'per_request' | 'profile'>): string {
  const { from, to } = parseSelection(profile, 0);
  return `${perRequest ? 'per request' : 'share of all'}, over ${lengthText(to - from)}`;
}
