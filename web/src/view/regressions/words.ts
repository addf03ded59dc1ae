// Regressions in words. Pure.

import type { Regression, RegressionCause } from '../../api/regressions';
import { shortName } from '../../model/names';
import { convert, formatSigned, formatValue } from '../../model/units';
import { isInstant, timeText } from '../../state/selection';
import { overTimeText } from '../continuous/words';
import type { Weight } from './order';

interface KindWords {
  title: string;
  /** What the function does with a cost, and the words behind how much more: costs 18% more CPU. */
  does: string;
  more: string;
  /** The words behind "12 times as". */
  times: string;
  /** What it does if it is new, before the cost. */
  fresh: string;
  /** What its costs are parts of. */
  whole: string;
}

const KINDS: Readonly<Record<string, KindWords>> = {
  cpu: { title: 'CPU', does: 'costs', more: 'more CPU', times: 'much CPU', fresh: 'costs', whole: 'CPU' },
  allocs: { title: 'Allocations', does: 'allocates', more: 'more memory', times: 'much memory', fresh: 'allocates', whole: 'allocations' },
  heap: { title: 'Memory', does: 'holds', more: 'more memory', times: 'much memory', fresh: 'holds', whole: 'memory' },
  mutex: {
    title: 'Locks', does: 'keeps others waiting for locks', more: 'longer', times: 'long', fresh: 'keeps others waiting for locks',
    whole: 'waiting for locks',
  },
  block: { title: 'Blocking', does: 'waits', more: 'longer', times: 'long', fresh: 'waits', whole: 'waiting' },
  goroutine: { title: 'Goroutines', does: 'is in', more: 'more goroutines', times: 'many goroutines', fresh: 'is in', whole: 'goroutines' },
};

const wordsOf = (kind: string): KindWords =>
  KINDS[kind] ?? { title: kind, does: 'costs', more: `more ${kind}`, times: `much ${kind}`, fresh: 'costs', whole: kind };

/** What a kind is called. */
export const kindTitle = (kind: string): string => wordsOf(kind).title;

/** Part of a sentence; names of functions are code. */
export interface Words {
  text: string;
  /** The whole name of the function that the text is short for. */
  fn?: string;
}

/** A relative change as text, without its sign: "18%". */
function percentText(growth: number): string {
  const percent = Math.abs(100 * growth);
  return `${percent >= 9.95 ? Math.round(percent) : Number(percent.toPrecision(2))}%`;
}

/** A change of a cost: "+125%"; "new" without a cost before. */
export function growthText(growth: number): string {
  if (growth === 0) return 'new';
  return formatSigned(growth, percentText);
}

/** Its 95 % interval: "+105% to +147%". */
export const intervalText = (r: Regression): string => (r.growth === 0 ? '' : `${growthText(r.low)} to ${growthText(r.high)}`);

const perOf = (r: Regression) => (isInstant(r.kind) ? 'profile' as const : 'second' as const);

const PER_REQUEST = '/request';

/** A cost with its unit: "0.24 cores", "112.4MB", "3.2ms/request". */
export function costText(value: number, r: Regression, unit = 'minimum'): string {
  if (r.per_request) return `${formatValue(value, r.unit === 'count' ? '' : r.unit, unit)}${PER_REQUEST}`;
  return overTimeText(value, r, perOf(r));
}

/** A cost before and after; the unit once, if it is the same: "0.11 → 0.24 cores". Costs per request have that of the cost after. */
export function changeText(r: Regression): string {
  const shared = convert(r.after, r.unit, 'minimum').unit;
  const [before, after] = [r.before, r.after].map((v) => costText(v, r, shared).replace(PER_REQUEST, '')) as [string, string];
  const unit = /[^\d.]+$/.exec(after)?.[0] ?? '';
  return `${unit !== '' && before.endsWith(unit) ? before.slice(0, -unit.length) : before} → ${after}`;
}

/** What was measured before, where the cost without the change isn't that: a comparison shows it. */
export function measuredText(r: Regression): string {
  if (!r.per_request || !r.measured || r.growth === 0) return '';
  const [measured, expected] = [r.measured, r.before].map((v) => costText(v, r).replace(PER_REQUEST, ''));
  return measured === expected ? '' : `${measured} was measured before. Without the change, it would be ${expected}.`;
}

/** Why the two differ. */
export const MEASURED =
  'Corrected by what the same hours did on earlier days, and by what all functions did. The comparison shows what was measured.';

/** What a cost is of, where its unit doesn't say so. */
export const costTitle = (r: Regression): string =>
  (r.per_request ? 'per request' : r.kind === 'goroutine' ? 'goroutines per instance' : 'per instance');

/** What all instances cost more, together; '' where costs are per request. */
export function extraText(r: Regression): string {
  return r.per_request ? '' : `+${costText((r.after - r.before) * Math.max(1, r.instances), r)}`;
}

/** A fraction of the service's cost: "4.2%". */
export const shareText = (share: number): string => percentText(share);

/** What a share of the service is of: "of shop’s CPU". */
export const serviceWhole = (r: Regression): string => `of ${r.service}’s ${wordsOf(r.kind).whole}`;

/** The extra cost of all instances, and what the weight is a share of: "+578.54MB of their memory". Waiting isn’t part of the CPU time. */
export const allWhole = (r: Regression, { of }: Weight): string =>
  `${extraText(r)} ${of === 'cpu' && r.kind !== of ? 'beside' : 'of'} their ${wordsOf(of).whole}`.trim();

/** What orders regressions, as text: "+3.2%". */
export const weightText = (share: number): string => formatSigned(share, percentText);

/** "4 of 4 instances", "its instance". */
export function instancesText({ affected, instances }: Regression): string {
  return instances === 1 && affected === 1 ? 'its instance' : `${affected} of ${instances} instances`;
}

const NAMED = 2; // new functions in the sentence

/** The regression in a sentence: since when, what, how much, why. */
export function sentence(r: Regression): Words[] {
  const k = wordsOf(r.kind);
  const when = r.version ? `${r.version} (${timeText(r.since, false)}, ` : `${timeText(r.since, false)} (`;
  const drift = r.version ? '' : ', compared with a week before,';
  const fn: Words = { text: shortName(r.function), fn: r.function };
  const per = r.per_request ? ' per request' : '';
  const isNew = r.growth === 0;
  const whole = r.callees ? (r.new.length > 0 ? '' : ', with what it calls,') : ' itself';
  const amount = isNew
    ? `${k.fresh} ${costText(r.after, r)}${r.per_request ? '' : ' per instance'}; before, it cost nothing`
    : r.growth >= 9.5
      ? `${k.does} ${Math.round(1 + r.growth)} times as ${k.times}${per}`
      : `${k.does} ${percentText(r.growth)} ${k.more}${per}`;
  return [
    { text: `Since ${when}${instancesText(r)})${drift} ` }, fn, { text: `${isNew ? '' : whole} ${amount}` },
    ...(isNew ? [] : because(r.new)), { text: '.' },
  ];
}

/** Why: the functions that are new below it. */
function because(fresh: readonly string[]): Words[] {
  if (fresh.length === 0) return [];
  const named = fresh.slice(0, NAMED);
  const left = fresh.length - named.length;
  const out: Words[] = [{ text: ', because ' }];
  named.forEach((name, i) => {
    if (i > 0) out.push({ text: left > 0 ? ', ' : ' and ' });
    out.push({ text: shortName(name), fn: name });
  });
  return [...out, { text: `${left > 0 ? ` and ${left} more` : ''} ${fresh.length === 1 ? 'is' : 'are'} new below it` }];
}

/** The sentence as text. */
export const sentenceText = (r: Regression): string => sentence(r).map((w) => w.text).join('');

/** A cause with how much it grew: "+124%, 11% of the service". */
export const causeText = (c: RegressionCause): string => `${growthText(c.growth)}, ${shareText(c.share)} of the service`;

/** Who knows about it, since when and why; without a login, users have no names. */
export function acknowledgedText(r: Regression): string {
  const by = r.by === '' ? '' : ` by ${r.by}`;
  const when = r.acknowledged > 0 ? `, ${timeText(r.acknowledged, false)}` : '';
  return `Acknowledged${by}${when}${r.reason === '' ? '' : `: ${r.reason}`}`;
}
