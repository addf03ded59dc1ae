import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { contentHeight, scrollTo, visibleRows, type Range } from './range';

export interface Virtual {
  range: Range;
  /** Height of the whole list's element. */
  height: number;
  rowHeight: number;
  /** Width of the scrolled element's inside; 0 before it is measured. */
  width: number;
  /** Rows that fit into the view. */
  page: number;
  onScroll: () => void;
  /** Scrolls as little as needed to show a row; with center, to the middle. */
  show: (row: number, center?: boolean) => void;
}

/** Rows are this high, in rem: text of one line with room for a finger's error. */
export const ROW_REM = 1.75;

const pixels = (rem: number) => Math.round(rem * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16));

/**
 * Keeps a long list's rows out of the document but for those in view. element
 * scrolls; headRows is how many rows' height a sticky header covers of it.
 */
export function useVirtual(element: RefObject<HTMLElement | null>, count: number, headRows = 0, rowRem = ROW_REM): Virtual {
  const [size, setSize] = useState(() => ({ width: 0, height: 0, rowHeight: pixels(rowRem) }));
  const head = headRows * size.rowHeight;
  const inner = Math.max(0, size.height - head);
  const [range, setRange] = useState<Range>(() => visibleRows(0, 900, count, size.rowHeight));
  const latest = useRef(range);

  const place = useCallback(
    (force: boolean) => {
      const el = element.current;
      if (!el) return;
      const next = visibleRows(el.scrollTop, inner || 900, count, size.rowHeight);
      const last = latest.current;
      // A list that is scrolled as tall as it is needs new rows only when
      // others come into view; a compressed one moves them at each step.
      if (!force && next.first === last.first && next.end === last.end && next.top === last.top) return;
      latest.current = next;
      setRange(next);
    },
    [element, inner, count, size.rowHeight],
  );

  useLayoutEffect(() => {
    const el = element.current;
    if (!el) return;
    const measure = () => {
      const next = { width: el.clientWidth, height: el.clientHeight, rowHeight: pixels(rowRem) };
      setSize((old) =>
        old.width === next.width && old.height === next.height && old.rowHeight === next.rowHeight ? old : next,
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(el);
    return () => observer.disconnect();
  }, [element, rowRem]);

  useLayoutEffect(() => place(false), [place]);

  const show = useCallback(
    (row: number, center = false) => {
      const el = element.current;
      if (!el || inner <= 0) return;
      const top = scrollTo(row, el.scrollTop, inner, count, size.rowHeight);
      if (top === null) return;
      const middle = center && count * size.rowHeight <= contentHeight(count, size.rowHeight);
      el.scrollTop = middle ? row * size.rowHeight - inner / 2 : top;
    },
    [element, inner, count, size.rowHeight],
  );

  return {
    range,
    height: contentHeight(count, size.rowHeight),
    rowHeight: size.rowHeight,
    width: size.width,
    page: Math.max(1, Math.floor(inner / size.rowHeight) - 1),
    onScroll: () => place(false),
    show,
  };
}
