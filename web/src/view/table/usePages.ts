import { useEffect, useRef, useState } from 'preact/hooks';
import { report } from '../../api/client';
import { useReport, type Loading } from '../../state/report';
import { extend } from './query';

export interface Pages<T, R> {
  /** The first page: it tells of errors and how many rows there are. */
  first: Loading<T>;
  total: number;
  /** A row, or undefined while its page is on its way. */
  row: (index: number) => R | undefined;
  /** Fetches the pages that rows from first to before end are on. */
  need: (first: number, end: number) => void;
}

/** A report of many rows, fetched a page at a time as they come into view. */
export function usePages<T, R>(
  name: string,
  query: URLSearchParams,
  size: number,
  rowsOf: (answer: T) => readonly R[],
): Pages<T, R> {
  const first = useReport<T>(name, extend(query, { limit: String(size), offset: '0' }));
  const [, redraw] = useState(0);
  const key = query.toString();
  const pages = useRef(new Map<number, readonly R[]>());
  const asked = useRef(new Set<number>());
  const abort = useRef<AbortController>(undefined);

  useEffect(() => {
    pages.current = new Map();
    asked.current = new Set();
    abort.current = new AbortController();
    return () => abort.current?.abort();
  }, [name, key]);

  const start = first.answer ? rowsOf(first.answer.report) : [];
  const total = first.answer ? (first.answer.rows ?? start.length) : 0;

  const need = (from: number, end: number) => {
    if (first.stale || first.error) return;
    for (let page = Math.floor(from / size); page * size < Math.min(end, total); page++) {
      if (page === 0 || asked.current.has(page)) continue;
      asked.current.add(page);
      const signal = abort.current?.signal;
      const mine = pages.current;
      report<T>(name, extend(query, { limit: String(size), offset: String(page * size) }), signal).then(
        (answer) => {
          mine.set(page, rowsOf(answer.report));
          if (mine === pages.current) redraw((n) => n + 1);
        },
        () => {
          // Asked again when it next comes into view.
          asked.current.delete(page);
        },
      );
    }
  };

  const row = (index: number) => {
    const page = Math.floor(index / size);
    return page === 0 ? start[index] : pages.current.get(page)?.[index - page * size];
  };
  return { first, total, row, need };
}
