// The selection that is shown: the first profile of the state, where that is one
// in the store. What is chosen about it lives in the URL as settings:
//
//	span  the time of the timeline, FROM-TO in ms, where that is more than what is selected: see time.ts
//	by    the label that the timeline is grouped by
//	off   lines that are left out, their values with commas, each escaped
//	line  off hides the timeline
//	heat  the timeline is a heat map, whose rows are the values of this label, or =value: see heat.ts
//	live  how much up to now is selected, again and again: 1h
//	vs    what it is compared with: see baseOf

import { computed } from '@preact/signals';
import { begun, comparing } from './mine';
import { flagOn } from './options';
import {
  baseOf, fairPer, formatSelection, isSelection, kindOf, parseSelection, REQUESTS, type Against, type Per, type Selection, type Span,
} from './selection';
import { formatSelector, matcherOf, parseSelector, withMatcher, type Matcher } from './selector';
import { go, state, type Own, type State, type ViewID } from './state';

const selectionOf = (id: string | undefined) => (isSelection(id) ? parseSelection(id, Date.now()) : null);

export const selected = computed<Selection | null>(() => selectionOf(state.value.profile[0]));

/** What the selection is compared with, if that is one too. */
export const selectedBase = computed<Selection | null>(() => selectionOf(state.value.base[0]));

const without = (own: State['own'], ...names: Own[]): State['own'] =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name as Own)));

/** Zoom and pivot are places in a graph: they mean something for that graph alone. */
const PLACES: readonly Own[] = ['zoom', 'order', 'find'];

/** The state with another selection; what it is compared with follows. */
export function withSelection(s: State, change: Partial<Selection>, settings: Partial<Record<Own, string>> = {}): State {
  const now = parseSelection(s.profile[0]!, Date.now());
  const next = { ...now, ...change };
  if (change.from !== undefined && change.except === undefined) delete next.except;
  if (change.id === undefined && (change.q !== undefined || change.from !== undefined)) next.id = '';
  const [kind, before] = [kindOf(next.q), kindOf(now.q)];
  let { options } = s;
  if (kind !== before) {
    // Another kind has other sample types, and perhaps no duration.
    if (next.per !== 'sum') next.per = fairPer(kind);
    next.sampleType = change.sampleType ?? '';
    const { sample_index: _, ...rest } = options;
    options = rest;
  }
  const own: Record<string, string> = { ...without(s.own, ...PLACES) };
  for (const [name, value] of Object.entries(settings)) {
    if (value) own[name] = value;
    else delete own[name];
  }
  const base = s.base[0];
  let bases = s.base;
  if (isSelection(base)) {
    const then = parseSelection(base, Date.now());
    const old = kind !== before && kindOf(then.q) === before ? { ...then, q: ofKind(then.q, kind), sampleType: next.sampleType } : then;
    const follows = baseOf(next, own.vs ?? '', old);
    if (follows) bases = [formatSelection(follows)];
    else if (own.vs?.startsWith('rest:')) {
      bases = []; // all of the time is selected, so nothing is left to compare with
      delete own.vs;
    }
  }
  return { ...s, profile: [formatSelection(next)], base: bases, options, own };
}

/** A selector with another kind, or with any. */
function ofKind(q: string, kind: string | undefined): string {
  const matchers = parseSelector(q);
  return matchers ? formatSelector(withMatcher(matchers, 'kind', kind === undefined ? null : matcherOf('kind', [kind]))) : q;
}

export function select(change: Partial<Selection>, settings: Partial<Record<Own, string>> = {}, how: 'push' | 'replace' = 'push'): void {
  go(withSelection(state.peek(), change, settings), how);
}

export function setMatchers(matchers: readonly Matcher[]): void {
  select({ q: formatSelector(matchers) });
}

/** The requests of what is selected, by endpoint, with what they cost. */
export function requestsState(s: State): State {
  const { q } = parseSelection(s.profile[0]!, Date.now());
  const next = kindOf(q) === REQUESTS ? withSelection(s, { q: ofKind(q, 'cpu') }) : s;
  return { ...next, view: 'endpoints', own: { ...next.own, measure: 'requests' } };
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
  return {
    ...s, view, profile: [formatSelection(head)], base: [formatSelection({ ...other, per })], own: against ? { ...own, vs: against } : own,
    options: s.base.length > 0 ? s.options : begun(s.options),
  };
}

export function compareTo(against: Against, base?: Selection): void {
  const s = state.peek();
  go(comparedState(s, against, base, s.base.length > 0 ? s.view : comparing(s).view));
}

export function endComparison(): void {
  go(alone(state.peek()));
}

/** The state without a comparison; the list of what changed is nothing then. */
export function alone(s: State): Partial<State> {
  const { normalize: _, ...options } = s.options;
  return { base: [], options, own: without(s.own, 'vs', ...PLACES), ...(s.view === 'diff' ? { view: 'flame' as const } : {}) };
}

/** A state that shows a selection from the start. */
export function fresh(selection: Partial<Selection> & { q: string }, view: ViewID = 'flame', own: State['own'] = {}): State {
  const whole = { from: 0, to: 0, sampleType: '', top: '', id: '', per: fairPer(kindOf(selection.q)), ...selection };
  return { view, profile: [formatSelection(whole)], base: [], options: {}, fn: '', search: '', own };
}

/** What is shown with averages in place of rates, for profiles that turn out to have no duration; null if it has no rates. */
export function withoutRates(s: State): Pick<State, 'profile' | 'base'> | null {
  const average = (id: string) => {
    const sel = isSelection(id) ? parseSelection(id, Date.now()) : null;
    return sel?.per === 'second' ? formatSelection({ ...sel, per: 'profile' }) : id;
  };
  const [profile, base] = [s.profile.map(average), s.base.map(average)];
  return profile.some((id, i) => id !== s.profile[i]) ? { profile, base } : null;
}

/**
 * Versions compare per request where requests are counted on both sides, as the server decides, and else as shares. Each ran at its own
 * hours of the day, and a rate would compare their load instead.
 */
export function fairly(s: State): State {
  const perRequest = [s.profile[0], s.base[0]].every((id) => isSelection(id) && parseSelection(id, 0).per === 'request');
  return perRequest ? s : { ...s, options: { ...s.options, normalize: 'true' } };
}

/**
 * The comparison that the server chose for the start page: the same hours of the day. of is another kind of profiles than it was
 * chosen for.
 */
export function chosenState(c: { profile: string; base: string }, fn = '', of?: { kind: string; per: Per }): State {
  const side = (id: string) => {
    if (!of) return [id];
    const { q, ...s } = parseSelection(id, Date.now());
    const per = s.per === 'request' && of.per === 'second' ? s.per : of.per;
    return [formatSelection({ ...s, q: ofKind(q, of.kind), per, sampleType: '' })];
  };
  return fairly({
    view: 'diff', profile: side(c.profile), base: side(c.base), options: { mine: flagOn('mine') }, fn, search: '', own: {},
  });
}

/** Two versions of a service over all of the time that they ran, for which there are no same hours. */
export function versionsState(service: string, kind: string, base: string, head: string, time: Span, per = fairPer(kind)): State {
  const q = formatSelector([
    { name: 'kind', op: '=', value: kind }, { name: 'service', op: '=', value: service }, { name: 'version', op: '=', value: head },
  ]);
  return fairly(comparedState(fresh({ q, ...time, per }, 'diff'), `label:version=${base}`));
}
