// The time that is selected and that of the timeline around it, and the ways to
// another time. Both live in the URL: see selected.ts.

import { computed } from '@preact/signals';
import { select, selected } from './selected';
import { formatSpan, lately, parseLength, parseSpan, PRESETS, type Span } from './selection';
import { setOwn, state } from './state';
import type { When } from './when';

/** The time that the timeline shows. */
export const timelineSpan = computed<Span | null>(() => {
  const s = selected.value;
  if (!s) return null;
  const span = parseSpan(state.value.own.span);
  if (span) return span;
  const to = s.to || Date.now();
  return { from: s.from || to - 3_600_000, to };
});

/** Selects a part of what the timeline shows, or all of it. */
export function selectTime(to: Span, how: 'push' | 'replace' = 'push'): void {
  const span = timelineSpan.peek();
  const whole = span !== null && to.from <= span.from && to.to >= span.to;
  select({ ...to }, { span: span && !whole ? formatSpan(span) : '', live: '' }, how);
}

/** The rest of the timeline, to compare the selected part with; null if all of it is selected. */
export const restOfTimeline = computed<string | null>(() => {
  const [s, span] = [selected.value, timelineSpan.value];
  if (!s?.from || !s.to || !span || s.top || s.id) return null;
  return s.from > span.from || s.to < span.to ? `rest:${formatSpan(span)}` : null;
});

/** Selects another time, timeline and all. */
export function showTime(to: Span, live = '', how: 'push' | 'replace' = 'push'): void {
  select({ ...to }, { span: '', live }, how);
}

/** Selects a time that was asked for, with what is around it on the timeline. */
export function showWhen({ selected: part, timeline }: When): void {
  select({ ...part }, { span: part === timeline ? '' : formatSpan(timeline), live: '' });
}

/** Moves what is selected by its own length. */
export function shift(direction: 1 | -1): void {
  const s = selected.peek();
  if (!s?.from || !s.to) return;
  const by = direction * (s.to - s.from);
  showTime({ from: s.from + by, to: s.to + by });
}

/** Shows twice the time, with the same middle but not the future. */
export function widen(): void {
  const s = timelineSpan.peek();
  if (!s) return;
  const length = s.to - s.from;
  const to = Math.min(s.to + length / 2, Math.max(s.to, Date.now()));
  showTime({ from: Math.round(to - 2 * length), to: Math.round(to) });
}

export function zoomIn(): void {
  const s = selected.peek();
  if (s?.from && s.to) showTime({ from: s.from, to: s.to });
}

/** The same length, ending now. */
export function showNow(): void {
  const s = timelineSpan.peek();
  if (!s) return;
  const live = state.peek().own.live ?? '';
  showTime(lately(parseLength(live) || s.to - s.from, Date.now()), live);
}

export function toggleLive(): void {
  const span = timelineSpan.peek();
  if (state.peek().own.live) {
    setOwn('live', '', 'replace');
    return;
  }
  const length = span ? span.to - span.from : 0;
  // The preset nearest to what is shown.
  const preset = PRESETS.reduce((best, p) => (Math.abs(p.length - length) < Math.abs(best.length - length) ? p : best));
  showTime(lately(preset.length, Date.now()), preset.text);
}

/** Selects again up to now, if the page is live. */
export function tick(now: number): void {
  const { own } = state.peek();
  const length = parseLength(own.live ?? '');
  if (!selected.peek() || !(length > 0)) return;
  select({ ...lately(length, now) }, {}, 'replace');
}
