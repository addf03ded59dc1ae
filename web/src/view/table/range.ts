// Which rows of a long list a scrolled element shows, and where to go in it. Pure.

export interface Range {
  /** First row to draw and the one behind the last. */
  first: number;
  end: number;
  /** Where the first of them is, from the top of the scrolled content. */
  top: number;
}

/** Browsers stop at heights above some ten millions of pixels. */
export const MAX_HEIGHT = 8_000_000;

export const SPARE = 6; // rows above and below, so that a flick shows no gap

/** Height of the scrolled content. */
export function contentHeight(count: number, rowHeight: number): number {
  return Math.min(count * rowHeight, MAX_HEIGHT);
}

/**
 * Distance of what is shown from the top of the list. Where the list is taller
 * than a browser can scroll, a pixel of scrolling stands for several.
 */
function listOffset(scrollTop: number, height: number, count: number, rowHeight: number): number {
  const real = count * rowHeight;
  if (real <= MAX_HEIGHT) return scrollTop;
  const span = MAX_HEIGHT - height;
  return span <= 0 ? 0 : (Math.min(scrollTop, span) / span) * (real - height);
}

export function visibleRows(scrollTop: number, height: number, count: number, rowHeight: number): Range {
  const offset = listOffset(Math.max(0, scrollTop), height, count, rowHeight);
  const first = Math.max(0, Math.min(Math.floor(offset / rowHeight), count) - SPARE);
  const end = Math.min(count, Math.ceil((offset + height) / rowHeight) + SPARE);
  return { first, end: Math.max(first, end), top: first * rowHeight - offset + Math.max(0, scrollTop) };
}

/** The scroll position that shows a row, or null if it is in view already. */
export function scrollTo(row: number, scrollTop: number, height: number, count: number, rowHeight: number): number | null {
  const offset = listOffset(scrollTop, height, count, rowHeight);
  const top = row * rowHeight;
  let want: number;
  if (top < offset) want = top;
  else if (top + rowHeight > offset + height) want = top + rowHeight - height;
  else return null;
  const real = count * rowHeight;
  if (real <= MAX_HEIGHT) return want;
  return (want / (real - height)) * (MAX_HEIGHT - height);
}

/** Index of the next row that matches, around the end; -1 for none. Rows not loaded are passed over. */
export function nextRow(from: number, direction: 1 | -1, count: number, matches: (index: number) => boolean): number {
  for (let i = 1; i <= count; i++) {
    const at = (((from + direction * i) % count) + count) % count;
    if (matches(at)) return at;
  }
  return -1;
}
