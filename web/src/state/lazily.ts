// Answers that rows of a list need. They are asked for when the rows come into view, a few
// in parallel. Rows that left the view are not asked for.

import { signal, type ReadonlySignal, type Signal } from '@preact/signals';

export interface Lazy<T> {
  /** The last answer, kept while a new one is on its way. */
  value?: T;
  error?: string;
}

export interface Lazily<T> {
  /** What is known of a key. */
  of: (key: string) => ReadonlySignal<Lazy<T>>;
  /** Asks for a key, unless it has an answer of this round. The function it returns cancels the request. */
  want: (key: string, round: number) => () => void;
}

interface Entry<T> {
  known: Signal<Lazy<T>>;
  round: number;
  wanted: number;
  running: AbortController | null;
}

export function lazily<T>(ask: (key: string, signal: AbortSignal) => Promise<T>, parallel: number): Lazily<T> {
  const entries = new Map<string, Entry<T>>();
  const waiting: string[] = [];
  let running = 0;

  const entryOf = (key: string): Entry<T> => {
    let entry = entries.get(key);
    if (!entry) entries.set(key, (entry = { known: signal({}), round: NaN, wanted: 0, running: null }));
    return entry;
  };

  const begin = () => {
    while (running < parallel) {
      const key = waiting.shift();
      if (key === undefined) return;
      void run(key, entryOf(key));
    }
  };

  const run = async (key: string, entry: Entry<T>) => {
    const abort = new AbortController();
    const { round } = entry;
    entry.running = abort;
    running++;
    try {
      const value = await ask(key, abort.signal);
      if (!abort.signal.aborted) entry.known.value = { value };
    } catch (err) {
      if (!abort.signal.aborted) entry.known.value = { ...entry.known.peek(), error: err instanceof Error ? err.message : String(err) };
    }
    running--;
    if (entry.running === abort) entry.running = null;
    if (abort.signal.aborted && entry.round === round) { // not answered
      if (entry.wanted > 0) waiting.push(key); // again, before it ended
      else entry.round = NaN;
    }
    begin();
  };

  return {
    of: (key) => entryOf(key).known,
    want(key, round) {
      const entry = entryOf(key);
      entry.wanted++;
      if (entry.round !== round) {
        entry.round = round;
        if (!waiting.includes(key)) waiting.push(key);
        begin();
      }
      return () => {
        if (--entry.wanted > 0) return;
        const at = waiting.indexOf(key);
        if (at >= 0) {
          waiting.splice(at, 1);
          entry.round = NaN;
        }
        entry.running?.abort();
      };
    },
  };
}
