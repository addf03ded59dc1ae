// Advice on its way, and links from what it finds to what shows it.

import { useEffect, useState } from 'preact/hooks';
import { advice, type Advice, type AdviceProgress, type Finding } from '../api/advice';
import { ApiError } from '../api/client';
import { origin } from './address';
import { shellQuote } from './command';
import { exactly } from './pattern';
import { sourcesOf } from './profiles';
import { useReturn } from './connection';
import { isSelection, parseSelection } from './selection';
import { formatSelector, parseSelector } from './selector';
import type { State } from './state';

export interface Advising {
  /** The last answer; stale while it is asked for again. */
  answer?: Advice;
  progress?: AdviceProgress;
  error?: ApiError;
  /** The user did not want to wait. */
  stopped?: boolean;
  stop: () => void;
  again: () => void;
}

/** The question for advice on profiles, as the server takes it. */
export const adviceOnProfiles = (ids: readonly string[]): string =>
  new URLSearchParams(ids.map((id) => ['profile', id] as [string, string])).toString();

export const adviceOnRun = (id: string): string => new URLSearchParams({ run: id }).toString();

const known = new Map<string, Advice>();
const KEPT = 20;

/** Asks for advice until it is there; null asks for nothing. Nobody asking ends the server's work. */
export function useAdvice(of: string | null): Advising {
  const [now, setNow] = useState<Omit<Advising, 'stop' | 'again'> & { of: string | null }>({ of: null });
  const [attempt, setAttempt] = useState(0);
  const stopped = now.of === of && now.stopped === true;
  useEffect(() => {
    if (of === null || stopped) return;
    const abort = new AbortController();
    const before = known.get(of);
    setNow({ of, ...(before ? { answer: before } : {}) });
    void follow(of, abort.signal, (got) => {
      if (abort.signal.aborted) return;
      if (got instanceof ApiError) setNow({ of, error: got });
      else if ('stage' in got) setNow((last) => ({ ...last, of, progress: got }));
      else setNow({ of, answer: got });
    });
    return () => abort.abort();
  }, [of, attempt, stopped]);
  const again = () => {
    setNow({ of: null });
    setAttempt((n) => n + 1);
  };
  useReturn(now.error?.status === 0, again);
  const stop = () => setNow({ of, stopped: true });
  return now.of === of ? { ...now, stop, again } : { stop, again };
}

async function follow(of: string, signal: AbortSignal, tell: (got: Advice | AdviceProgress | ApiError) => void): Promise<void> {
  try {
    for (;;) {
      const got = await advice(of, signal);
      if (!('stage' in got)) {
        known.delete(of);
        known.set(of, got);
        if (known.size > KEPT) known.delete(known.keys().next().value!);
      }
      tell(got);
      if (!('stage' in got) || signal.aborted) return;
    }
  } catch (err) {
    tell(err instanceof ApiError ? err : new ApiError(0, String(err)));
  }
}

const SINCE = 5 * 60_000; // ms: what ended so long ago goes on up to now

/** The command that gives the same advice in the module's folder. */
export function adviceCommand(of: { run: string } | { profiles: readonly string[] }): string {
  const words = (...all: string[]) => all.map(shellQuote).join(' ');
  if ('run' in of) return words('hone', 'advise', of.run);
  const [first] = of.profiles;
  const run = /^([^:]+):/.exec(first ?? '')?.[1];
  if (first !== undefined && isSelection(first)) {
    const s = parseSelection(first, Date.now());
    const matchers = parseSelector(s.q)?.filter((m) => m.name !== 'kind');
    if (matchers && matchers.length > 0 && s.from && !s.id && (!s.to || s.to > Date.now() - SINCE)) {
      // As long as what is selected: until now it would be longer with every minute, and 24 hours be 25.
      const minutes = Math.max(1, Math.ceil(((s.to || Date.now()) - s.from) / 60_000));
      const last = minutes > 120 ? `${Math.ceil(minutes / 60)}h` : `${minutes}m`;
      return words('hone', 'advise', '-server', origin(), '-service', formatSelector(matchers), '-last', last);
    }
  } else if (run !== undefined) {
    return words('hone', 'advise', run);
  }
  return words('hone', 'advise', ...of.profiles.flatMap(sourcesOf));
}

/** Where a finding is shown: the function's lines, or the stacks it is in. null: it is of no function. */
export function findingState(f: Finding, view: 'source' | 'flame', within?: State): State | null {
  const profile = f.profile ?? within?.profile[0];
  if (!f.symbol || profile === undefined) return null;
  const same = within !== undefined && (within.profile[0] === profile || isSelection(profile));
  const options: Record<string, string> = {};
  // Profiles of memory have what is in use and what was allocated; which of them comes first varies.
  const { cpu, bytes, objects, live } = f.evidence;
  if (live) options['sample_index'] = 'inuse_space';
  else if (!cpu && (bytes || objects)) options['sample_index'] = bytes ? 'alloc_space' : 'alloc_objects';
  if (view === 'flame') options['focus'] = exactly(f.symbol);
  const { zoom: _, order: __, find: ___, ...own } = same ? within.own : {};
  return {
    view, profile: same && within.profile[0] === profile ? within.profile : [profile], base: [], options, fn: f.symbol, search: '',
    own: view === 'source' ? { ...own, finding: f.id } : own,
  };
}

const slashes = (name: string) => name.replaceAll('\\', '/');
const last = (name: string) => slashes(name).replace(/^.*\//, '');

/** The findings in a function of a listing, by their lines. */
export function findingsIn(all: readonly Finding[], fn: { name: string; file?: string; path?: string }): Map<number, Finding[]> {
  const found = new Map<number, Finding[]>();
  const file = fn.path ?? fn.file ?? '';
  for (const f of all) {
    if (!f.file || !f.line) continue;
    const here = slashes(f.file) === slashes(file) || (f.symbol === fn.name && last(f.file) === last(file));
    if (here) found.set(f.line, [...(found.get(f.line) ?? []), f]);
  }
  return found;
}
