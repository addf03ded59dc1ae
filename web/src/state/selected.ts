// The selection that is shown: the first profile of the state, where that is one
// in the store. What is chosen about it lives in the URL as settings:
//
//	span  the time of the timeline, FROM-TO in ms, where that is more than what is selected
//	by    the label that the timeline is grouped by
//	off   lines that are left out, their values with commas, each escaped
//	line  off hides the timeline
//	live  how much up to now is selected, again and again: 1h
//	vs    what it is compared with: see baseOf

import { computed } from '@preact/signals';
import { baseOf, fairPer, formatSelection, formatSpan, isSelection, kindOf, lately, parseLength, parseSelection, parseSpan, type Against, type Selection, type Span } from './selection';
import { formatSelector, parseSelector, type Matcher } from './selector';
import { go, state, type Own, type State, type ViewID } from './state';

export const selected = computed<Selection | null>(() => {
  const id = state.value.profile[0];
  return isSelection(id) ? parseSelection(id, Date.now()) : null;
});

/** What the selection is compared with, if that is one too. */
export const selectedBase = computed<Selection | null>(() => {
  const id = state.value.base[0];
  return isSelection(id) ? parseSelection(id, Date.now()) : null;
});

/** The time that the timeline shows. */
export const timelineSpan = computed<Span | null>(() => {
  const s = selected.value;
  if (!s) return null;
  const span = parseSpan(state.value.own.span);
  if (span) return span;
  const to = s.to || Date.now();
  return { from: s.from || to - 3_600_000, to };
});

const without = (own: State['own'], ...names: Own[]): State['own'] => Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name as Own)));

/** Zoom and pivot are places in a graph: they mean something for that graph alone. */
const PLACES: readonly Own[] = ['zoom', 'order', 'find'];

/** The state with another selection; what it is compared with follows. */
export function withSelection(s: State, change: Partial<Selection>, settings: Partial<Record<Own, string>> = {}): State {
  const now = parseSelection(s.profile[0]!, Date.now());
  const next = { ...now, ...change };
  if (change.id === undefined && (change.q !== undefined || change.from !== undefined)) next.id = '';
  const own: Record<string, string> = { ...without(s.own, ...PLACES) };
  for (const [name, value] of Object.entries(settings)) {
    if (value) own[name] = value;
    else delete own[name];
  }
  const base = s.base[0];
  let bases = s.base;
  if (isSelection(base)) {
    const old = parseSelection(base, Date.now());
    const follows = baseOf(next, own.vs ?? '', old);
    if (follows) bases = [formatSelection(follows)];
  }
  return { ...s, profile: [formatSelection(next)], base: bases, own };
}

export function select(change: Partial<Selection>, settings: Partial<Record<Own, string>> = {}, how: 'push' | 'replace' = 'push'): void {
  go(withSelection(state.peek(), change, settings), how);
}

/** Selects a part of what the timeline shows, or all of it. */
export function selectTime(to: Span, how: 'push' | 'replace' = 'push'): void {
  const span = timelineSpan.peek();
  const whole = span !== null && to.from <= span.from && to.to >= span.to;
  select({ ...to }, { span: span && !whole ? formatSpan(span) : '', live: '' }, how);
}

/** Selects another time, timeline and all. */
export function showTime(to: Span, live = '', how: 'push' | 'replace' = 'push'): void {
  select({ ...to }, { span: '', live }, how);
}

export function setMatchers(matchers: readonly Matcher[]): void {
  select({ q: formatSelector(matchers) });
}

export const matchersShown = computed<Matcher[] | null>(() => (selected.value ? parseSelector(selected.value.q) : null));

/** Compares what is shown; values of both become rates or averages, or they would not compare. */
export function comparedState(s: State, against: Against, base?: Selection, view: ViewID = s.view): State {
  const now = parseSelection(s.profile[0]!, Date.now());
  const per = now.per === 'sum' ? fairPer(kindOf(now.q)) : now.per;
  const head = { ...now, per };
  const other = baseOf(head, against, base ?? head);
  if (!other) return s;
  const { vs: _, ...own } = without(s.own, ...PLACES);
  return { ...s, view, profile: [formatSelection(head)], base: [formatSelection({ ...other, per })], own: against ? { ...own, vs: against } : own };
}

export function compareTo(against: Against, base?: Selection): void {
  const s = state.peek();
  go(comparedState(s, against, base, s.view === 'history' || s.view === 'records' ? 'diff' : s.view));
}

export function endComparison(): void {
  const { normalize: _, ...options } = state.peek().options;
  go({ base: [], options, own: without(state.peek().own, 'vs', ...PLACES) });
}

/** A state that shows a selection from the start. */
export function fresh(selection: Partial<Selection> & { q: string }, view: ViewID = 'flame', own: State['own'] = {}): State {
  const whole = { from: 0, to: 0, sampleType: '', top: '', id: '', per: fairPer(kindOf(selection.q)), ...selection };
  return { view, profile: [formatSelection(whole)], base: [], options: {}, fn: '', search: '', own };
}

/** Two versions of a service over the same time. */
export function versionsState(service: string, kind: string, base: string, head: string, time: Span): State {
  const q = formatSelector([
    { name: 'kind', op: '=', value: kind }, { name: 'service', op: '=', value: service }, { name: 'version', op: '=', value: head },
  ]);
  return comparedState(fresh({ q, ...time }, 'diff'), `label:version=${base}`);
}

/** Selects again up to now, if the page is live. */
export function tick(now: number): void {
  const { own } = state.peek();
  const length = parseLength(own.live ?? '');
  if (!selected.peek() || !(length > 0)) return;
  select({ ...lately(length, now) }, {}, 'replace');
}
