// Where a flame graph comes from: the server, or the file that the page is.
// Whatever draws it knows only this.

import type { ReadonlySignal } from '@preact/signals';
import type { FlameSearch } from '../../api/types';
import type { FlameModel } from '../../model/model';

/** A part of a graph: from a position to another, what a node fills, or all of it. */
export interface Part {
  from?: number;
  to?: number;
  node?: number;
  /** Of the drawing in CSS pixels: how much detail is wanted. */
  width: number;
}

export interface Loaded {
  model: FlameModel;
  warnings: readonly string[];
}

/**
 * Answers questions about flame graphs, each named by the query of report/flame
 * (see doc/api.md). What fails does so with an ApiError; what is cancelled by
 * its signal never settles, or fails with an AbortError.
 */
export interface FlameSource {
  window(query: URLSearchParams, part: Part, signal: AbortSignal): Promise<Loaded>;
  search(query: URLSearchParams, pattern: string, signal: AbortSignal): Promise<FlameSearch>;
  /** When it turns true, what failed with status 0 is asked again. */
  readonly reachable: ReadonlySignal<boolean>;
}
