import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client';
import type { Loading } from './report';
import { useReturn } from './connection';

/** Asks for what a key names and follows its changes; null asks for nothing. It is told as reports are. */
export function useAnswer<T extends object>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Loading<T> {
  const [loading, setLoading] = useState<Loading<T> & { key: string | null }>({ key: null, stale: true });
  const [attempt, setAttempt] = useState(0);
  const retry = () => setAttempt((n) => n + 1);
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    setLoading((last) => ({ ...(last.answer && last.key === key ? { answer: last.answer } : {}), key, stale: true }));
    ask(abort.signal).then(
      (report) => !abort.signal.aborted
        && setLoading({ key, answer: { report, warnings: 'warnings' in report ? (report.warnings as string[]) : [] }, stale: false }),
      (err: unknown) => !abort.signal.aborted
        && setLoading({ key, error: err instanceof ApiError ? err : new ApiError(500, String(err)), stale: false }),
    );
    return () => abort.abort();
  }, [key, attempt]);
  useReturn(loading.error?.status === 0, retry);
  return loading.key === key ? { ...loading, retry } : { stale: true, retry };
}

/** As useAnswer; the last answer stays, marked stale, until that of the next key is there. */
export function useLasting<T extends object>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Loading<T> {
  const loading = useAnswer(key, ask);
  const last = useRef<Loading<T>['answer']>(undefined);
  if (key === null) last.current = undefined;
  else if (loading.answer && !loading.stale) last.current = loading.answer;
  if (loading.answer || loading.error || last.current === undefined) return loading;
  return { ...loading, answer: last.current };
}
