// What the page and the worker tell each other.

import type { FlameModel } from '../model/model';

export type Order = { ask: number; path: string } | { cancel: number };

export interface Failure {
  status: number;
  message: string;
  param?: string;
}

export type Reply =
  | { ask: number; model: FlameModel; warnings: string[] }
  | { ask: number; failure: Failure };
