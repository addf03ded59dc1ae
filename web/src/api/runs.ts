// Kept runs: see "Runs" in doc/api.md. Their Go definitions are in
// internal/api/runs.go.

import { request } from './client';

export interface Revision {
  name?: string;
  commit?: string;
  dirty?: boolean;
  branch?: string;
  /** The first line of the commit's message. */
  subject?: string;
}

export interface Environment {
  goos: string;
  goarch: string;
  cpu?: string;
  cores: number;
  governor?: string;
  load?: string;
  go?: string;
  gogc?: string;
  gomemlimit?: string;
  gomaxprocs?: string;
  godebug?: string;
  goflags?: string;
}

export interface Run {
  id: string;
  dir: string;
  created: string;
  state: 'complete' | 'partial' | 'corrupt';
  /** Why it is corrupt. */
  error?: string;
  head?: Revision;
  base?: Revision;
  benchmarks: number;
  /** Seconds until it was complete. */
  took?: number;
  command?: string[];
  warnings?: string[];
  /** Head, and what it was measured against, as hone runs prints them. */
  revision: string;
  environment?: Environment;
}

export interface ListedRun extends Run {
  packages: string[];
  /** The command, as a shell takes it. */
  line: string;
  /** Of benchmarks. */
  names: string[];
}

export interface RunList {
  dir: string;
  runs: ListedRun[];
}

/** What a run with a base found, in one line, and the part of that which changed. */
export interface RunVerdict {
  summary: string;
  changed: string;
  worse: number;
  better: number;
}

export interface RunProfile {
  /** As parameters profile and base of reports take it: RUN:Benchmark/kind. */
  id: string;
  package?: string;
  benchmark: string;
  side: 'head' | 'base';
  kind: string;
}

export interface RunInfo extends Run {
  environment: Environment;
  notes: string[];
  problems: string[];
  /** The command, as a shell takes it. */
  line: string;
  profiles: RunProfile[];
  /** There is a RunLoad. */
  load?: boolean;
}

/** What a run under load has besides: see load.json in doc/runs.md. Times are in nanoseconds. */
export interface RunLoad {
  id: string;
  package: string;
  benchmark: string;
  sides: LoadSide[];
}

export interface LoadSide {
  side: 'head' | 'base';
  started: string;
  elapsed: number;
  /** In which requests were due; missing in runs of an older hone. */
  period?: number;
  /** Requests per second; 0: as many as it takes. */
  asked: number;
  /** null: too few requests to tell. */
  rate: number | null;
  succeeded: number;
  failed: number;
  /** Succeeded, but after the period: not in the rate. */
  overdue?: number;
  late: number;
  waited: number;
  bytes: number;
  /** Requests that were sent beside those, as answers asked for them. */
  redirected?: number;
  connections?: number;
  /** Requests at once, where they share connections. */
  streams?: number;
  periods: { start: number; end: number; started: string }[] | null;
  windows: LoadWindow[] | null;
  response: LoadTimes;
  service: LoadTimes;
  failures?: { name: string; count: number; samples: string[] | null }[];
  costs?: { kind: string; unit: string; value: number }[];
  /** Of garbage collection, of CPU time. */
  gc_share?: number;
  hottest?: { function: string; share: number }[];
  /** When requests were due and no answer came. */
  silences?: { start: number; end: number; due: number }[];
  goals?: { text: string; met: boolean }[];
  void?: string;
  stopped?: string;
  interrupted?: boolean;
}

/** What ended within a second or so. A quantile is null if that request failed. */
export interface LoadWindow {
  start: number;
  end: number;
  asked: number;
  succeeded: number;
  failed: number;
  /** Succeeded, but after the period. */
  overdue?: number;
  late?: number;
  p50: number | null;
  p99: number | null;
  max: number | null;
}

export interface LoadTimes {
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
  'p99.9': number | null;
  'p99.99': number | null;
  max: number | null;
  curve: LoadPoint[] | null;
}

/** A share q of all requests took at most time. */
export interface LoadPoint {
  q: number;
  time: number;
}

export interface Cell {
  samples: number;
  median: number | null;
  lo: number | null;
  hi: number | null;
  warnings?: string[];
}

/** Results in one unit; those of different packages and machines are in different tables. */
export interface RunTable {
  config: Record<string, string>;
  unit: string;
  columns: string[];
  rows: { benchmark: string; cells: (Cell | null)[] }[];
}

export interface Side {
  median: number | null;
  lo: number | null;
  hi: number | null;
  n: number;
}

export type Verdict =
  | 'better' | 'worse' | 'differs' | 'no change' | 'within budget' | 'inconclusive' | 'one side only' | 'same code' | 'other clock';

export interface Compared {
  package?: string;
  benchmark: string;
  unit: string;
  better: -1 | 0 | 1;
  verdict: Verdict;
  words: string;
  gated: boolean;
  confirmed: boolean;
  exact: boolean;
  scale: 'ratio' | 'difference';
  pairs: number;
  base: Side | null;
  head: Side | null;
  /** head/base or head−base, as scale says. */
  change: number | null;
  p: number | null;
  adjustedP: number | null;
  minDetectable: number | null;
  warnings?: string[];
}

/** A change with its 95 % interval; null is unbounded. */
export interface Bounded {
  value: number;
  lo: number | null;
  hi: number | null;
}

export interface Moved {
  name: string;
  file?: string;
  /** Null where that side costs something and its profile is empty. */
  baseOwn: number | null;
  headOwn: number | null;
  baseCum: number | null;
  headCum: number | null;
  /** Of functions. */
  ownChange?: Bounded;
  cumChange: Bounded;
  /** Code of the module. */
  yours?: boolean;
}

export interface Explanation {
  package?: string;
  benchmark: string;
  unit: string;
  sampleType: string;
  base: number;
  head: number;
  /** What the profile has per operation before, as a multiple of what it has now; 0 if unknown. */
  ratio: number;
  /** What functions and others did themselves, and the remainder, add up to it. */
  change: Bounded;
  /** Those whose own cost changed beyond its noise, the largest change first. */
  functions: Moved[];
  /** All others, each within its noise. */
  others?: { functions: number; ownChange: Bounded };
  /** What profiles do not see. */
  remainder?: { value: number; why: string };
  /** Those whose cost with callees changed; none of functions. */
  callers: Moved[];
  /** Instead of functions. */
  tooFewSamples?: { base: number; head: number; profileTime?: number; text: string };
  caveat?: string;
}

export interface Comparison {
  columns: { label: string; run?: string; side?: 'head' | 'base'; revision?: Revision; environment?: Environment }[];
  tables: RunTable[];
  comparisons: {
    base: string;
    head: string;
    summary: string;
    method: string;
    alpha: number;
    tested: number;
    apart?: boolean;
    comparisons: Compared[];
    explanations: Explanation[];
  }[];
  notes?: string[];
  warnings: string[];
  /** By comparison and row: its figures as hone prints them. */
  shown: { unit: string; base: string; head: string; change: string; interval: string; verdict: string }[][];
  /** What prints it. */
  command: string;
}

export interface TrendRun {
  id: string;
  created: string;
  state: 'complete' | 'partial';
  revision: string;
  branch?: string;
  /** The first line of the commit's message. */
  subject?: string;
  machine: string;
  go?: string;
}

export interface TrendSeries {
  package?: string;
  benchmark: string;
  unit: string;
  better: -1 | 0 | 1;
  points: { run: number; median: number | null; lo: number | null; hi: number | null; n: number }[];
  bounds: { kind: 'max' | 'min'; value: number; text: string; name?: string }[];
}

export interface Trend {
  runs: TrendRun[];
  series: TrendSeries[];
  warnings: string[];
}

async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  return (await (await request(path, { signal })).json()) as T;
}

export const listRuns = (signal: AbortSignal) => get<RunList>('runs', signal);
export const runVerdicts = (signal: AbortSignal) => get<{ verdicts: Record<string, RunVerdict> }>('runs/verdicts', signal);
export const runInfo = (id: string, signal: AbortSignal) => get<RunInfo>(`runs/${encodeURIComponent(id)}`, signal);
export const runLoad = (id: string, signal: AbortSignal) => get<RunLoad>(`runs/${encodeURIComponent(id)}/load`, signal);
export const compareRuns = (runs: readonly string[], signal: AbortSignal) => get<Comparison>(`runs/compare?${runQuery(runs)}`, signal);
export const runTrend = (signal: AbortSignal) => get<Trend>('runs/trend', signal);

/** A comparison as a file. */
export function comparisonFile(runs: readonly string[], format: 'csv' | 'text' | 'markdown' | 'html'): string {
  return `/api/v1/runs/compare?${runQuery(runs)}&format=${format}&download=1`;
}

function runQuery(runs: readonly string[]): string {
  return runs.map((run) => `run=${encodeURIComponent(run)}`).join('&');
}
