// What the report options are called, and how a value becomes a chip. What they
// mean is in words.ts, which is fetched when it is first read.

import type { ProfileInfo } from '../api/types';
import { ALL_CODE, mineAsked, mineShown } from './mine';
import { exactName } from './pattern';
import { OPTIONS, type Option, type State } from './state';

export type OptionKind =
  | 'frames' // a pattern on function, file or binary names
  | 'filter' // label filter
  | 'label' // a pattern on label keys
  | 'keys' // label keys with commas
  | 'choice'
  | 'number'
  | 'text'
  | 'flag'
  | 'switch'; // on by itself, or with a pattern

export interface OptionSpec {
  name: Option;
  title: string;
  kind: OptionKind;
  group: 'Stacks' | 'Labels' | 'Entries' | 'Values';
}

/** In the order of the filter menu. sample_index and normalize have controls of their own. */
export const optionSpecs: readonly OptionSpec[] = [
  { name: 'focus', title: 'Focus', kind: 'frames', group: 'Stacks' },
  { name: 'ignore', title: 'Ignore', kind: 'frames', group: 'Stacks' },
  { name: 'hide', title: 'Hide', kind: 'frames', group: 'Stacks' },
  { name: 'show', title: 'Show', kind: 'frames', group: 'Stacks' },
  { name: 'show_from', title: 'Show from', kind: 'frames', group: 'Stacks' },
  { name: 'prune_from', title: 'Cut off', kind: 'frames', group: 'Stacks' },
  { name: 'mine', title: 'Your code', kind: 'switch', group: 'Stacks' },
  { name: 'noinlines', title: 'No inlined calls', kind: 'flag', group: 'Stacks' },
  { name: 'tagfocus', title: 'Label focus', kind: 'filter', group: 'Labels' },
  { name: 'tagignore', title: 'Label ignore', kind: 'filter', group: 'Labels' },
  { name: 'tagshow', title: 'Show labels', kind: 'label', group: 'Labels' },
  { name: 'taghide', title: 'Hide labels', kind: 'label', group: 'Labels' },
  { name: 'tagroot', title: 'Labels at the root', kind: 'keys', group: 'Labels' },
  { name: 'tagleaf', title: 'Labels at the leaf', kind: 'keys', group: 'Labels' },
  { name: 'granularity', title: 'Group by', kind: 'choice', group: 'Entries' },
  { name: 'showcolumns', title: 'Columns of a line', kind: 'flag', group: 'Entries' },
  { name: 'nodecount', title: 'Most entries', kind: 'number', group: 'Entries' },
  { name: 'nodefraction', title: 'Least share', kind: 'number', group: 'Entries' },
  { name: 'edgefraction', title: 'Least share of calls', kind: 'number', group: 'Entries' },
  { name: 'trim', title: 'Small entries, too', kind: 'flag', group: 'Entries' },
  { name: 'sort', title: 'Order', kind: 'choice', group: 'Entries' },
  { name: 'call_tree', title: 'Call tree', kind: 'flag', group: 'Entries' },
  { name: 'unit', title: 'Unit', kind: 'text', group: 'Values' },
  { name: 'mean', title: 'Mean per count', kind: 'flag', group: 'Values' },
  { name: 'divide_by', title: 'Divide by', kind: 'number', group: 'Values' },
  { name: 'relative_percentages', title: 'Shares of what is left', kind: 'flag', group: 'Values' },
  { name: 'drop_negative', title: 'Increases only', kind: 'flag', group: 'Values' },
  { name: 'intel_syntax', title: 'Intel syntax', kind: 'flag', group: 'Values' },
];

/** What the values of a choice are called. */
export const choiceTitles: Readonly<Record<string, string>> = {
  functions: 'Function', filefunctions: 'Function and file', files: 'File', lines: 'Line', addresses: 'Address', flat: 'Self', cum: 'Total',
};

/** The value that turns a flag or a switch on, away from its default. */
export function flagOn(name: Option): string {
  return name === 'trim' ? 'false' : 'true';
}

/** Whether a switch has its default, which its button shows: then it needs no chip. */
export function plainly(name: Option, value: string): boolean {
  return name === 'mine' && (value === flagOn(name) || value === ALL_CODE);
}

export interface Chip {
  name: Option;
  title: string;
  /** What the value says, '' for a flag. */
  text: string;
  spec: OptionSpec | undefined;
}

/** Chips for the options that are set, in the order of the menu. */
export function chipsOf(options: State['options']): Chip[] {
  const chips: Chip[] = [];
  for (const spec of optionSpecs) {
    const value = options[spec.name];
    if (value === undefined || value === '' || plainly(spec.name, value)) continue;
    const flag = spec.kind === 'flag' && value === flagOn(spec.name);
    chips.push({ name: spec.name, title: spec.title, text: flag ? '' : chipText(spec.kind, value), spec });
  }
  return chips;
}

/** A value as a chip shows it: patterns made from names show the names. */
function chipText(kind: OptionKind, value: string): string {
  if (kind === 'choice') return choiceTitles[value] ?? value;
  if (kind !== 'frames' && kind !== 'switch') return value;
  return exactName(value) ?? splitNames(value)?.join(', ') ?? value;
}

/** The names of a pattern made of exact names alone. */
function splitNames(pattern: string): string[] | undefined {
  const names: string[] = [];
  // The names' own bars are escaped, so one after $ and before ^ is ours.
  for (const part of pattern.split(/(?<=\$)\|(?=\^)/)) {
    const name = exactName(part);
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names;
}

/** Only the options that reports know, as a query; what a saved view keeps. */
export function optionsQuery(options: State['options']): string {
  const q = new URLSearchParams();
  for (const name of OPTIONS) {
    const value = options[name];
    if (value !== undefined && value !== '') q.set(name, value);
  }
  return q.toString();
}

/** The options in a query, whatever else it has. */
export function optionsIn(query: string): Record<string, string> {
  const q = new URLSearchParams(query);
  const options: Record<string, string> = {};
  for (const name of OPTIONS) {
    const value = q.get(name);
    if (value !== null && value !== '') options[name] = value;
  }
  return options;
}

/** Which sample type an option means, by name or number; -1 if there is no such type. */
export function sampleTypeIndex(info: Pick<ProfileInfo, 'sampleTypes' | 'defaultSampleType'>, option: string | undefined): number {
  if (!option) return info.defaultSampleType;
  const byName = info.sampleTypes.findIndex((t) => t.type === option);
  if (byName >= 0) return byName;
  const i = /^\d+$/.test(option) ? Number(option) : -1;
  return i < info.sampleTypes.length ? i : -1;
}

/** Options that a history heeds. */
const HISTORY_OPTIONS = [
  'focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from', 'tagfocus', 'tagignore', 'granularity', 'noinlines', 'mine',
] as const satisfies readonly Option[];

/** These options as a history's request has them. foldable: the profiles have your code and other code, which a history can't find out. */
export function historyOptions(s: Pick<State, 'base' | 'options'>, foldable: boolean): Partial<Record<Option, string>> {
  const mine = mineShown(s, foldable) ? mineAsked(s).replace('auto', 'true') : '';
  const all = HISTORY_OPTIONS.map((name) => [name, name === 'mine' ? mine : s.options[name]] as const);
  return Object.fromEntries(all.filter(([, value]) => value));
}

/** How finely a history goes over time, and how many functions it has unless some are chosen. */
export const HISTORY = { points: 60, rows: 40 };

/** How many single profiles are listed. */
export const MOST_RECORDS = 5000;

/** Endpoints that are listed, the costliest. */
export const MOST_ENDPOINTS = 200;
