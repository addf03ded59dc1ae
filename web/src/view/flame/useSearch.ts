import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { FlameSearch } from '../../api/types';
import type { Matcher } from '../../draw/scene';
import { tester } from '../../model/pattern';
import { useReport } from '../../state/report';
import { matched, nextMatch } from '../../state/state';
import type { Controller } from './controller';

/**
 * Searches a graph. Frames are marked by the page itself where it can; the share
 * and the places to go to are the server's, which knows all of the graph.
 */
export function useSearch(graph: Controller, query: URLSearchParams, pattern: string): Matcher | null {
  const search = useMemo(() => {
    if (pattern === '') return null;
    const q = new URLSearchParams(query);
    q.set('query', pattern);
    return q;
  }, [query.toString(), pattern]);
  const { answer, error, stale } = useReport<FlameSearch>('flame/search', search);
  const found = pattern !== '' && !stale ? answer?.report : undefined;

  useEffect(() => {
    if (pattern === '') matched.value = null;
    else if (error && !stale) matched.value = { error: error.param === 'query' ? error.message.replace(/^query: /, '') : error.message };
    else if (found) matched.value = { text: found.matched.text, percent: found.matched.percent, count: found.count };
  }, [pattern, found, error, stale]);
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
