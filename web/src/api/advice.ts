// What to change in the source that profiles are of: see "Advice" in doc/api.md.
// The Go definitions are in internal/api/advice.go and internal/advice.

import { request } from './client';

/** Of a rewrite: safe, to be reviewed, or there is none. Look: only facts are known about the line. */
export type Class = 'A' | 'B' | 'C' | 'look';

export type FindingState = 'hinted' | 'bounded' | 'patched' | 'confirmed' | 'refuted' | 'inconclusive';

export interface Share {
  value: number;
  unit: string;
  /** Of the total, 0 to 1. */
  share: number;
  samples: number;
}

export interface Evidence {
  /** Where it costs most, and everywhere it does: benchmarks or services. */
  subject?: string;
  subjects?: string[];
  cpu?: Share;
  bytes?: Share;
  objects?: Share;
  mutex?: Share;
  block?: Share;
  /** In use, of a heap profile. */
  live?: Share;
  liveObjects?: Share;
  callees?: { function: string; share: number }[];
}

/** A ceiling on what a rewrite can gain; parts are 0 to 1. */
export interface Bound {
  time: number;
  /** The standard error of time. */
  error?: number;
  /** Of time, what is spent elsewhere on collecting garbage. */
  gc?: number;
  speedup?: number;
  bytes?: number;
  waiting?: number;
  /** Of the heap in use, and how many bytes that is. */
  live?: number;
  liveBytes?: number;
  /** What ranks findings: the part of the time that is likely to be gained. */
  worth?: number;
}

export interface Finding {
  id: string;
  rule: string;
  class: Class;
  state: FindingState;
  title: string;
  why: string;
  package?: string;
  function?: string;
  /** The function as profiles name it. */
  symbol?: string;
  file?: string;
  line?: number;
  text?: string;
  evidence: Evidence;
  bound: Bound;
  /** What else is known of the line. */
  facts?: string[];
  caveats?: string[];
  fix?: { file: string; diff: string };
  /**
   * Findings that this one stands for: of its rule in the function, with their cost, or of another rule on the line, which have a
   * title. evidence covers only the finding’s own line.
   */
  also?: { id: string; line: number; title?: string; most?: string; cost?: string }[];
  /** The finding that has this one in also. */
  folded?: string;
  /** It gains less than 1 %. */
  little?: boolean;
  /** How hone fix proves one without a rewrite. */
  try?: 'setting' | 'profile';
  place: string;
  costs: string[] | null;
  /** The id of the profile that shows what it costs. */
  profile?: string;
}

/** What became of a rewrite. */
export interface Trial {
  finding: string;
  rule: string;
  file: string;
  state: FindingState;
  why: string;
  caveat?: string;
  time: string;
  run?: string;
  kept: boolean;
}

export interface Advice {
  /** What is worth doing first, and what introduces that. */
  title: string;
  summary: { id: string; what: string; most?: string; benchmark?: string }[];
  findings: Finding[];
  /** By subject: the part of the CPU time below all findings. */
  together?: Record<string, number>;
  unexamined?: string[];
  packages: string[] | null;
  history: Trial[] | null;
  module: string;
  run?: string;
  /** Whether hone fix knows the findings, in the module's folder. */
  kept: boolean;
}

export interface AdviceProgress {
  stage: string;
  /** ms */
  elapsed: number;
}

/** How long an answer is waited for before it says how far it is, in s. */
const WAIT = 1;

/** Asks for advice; what is still being made tells how far it is. */
export async function advice(of: string, signal: AbortSignal): Promise<Advice | AdviceProgress> {
  return (await (await request(`advice?${of}&wait=${WAIT}`, { signal })).json()) as Advice | AdviceProgress;
}
