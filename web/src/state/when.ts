// Times as people type them: 14:05, yesterday 14:05, 21 Nov 14:00 – 15:00, 2h. Pure.

import { DAY, HOUR, lately, MINUTE, parseLength, type Span } from './selection';

export interface When {
  /** What is selected. */
  selected: Span;
  /** What the timeline shows around it. */
  timeline: Span;
}

/** How much of what is around a moment is selected, and shown. */
const BESIDE = 5 * MINUTE;
const AROUND = HOUR;

const BETWEEN = /\s+-\s+|\s*[–—]\s*|\s+to\s+|(?<=:\d\d)\s*-\s*(?=\d)/;

/** The time that a text means, in the page's time zone; null if it means none. Without a day, it is the latest one that has begun. */
export function parseWhen(text: string, now: number): When | null {
  const words = text.trim().toLowerCase().replaceAll(/[,\s]+/g, ' ');
  const [first, second, ...more] = words.split(BETWEEN) as [string, ...string[]];
  if (more.length > 0) return null;
  const length = parseLength(first.replace(/^last /, ''));
  if (second === undefined && length > 0) return alone(lately(length, now));
  const from = parsePoint(first, now);
  if (!from) return null;
  if (second !== undefined) {
    const to = parsePoint(second, now, from.day);
    if (!to) return null;
    const end = to.clock === null ? nextDay(to.day) : to.at <= from.at && !to.hasDay ? to.at + DAY : to.at;
    return end > from.at ? alone({ from: from.at, to: end }) : null;
  }
  if (from.clock === null) return alone({ from: from.at, to: nextDay(from.day) });
  const until = Math.max(from.at, lately(0, now).to);
  const around = (by: number): Span => ({ from: from.at - by, to: Math.min(from.at + by, until) });
  return { selected: around(BESIDE), timeline: around(AROUND) };
}

const alone = (span: Span): When => ({ selected: span, timeline: span });

interface Point {
  at: number;
  /** Its midnight. */
  day: number;
  /** Whether the text has the day. */
  hasDay: boolean;
  /** The time since midnight, null if the text has none. */
  clock: number | null;
}

/** A day, a time of a day, or both. */
function parsePoint(text: string, now: number, usual?: number): Point | null {
  const point = (at: number): Point => ({ at, day: midnight(at), hasDay: true, clock: at - midnight(at) });
  if (text === 'now') return point(now);
  const ago = /^-(\S+)$|^(\S+) ago$/.exec(text);
  const back = ago ? parseLength((ago[1] ?? ago[2])!) : NaN;
  if (back > 0) return point(now - back);
  if (/^\d{4}-\d\d-\d\dt\S+(z|[+-]\d\d:?\d\d)$/.test(text)) {
    const at = Date.parse(text.toUpperCase());
    return Number.isNaN(at) ? null : point(at);
  }
  const [, date = '', hours, minutes = '0', seconds = '0', half, bare] =
    /^(.*?)(?:(?:^|[ t])(\d{1,2})(?::(\d\d)(?::(\d\d))?(?: ?(am|pm))?| ?(am|pm)))?$/.exec(text) ?? [];
  const clock = hours === undefined ? null : clockOf(Number(hours), Number(minutes), Number(seconds), half ?? bare);
  if (Number.isNaN(clock)) return null;
  if (date === '') {
    if (clock === null) return null;
    const day = usual ?? (atClock(midnight(now), clock) <= now ? midnight(now) : dayBefore(midnight(now), 1));
    return { at: atClock(day, clock), day, hasDay: false, clock };
  }
  const day = parseDay(date, now);
  return day === null ? null : { at: atClock(day, clock ?? 0), day, hasDay: true, clock };
}

function clockOf(hours: number, minutes: number, seconds: number, half: string | undefined): number {
  if (half && (hours < 1 || hours > 12)) return NaN;
  const h = half ? (hours % 12) + (half === 'pm' ? 12 : 0) : hours;
  return h < 24 && minutes < 60 && seconds < 60 ? h * HOUR + minutes * MINUTE + seconds * 1000 : NaN;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The midnight that a day begins with. */
function parseDay(text: string, now: number): number | null {
  const today = midnight(now);
  const word = text.trim();
  if (word === 'today') return today;
  if (word === 'yesterday') return dayBefore(today, 1);
  const weekday = word.length >= 3 ? DAYS.findIndex((d) => d.startsWith(word)) : -1;
  if (weekday >= 0) return dayBefore(today, (new Date(today).getDay() - weekday + 7) % 7);
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(word);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const named = /^(\d{1,2})\.? ([a-z]{3,})\.?(?: (\d{4}))?$/.exec(word) ?? /^([a-z]{3,})\.? (\d{1,2})(?: (\d{4}))?$/.exec(word);
  if (!named) return null;
  const [, a, b, year] = named;
  const [date, name] = /\d/.test(a!) ? [Number(a), b!] : [Number(b), a!];
  const month = MONTHS.indexOf(name.slice(0, 3));
  if (month < 0) return null;
  if (year) return dayOf(Number(year), month, date);
  const thisYear = new Date(now).getFullYear();
  const day = dayOf(thisYear, month, date);
  return day !== null && day > now ? dayOf(thisYear - 1, month, date) : day;
}

/** Null for a day that its month doesn't have. */
function dayOf(year: number, month: number, date: number): number | null {
  const day = new Date(year, month, date);
  return day.getMonth() === month && day.getDate() === date ? day.getTime() : null;
}

const midnight = (t: number): number => new Date(t).setHours(0, 0, 0, 0);
const dayBefore = (day: number, n: number): number => new Date(day).setDate(new Date(day).getDate() - n);
const nextDay = (day: number): number => dayBefore(day, -1);
/** By the clock on the wall, which days with another number of hours have, too. */
const atClock = (day: number, clock: number): number => new Date(day).setHours(0, 0, 0, clock);
