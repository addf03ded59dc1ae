// What a comparison found, in sentences: how much, which instance if it is one, which functions, how sure.

import type { Diff, DiffRow, DiffValue } from '../api/types';
import { shortName } from '../model/names';
import { visible } from '../model/visible';
import type { Comparable } from '../state/comparable';
import { changeText, count, intervalText, plural } from './table/format';
import { COSTS, sideNames } from './vocabulary';

/** A part of a sentence: text, or a function by its name in profiles, with how it is called here. */
export type Part = string | { fn: string; name: string };

const NOUNS: Record<string, string> = {
  cpu: 'CPU time', wall: 'Wall-clock time', samples: 'The number of samples', delay: 'Waiting time', contentions: 'The number of waits',
  alloc_space: 'Allocated memory', alloc_objects: 'The number of allocations', inuse_space: 'Memory in use',
  inuse_objects: 'The number of objects in use', goroutine: 'The number of goroutines', goroutines: 'The number of goroutines',
};

/** What a sample type measures, in words. */
export const nounOf = (type: string): string => NOUNS[type] ?? `The total of ${type}`;

/** That a side has no samples, so that nothing compares; '' if both have some. */
export function emptySide({ baseTotal, headTotal }: Pick<Diff, 'baseTotal' | 'headTotal'>): string {
  if (baseTotal !== 0 && headTotal !== 0) return '';
  const sides = baseTotal !== 0 ? `“${sideNames.head}” has no` : headTotal !== 0 ? `“${sideNames.base}” has no` : 'Neither side has';
  return `${sides} samples: there is nothing to compare.`;
}

/** The sentences on a comparison; the summary's change has the rows to name. */
export function sentencesOf(diff: Diff, of: Comparable): readonly (readonly Part[])[] {
  // Unless shares are compared, what is gone or new as a whole is a change.
  const empty = ofShares(diff, of) || diff.baseTotal === diff.headTotal ? emptySide(diff) : '';
  if (empty) return [[empty]];
  const least = !ofShares(diff, of) && isUnclear(diff) ? ` ${leastSeen(diff)}` : '';
  return [[howMuch(diff, of)], ...whose(diff), which(diff), [howSure(diff) + least]];
}

/** The sentences as text for other programs. */
export const plainOf = (sentence: readonly Part[]): string => visible(sentence.map((p) => (typeof p === 'string' ? p : p.name)).join(''));

const ofShares = (diff: Diff, { lead }: Pick<Comparable, 'lead'>): boolean =>
  diff.normalized && lead !== 'Per operation' && lead !== 'At the same load';

function howMuch(diff: Diff, { lead, means }: Comparable): string {
  const { compared, headTotal, total } = diff;
  if (ofShares(diff, { lead })) {
    return `Shares are compared: the total before, ${diff.baseTotalText}, is scaled to that after, ${diff.headTotalText}.`;
  }
  const of = `${nounOf(diff.type)}${means && diff.instances ? ' per instance' : ''}`;
  const noun = lead === '' ? of : `${lead}, ${lower(of)}`;
  const between = `from ${diff.comparedText} to ${diff.headTotalText}`;
  if (compared === headTotal) return `${noun} didn’t change: ${diff.headTotalText}.`;
  if (isUnclear(diff)) {
    const it = lead === '' ? 'It' : `${lead}, it`;
    return `${it} isn’t clear whether ${lower(of)} changed: ${between}${changeOf(diff)}.`;
  }
  if (total?.noise) return `${noun} didn’t change by more than chance explains: ${between}${changeOf(diff)}.`;
  const verb = headTotal > compared ? 'rose' : 'fell';
  if (compared === 0) return `${noun} ${verb} ${between}.`;
  const size = changeText(Math.abs((headTotal - compared) / compared)).replace('+', '');
  return `${noun} ${verb} by ${size}${marginOf(diff)}, ${between}.`;
}

const lower = (text: string): string => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);

/** In percent: what is known better than this to be no change is none. */
const SMALL = 5;

/** Whether a change that isn’t sure isn’t ruled out either. */
export function isUnclear({ total }: Pick<Diff, 'total'>): boolean {
  return total?.noise === true && total.margin !== undefined && Math.max(-total.margin.low, total.margin.high) > SMALL;
}

function leastSeen({ total }: Diff): string {
  const { low, high } = total!.margin!;
  return `Only a change of the total by more than about ${Math.ceil((high - low) / 2)}% would show.`;
}

/** A change that has no direction for sure, with its interval. */
function changeOf(diff: Diff): string {
  if (diff.compared === 0) return '';
  const change = changeText((diff.headTotal - diff.compared) / diff.compared);
  const { margin } = diff.total!;
  if (!margin) return ` (${change})`;
  const [low, high] = intervalText(margin).split(' to ') as [string, string];
  return ` (${change}, between ${margin.low > 0 ? '+' : ''}${low} and ${margin.high > 0 ? '+' : ''}${high})`;
}

/** The interval of a change that has a direction, in percent without signs. */
function marginOf({ total }: Diff): string {
  if (!total?.margin) return '';
  const [a, b] = [Math.abs(total.margin.low), Math.abs(total.margin.high)];
  return a.toFixed(1) === b.toFixed(1) ? '' : ` (${intervalText({ low: Math.min(a, b), high: Math.max(a, b) })})`;
}

/** Which instance changed unlike the others, which their mean hides. */
function whose({ outlier: o }: Diff): readonly (readonly Part[])[] {
  if (!o) return [];
  const parts: Part[] = [
    `${visible(o.instance)} changed unlike the other ${o.others} instances: from ${o.baseText} to ${o.headText}, `
    + `the others from ${o.othersBaseText} to ${o.othersHeadText} on average`,
  ];
  if (o.function) {
    parts.push('; mostly by ', { fn: o.function, name: shortName(o.function) }, `, from ${o.functionBaseText} to ${o.functionHeadText}`);
  }
  return [[...parts, '.']];
}

function which(diff: Diff): readonly Part[] {
  if (diff.rows.length === 0) {
    return [!diff.basis ? 'No function changed.' : isUnclear(diff) ? 'No function changed for sure.'
      : 'No function changed by more than chance explains.'];
  }
  const others = (diff.changed ?? 0) - diff.rows.reduce((n, row) => n + 1 + (row.callers?.length ?? 0), 0);
  const one = diff.rows.length === 1;
  const cum = diff.sort === 'cum';
  const what = one && others <= 0 && !diff.rows[0]!.callers ? 'one function changed'
    : cum ? `${one ? 'this explains' : 'these explain'} it best` : 'these changed most';
  const parts: Part[] = [`By ${COSTS[diff.sort].title.toLowerCase()} cost, ${what}: `];
  const between = diff.rows.some((row) => row.callers) ? '; ' : ', ';
  diff.rows.forEach((row, i) => {
    if (i > 0) parts.push(between);
    parts.push({ fn: row.name, name: shortName(row.name) }, ` ${rowText(row, diff.sort)}`);
    if (row.callers) parts.push(...callers(row.callers));
  });
  parts.push(others > 0 ? `; and ${count(others)} other${others === 1 ? '' : 's'}.` : '.');
  return parts;
}

/** So many callers have their names in a sentence. */
const NAMED = 2;

/** The functions that changed because they call one that did. */
function callers(names: readonly string[]): Part[] {
  const named = names.slice(0, NAMED);
  const more = names.length - named.length;
  const parts: Part[] = [', called by '];
  named.forEach((fn, i) => {
    if (i > 0) parts.push(more > 0 ? ', ' : ' and ');
    parts.push({ fn, name: shortName(fn) });
  });
  if (more > 0) parts.push(` and ${plural(more, 'other')}`);
  return parts;
}

function rowText(row: DiffRow, by: 'flat' | 'cum'): string {
  const v: DiffValue = row[by];
  const how = row.new ? 'new' : row.gone ? 'gone' : changeText(v.relative);
  return `${v.deltaText}${how && ` (${how})`}`;
}

/** What the third sentence is sure of: not of a change that the first one denies. */
function sureOf({ rows, total }: Diff): string {
  if (total?.noise !== false && rows.length === 0) return 'Judged with 95% confidence';
  return `Sure with 95% confidence${total?.noise ? ' (these functions only)' : ''}`;
}

function howSure(diff: Diff): string {
  const sure = sureOf(diff);
  switch (diff.basis) {
    case 'runs':
      return `${sure}: tested by ${diff.baseRuns} and ${diff.headRuns} runs, and corrected for ${plural(diff.tested, 'test')}.`;
    case 'instances':
      return `${sure}, by how much the instances differ: ${diff.instances![0]} before and ${diff.instances![1]} after.`;
    case 'samples':
      return `${sure} by samples alone: how much runs or instances differ isn’t known.`;
  }
  return 'How much of this is chance isn’t known: compare several runs, or several instances.';
}
