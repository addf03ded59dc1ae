import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, report } from '../api/client';
import type { Answer } from '../api/types';
import { useReturn } from './connection';

/** A report on its way. While a new one loads, the last answer stays, marked stale. */
export interface Loading<T> {
  answer?: Answer<T>;
  error?: ApiError;
  stale: boolean;
  /** Asks again, after an error or a stop. */
  retry?: () => void;
  /** Gives it up, and whether that was done. */
  stop?: () => void;
  stopped?: boolean;
}

/** The option the server last refused, with the value it refused; the refine bar shows it. */
export const refused = signal<{ param: string; value: string; message: string } | null>(null);

/** The last query of each report, so that exports and commands know what a view added to it. */
export const asked = new Map<string, URLSearchParams>();

/** Asks for a report and follows changes of the query; null asks for nothing. */
export function useReport<T>(name: string, query: URLSearchParams | null): Loading<T> {
  const key = query === null ? null : query.toString();
  const [loading, setLoading] = useState<Loading<T> & { key: string | null }>({ key: null, stale: true });
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt((n) => n + 1);
  const running = useRef<AbortController>(undefined);
  const stop = () => {
    running.current?.abort();
    setLoading({ key, stale: false, stopped: true });
  };
  useEffect(() => {
    if (key === null) return;
    const abort = running.current = new AbortController();
    asked.set(name, new URLSearchParams(key));
    setLoading((last) => ({ ...(last.answer ? { answer: last.answer } : {}), key, stale: true }));
    report<T>(name, new URLSearchParams(key), abort.signal).then(
      (answer) => {
        if (abort.signal.aborted) return;
        refused.value = null;
        setLoading({ key, answer, stale: false });
      },
      (err: unknown) => {
        if (abort.signal.aborted) return;
        const error = err instanceof ApiError ? err : new ApiError(0, String(err));
        if (error.param !== undefined) {
          refused.value = { param: error.param, value: new URLSearchParams(key).get(error.param) ?? '', message: error.message };
        }
        setLoading({ key, error, stale: false });
      },
    );
    return () => abort.abort();
  }, [name, key, attempt]);
  useReturn(loading.error?.status === 0, retry);
  // Of another query nothing is known yet: it is asked for after the next frame, and awaited from now on.
  if (key === null || loading.key === key) return { ...loading, retry, stop };
  return { ...(loading.answer ? { answer: loading.answer } : {}), stale: true, retry };
}
