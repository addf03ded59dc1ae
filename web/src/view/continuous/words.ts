// What the pages of the store say in the same words. Pure.

import { ticks } from '../../layout/axis';
import { formatCount, formatRate, rateOf } from '../../model/units';
import type { OverTime } from '../../api/continuous';
import type { Per } from '../../state/selection';

export const PER_TITLES: Record<Per, string> = { sum: 'Sum', profile: 'Per profile', second: 'Per second', request: 'Per request' };

/** A value over time as text: "0.51 cores", "12.30MB/s", "14". */
export function overTimeText(value: number | null, of: { type: string; unit: string }, per: Per): string {
  if (value === null) return '–';
  const rate = rateOf({ ...of, perSecond: per === 'second' });
  if (of.unit !== 'count' && of.unit !== '') {
    return formatRate(Math.abs(value) >= 10 || Number.isInteger(value) ? Math.round(value) : value, of.unit, 'minimum', rate);
  }
  const text = formatCount(Math.abs(value) < 1000 ? Number(value.toPrecision(3)) : Math.round(value));
  return rate === 'second' ? `${text}/s` : text;
}

export const isBytes = (unit: string): boolean => /^(bytes?|[kmgt]?b)$/i.test(unit);

/** Ticks that are round in the unit they are printed in. */
export function valueTicks(max: number, unit: string, wanted: number): number[] {
  return ticks(0, max, wanted, isBytes(unit)).filter((v) => v > 0);
}

/** The name of a group of a timeline. */
export function groupName(labels: Record<string, string>, by: string): string {
  return labels[by] ?? (by ? 'none' : '');
}

/** The value of a group over the whole time that was asked for; null if it has none, or isn't known yet. */
export function totalOf(over: OverTime | undefined, by: string, name: string): number | null {
  const found = over?.series.find((s) => groupName(s.labels, by) === name);
  return found && found.type !== '' ? found.total.value : null;
}

/**
 * What a change of a share says of the cost: 1 for more, -1 for less, 0 if the cost didn't change that way for sure. A share
 * falls, too, if others cost more.
 */
export const costWay = ({ sure, cost }: { sure: number; cost: number }): number => (Math.sign(sure) === cost ? cost : 0);

/** The cost of a share that changed, in a word or two, where it didn't surely change the same way. */
export function asideText(change: { sure: number; cost: number }): string {
  if (change.sure === 0 || costWay(change) !== 0) return '';
  return change.cost === 0 ? 'share only' : `but costs ${change.cost > 0 ? 'more' : 'less'}`;
}

/** What the cost did, in words; a share that didn't change for sure has none. */
export function costWords({ sure, cost }: { sure: number; cost: number }): string {
  if (sure === 0) return '';
  const more = (rises: boolean) => (rises ? 'more' : 'less');
  if (cost === 0) return `it costs no ${more(sure > 0)} for sure`;
  return `${cost === Math.sign(sure) ? 'it' : 'but it'} costs ${more(cost > 0)}`;
}

/** Whether values are means of instances and nothing beside them says so: each profile has the seconds of one instance. */
export const isPerInstance = (per: Per, by: string): boolean => per === 'second' && by !== 'instance';
