import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/client';
import type { FlameSearch } from '../../api/types';
import type { Matcher } from '../../draw/scene';
import { tester } from '../../model/pattern';
import { matched, nextMatch } from '../../state/state';
import { plural } from '../table/format';
import type { Controller } from './controller';

interface Outcome {
  /** What was searched for, and where. */
  key: string;
  found?: FlameSearch;
  error?: ApiError;
}

/**
 * Searches a graph. Frames are marked by the page itself where it can; the share
 * and the places to go to are the source's, which knows all of the graph.
 */
export function useSearch(graph: Controller, query: URLSearchParams, pattern: string): Matcher | null {
  const { source } = graph;
  const key = pattern === '' ? '' : `${query} ${pattern}`;
  const [outcome, setOutcome] = useState<Outcome>({ key: '' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (key === '') return;
    const abort = new AbortController();
    source.search(query, pattern, abort.signal).then(
      (found) => {
        if (!abort.signal.aborted) setOutcome({ key, found });
      },
      (err: unknown) => {
        if (!abort.signal.aborted) setOutcome({ key, error: err instanceof ApiError ? err : new ApiError(0, String(err)) });
      },
    );
    return () => abort.abort();
  }, [source, key, attempt]);
  const { found, error }: Partial<Outcome> = outcome.key === key ? outcome : {};

  const lost = error?.status === 0;
  const reachable = source.reachable.value;
  useEffect(() => {
    if (lost && reachable) setAttempt((n) => n + 1);
  }, [lost, reachable]);

  useEffect(() => {
    if (pattern === '') matched.value = null;
    else if (error) matched.value = { error: error.param === 'query' ? error.message.replace(/^query: /, '') : error.message };
    else if (found) {
      matched.value = {
        ...found.matched, none: found.count === 0, marks: plural(found.count, 'place'), ...(found.base && { base: found.base }),
      };
    }
  }, [pattern, found, error]);
  useEffect(() => () => {
    matched.value = null;
  }, []);

  const at = useRef(-1);
  useEffect(() => {
    at.current = -1;
    if (!found || found.nodes.length === 0) return;
    const nodes = found.nodes.toSorted((a, b) => a.from - b.from || a.depth - b.depth);
    // The widest is where the story is: it comes first, and the others from there to the right.
    const widest = nodes.findIndex((n) => n.id === found.nodes[0]!.id);
    const go = (step: 1 | -1) => {
      at.current = at.current < 0 ? widest : (at.current + step + nodes.length) % nodes.length;
      graph.goTo(nodes[at.current]!);
    };
    nextMatch.value = go;
    return () => {
      if (nextMatch.peek() === go) nextMatch.value = null;
    };
  }, [graph, found]);

  return useMemo<Matcher | null>(() => {
    if (pattern === '') return null;
    const test = tester(pattern);
    if (test) return { test };
    return found ? { ids: new Set(found.nodes.map((n) => n.id)) } : null;
  }, [pattern, found]);
}
