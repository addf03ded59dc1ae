// Asks the server for a window of a flame graph and decodes the answer. Runs in
// the worker; on the page only where there can't be one.

import { parseFigures } from '../api/figures';
import type { Answer, Flame } from '../api/types';
import { decode, type FlameModel } from '../model/model';
import type { Failure } from './messages';

export async function answer(path: string, signal: AbortSignal): Promise<{ model: FlameModel; warnings: string[] }> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw await failureOf(response);
  const body = parseFigures<Answer<Flame>>(await response.text());
  return { model: decode(body.report), warnings: body.warnings ?? [] };
}

async function failureOf(response: Response): Promise<Failure> {
  const failure: Failure = { status: response.status, message: `${response.status} ${response.statusText}` };
  try {
    const { error } = (await response.json()) as { error?: { message?: string; param?: string } };
    if (error?.message) failure.message = error.message;
    if (error?.param) failure.param = error.param;
  } catch {
    // Not from hone: the status has to do.
  }
  return failure;
}

/** What anything thrown by answer tells the user; null if it was cancelled. */
export function asFailure(err: unknown): Failure | null {
  if (err instanceof DOMException && err.name === 'AbortError') return null;
  if (typeof err === 'object' && err !== null && 'status' in err) return err as Failure;
  if (err instanceof TypeError) return { status: 0, message: 'The server doesn’t respond. Is hone still running?' };
  return { status: 0, message: err instanceof Error ? err.message : String(err) };
}
