// A selection of profiles in the store is a value with an id, sel:q=…&from=…, that
// stands wherever the id of a profile does. Pure.

import { formatSelector, matcherOf, parseSelector, valueOf, withMatcher, type Matcher } from './selector';

export type Per = 'sum' | 'profile' | 'second' | 'request';

const isPer = (text: string | null): text is Per => ['sum', 'profile', 'second', 'request'].includes(text ?? '');

export interface Selection {
  q: string;
  /** Bounds in ms since 1970, 0 for none. */
  from: number;
  to: number;
  /** A time that is left out, FROM-TO in ms; absent for none. */
  except?: string;
  sampleType: string;
  /** The most expensive ones alone: their share as text, '' for all. */
  top: string;
  /** A single profile. */
  id: string;
  per: Per;
  /** The span of a trace whose samples are shown; absent for all samples. */
  span?: string;
}

export interface Span {
  from: number;
  to: number;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const PREFIX = 'sel:';

export const isSelection = (id: string | undefined): id is `sel:${string}` => id !== undefined && id.startsWith(PREFIX);

/** What an id says of its selection, as the parameters of a request. */
export const selectionQuery = (id: `sel:${string}`): string => id.slice(PREFIX.length);

/** Reads an id; relative times are told from now. */
export function parseSelection(id: string, now: number): Selection {
  const q = new URLSearchParams(id.slice(PREFIX.length));
  const per = q.get('per');
  return {
    q: q.get('q') ?? '',
    from: parseTime(q.get('from') ?? '', now),
    to: parseTime(q.get('to') ?? '', now),
    ...(q.get('except') ? { except: q.get('except')! } : {}),
    sampleType: q.get('sample_type') ?? '',
    top: q.get('top') ?? '',
    id: q.get('id') ?? '',
    per: isPer(per) ? per : isInstant(q.get('q') ?? '') ? 'profile' : 'sum',
    ...(q.get('span') ? { span: q.get('span')! } : {}),
  };
}

/** The id of a selection, in the form that the server gives it. */
export function formatSelection(s: Selection): string {
  const parts: [string, string][] = [
    ['q', s.q === '{}' ? '' : s.q], ['from', s.from ? String(s.from) : ''], ['to', s.to ? String(s.to) : ''],
    ['except', s.except ?? ''], ['sample_type', s.sampleType],
    ['top', s.top === '1' ? '' : s.top], ['id', s.id], ['per', s.per === 'sum' && !isInstant(s.q) ? '' : s.per],
    ['span', s.span ?? ''],
  ];
  return PREFIX + parts.filter(([, value]) => value !== '').map(([name, value]) => `${name}=${queryEscape(value)}`).join('&');
}

/** As Go's url.QueryEscape. */
function queryEscape(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll('%20', '+');
}

const UNITS: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** A length of time in ms, as hone takes it: 1h30m, 7d; NaN if it is none. */
export function parseLength(text: string): number {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d|w))+$/.test(text)) return NaN;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0);
}

/** A time as the server takes it, in ms since 1970; 0 for none. */
export function parseTime(text: string, now: number): number {
  if (text === '') return 0;
  if (text === 'now') return now;
  const relative = /^(?:now)?-(.+)$/.exec(text);
  if (relative) return now - (parseLength(relative[1]!) || 0);
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\d+\.\d+$/.test(text)) return Math.round(Number(text) * SECOND);
  return Date.parse(text) || 0;
}

export interface Preset {
  text: string;
  length: number;
  title: string;
}

export const PRESETS: readonly Preset[] = [
  { text: '15m', length: 15 * MINUTE, title: '15 minutes' },
  { text: '30m', length: 30 * MINUTE, title: '30 minutes' },
  { text: '1h', length: HOUR, title: 'hour' },
  { text: '3h', length: 3 * HOUR, title: '3 hours' },
  { text: '6h', length: 6 * HOUR, title: '6 hours' },
  { text: '12h', length: 12 * HOUR, title: '12 hours' },
  { text: '1d', length: DAY, title: 'day' },
  { text: '2d', length: 2 * DAY, title: '2 days' },
  { text: '7d', length: 7 * DAY, title: '7 days' },
  { text: '14d', length: 14 * DAY, title: '14 days' },
  { text: '30d', length: 30 * DAY, title: '30 days' },
];

/** The time that ends now and is so long; in whole seconds, so that a profile of this moment is in it. */
export function lately(length: number, now: number): Span {
  const to = Math.ceil(now / SECOND) * SECOND;
  return { from: to - length, to };
}

export function parseSpan(text: string | undefined): Span | null {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text ?? '') ?? [];
  return from !== undefined && Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
}

export const formatSpan = (s: Span): string => `${s.from}-${s.to}`;

/** Values in a list, as the address has them: with commas, each escaped. */
export const parseValues = (text: string | undefined): string[] => (text ?? '').split(',').filter(Boolean).map(decodeURIComponent);
export const formatValues = (values: Iterable<string>): string => [...values].map(encodeURIComponent).join(',');

/** Shares of the number of profiles, by cost. */
export const WEIGHTS: readonly { top: string; title: string }[] = [
  { top: '', title: 'All profiles' },
  { top: '0.5', title: 'Top 50 %' },
  { top: '0.25', title: 'Top 25 %' },
  { top: '0.1', title: 'Top 10 %' },
  { top: '0.05', title: 'Top 5 %' },
  { top: '0.01', title: 'Top 1 %' },
];

export const weightTitle = (top: string): string => WEIGHTS.find((w) => w.top === top)?.title
  ?? `Top ${Number((Number(top) * 100).toPrecision(3))} %`;

/** The kind of profiles that count requests: by endpoint, without stacks that say more. */
export const REQUESTS = 'requests';

/** Kinds that say how things are in a moment, which have no rate. */
const INSTANT = new Set(['heap', 'goroutine', 'goroutineleak', 'threadcreate']);

const FIRST = ['cpu', 'heap', 'goroutine'];

/** Kinds of profiles, the most used ones first. */
export const inOrder = (kinds: readonly string[]): string[] =>
  [...FIRST.filter((k) => kinds.includes(k)), ...kinds.filter((k) => !FIRST.includes(k))];

/** Whether a selection is of such a kind: the server averages its values where the id has no per. */
export const isInstant = (q: string): boolean => INSTANT.has(kindOf(q) ?? '');

/** What makes selections of a kind comparable, however much was profiled: rates, or averages of states. */
export function fairPer(kind: string | undefined): Per {
  return kind === undefined || INSTANT.has(kind) ? 'profile' : 'second';
}

/** The same of profiles of which the server says how long they took: without a duration they have no rate. */
export const perOf = (k: { kind: string; duration: number }): Per => (k.duration > 0 ? fairPer(k.kind) : 'profile');

/**
 * What a selection is compared with, as links hold it: previous; ago:1d; label:version=v1; weight:0.05;
 * rest:FROM-TO, the same profiles of the rest of that time; range, the same profiles of another time; '' for another selection
 * that does not follow this one.
 */
export type Against = string;

/** How it follows what is shown, and by what. */
function parseAgainst(against: Against): [how: string, what: string] {
  const [how, ...words] = against.split(':') as [string, ...string[]];
  return [how, words.join(':')];
}

/**
 * The selection that one is compared with; now is the base there is, which has the time of range. What follows a span is
 * everything, as a span is in no other time or place.
 */
export function baseOf({ span: _span, ...s }: Selection, against: Against, now: Selection | null): Selection | null {
  const [how, what] = parseAgainst(against);
  const { except: _, ...whole } = s;
  const before = (ms: number) => ({ ...whole, from: s.from - ms, to: s.to - ms });
  switch (how) {
    case 'previous': return before(s.to - s.from);
    case 'ago': return before(parseLength(what) || DAY);
    case 'weight': return { ...s, top: what };
    case 'rest': {
      const span = parseSpan(what);
      const rest = span && (s.from > span.from || s.to < span.to);
      return rest ? { ...whole, ...span, except: formatSpan(s) } : null;
    }
    case 'range': return now && { ...s, from: now.from, to: now.to };
    case 'label': {
      const at = what.indexOf('=');
      const matchers = parseSelector(s.q);
      if (at < 0 || !matchers) return null;
      const name = what.slice(0, at);
      return { ...s, q: formatSelector(withMatcher(matchers, name, matcherOf(name, [what.slice(at + 1)]))) };
    }
    default: return now && { ...now, per: s.per };
  }
}

/** What a selection is compared with: what tells it from the other side, and its time where nothing else tells that. */
export interface OtherSide {
  name: string;
  time: string;
}

export function otherSide(against: Against, head: Selection, base: Selection): OtherSide {
  const [how, what] = parseAgainst(against);
  const only = (name: string): OtherSide => ({ name, time: '' });
  switch (how) {
    case 'previous': return only('the period before');
    case 'ago': return only(what === '1d' ? 'the day before' : what === '7d' ? 'the week before' : `${what} before`);
    case 'weight': return only(weightTitle(what).toLowerCase());
    case 'rest': return only('the rest');
    case 'label': {
      const at = what.indexOf('=');
      return only(at < 0 ? 'another label' : condition({ name: what.slice(0, at), op: '=', value: what.slice(at + 1) }));
    }
    default:
      if (head.q === base.q) return { name: '', time: spanText(base) };
      return { name: differing(head.q, base.q), time: head.from === base.from && head.to === base.to ? '' : spanText(base) };
  }
}

/** The same in a line. */
export function againstText(against: Against, head: Selection, base: Selection): string {
  const { name, time } = otherSide(against, head, base);
  return [name, time].filter(Boolean).join(', ');
}

/** What tells a selection from the one it is compared with, '' if only its time does. */
export const thisSide = (head: Selection, base: Selection): string => (head.q === base.q ? '' : differing(base.q, head.q));

/** A condition in words: "v1.2", "zone b", "all but zone b", "version like v1.*". A version with a v needs no other word. */
const condition = ({ name, op, value }: Matcher): string =>
  `${op.startsWith('!') ? 'all but ' : ''}${name === 'version' && op === '=' && /^v\d/.test(value) ? '' : `${name} `}${
    op.endsWith('~') ? 'like ' : ''}${value}`;

/** What tells selector b from a, in words. */
function differing(a: string, b: string): string {
  const [from, of] = [parseSelector(a), parseSelector(b)];
  const has = (all: readonly Matcher[] | null, m: Matcher, op = m.op) =>
    all?.some((n) => n.name === m.name && n.op === op && n.value === m.value) ?? false;
  const own = of?.filter((m) => !has(from, m)) ?? [];
  return own.map((m) => (m.op === '!=' && has(from, m, '=') ? `other ${m.name}s` : condition(m))).join(', ') || b || 'everything';
}

/** The kind that a selection is of, if it is one. */
export const kindOf = (q: string): string | undefined => valueOf(parseSelector(q) ?? [], 'kind');
export const serviceOf = (q: string): string | undefined => valueOf(parseSelector(q) ?? [], 'service');

/** What a selection is called where there is little room. */
export function selectionName(s: Selection): string {
  const matchers = parseSelector(s.q);
  if (!matchers) return s.q;
  const kind = valueOf(matchers, 'kind');
  const service = matchers.find((m) => m.name === 'service' && m.op === '=');
  const rest = matchers.filter((m) => m !== service && !(m.name === 'kind' && m.value === kind));
  const whose = [service?.value, kind, s.span && `in span ${s.span}`].filter(Boolean).join(' ');
  return [whose, ...rest.map(condition)].filter(Boolean).join(', ') || 'everything';
}

const day = (t: number) => new Date(t).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
const clock = (t: number, seconds: boolean) =>
  new Date(t).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' as const } : {}) });

export const clockText = (t: number): string => clock(t, false);

/** The zone of the page's clock at a time: "CET", "UTC". It stands once beside the times of a view. */
export function zoneText(t: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(t);
  return parts.find((p) => p.type === 'timeZoneName')?.value ?? '';
}

/** A time of the page's clock. */
export function timeText(t: number, seconds = t % MINUTE !== 0): string {
  return `${day(t)} ${clock(t, seconds)}`;
}

/** From when until when, as short as it is clear: "21 Nov 14:05 – 15:05". */
export function spanText({ from, to }: Span): string {
  if (!from && !to) return 'all time';
  if (!from) return `until ${timeText(to)}`;
  if (!to) return `since ${timeText(from)}`;
  const fine = to - from < 10 * MINUTE;
  const end = day(from) === day(to) ? clock(to, fine) : `${day(to)} ${clock(to, fine)}`;
  return `${day(from)} ${clock(from, fine)} – ${end}`;
}

/** The time of a selection, with what is left out of it. */
export function timesText(s: Selection): string {
  const except = parseSpan(s.except);
  if (!except) return spanText(s);
  const fine = except.to - except.from < 10 * MINUTE;
  const alike = day(s.from) === day(except.from) && day(s.from) === day(except.to);
  return `${spanText(s)} without ${alike ? `${clock(except.from, fine)} – ${clock(except.to, fine)}` : spanText(except)}`;
}

/** A length of time in words, roughly: "3 min", "2 days". */
export function lengthText(ms: number): string {
  const one = (n: number, unit: string, many = unit) => `${n} ${n === 1 ? unit : many}`;
  if (ms < 2 * MINUTE) return one(Math.max(0, Math.round(ms / SECOND)), 's');
  if (ms < 2 * HOUR) return one(Math.round(ms / MINUTE), 'min');
  if (ms < 2 * DAY) return one(Math.round(ms / HOUR), 'h');
  return one(Math.round(ms / DAY), 'day', 'days');
}
