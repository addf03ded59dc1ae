// What a heat map of the timeline shows: the rows are the values of a label, or ranges of the
// values of single profiles. A part of it that is selected is a time, and rows of the label.

import { select, selected } from './selected';
import { formatSpan, type Selection, type Span } from './selection';
import { setOwn, state } from './state';
import { timelineSpan } from './time';

/** How the address names rows by value. No label can have this name. */
export const BY_VALUE = '=value';

/** Switches from lines to a heat map by the label that they are grouped by, or back to lines. */
export function toggleHeat(): void {
  const { own } = state.peek();
  setOwn('heat', own.heat ? '' : own.by || 'instance', 'replace');
}

/** Selects a part of a heat map; the timeline stays. */
export function selectArea(time: Span, q: string): void {
  const span = timelineSpan.peek();
  const change: Partial<Selection> = { from: time.from, to: time.to, ...(q === selected.peek()?.q ? {} : { q }) };
  select(change, { span: span ? formatSpan(span) : '', live: '' });
}
