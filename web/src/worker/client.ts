// The page's side of the worker. There is one worker for all graphs.

import { ApiError } from '../api/client';
import type { FlameModel } from '../model/model';
import { answer, asFailure } from './answer';
import type { Failure, Order, Reply } from './messages';
import workerURL from './worker?worker&url';

interface Loaded {
  model: FlameModel;
  warnings: string[];
}

interface Waiting {
  path: string;
  signal: AbortSignal;
  resolve: (loaded: Loaded) => void;
  reject: (err: unknown) => void;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown };
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null | undefined; // null: there can be none
let asked = 0;

/** The policy of the page lets scripts be started only through this: the worker's file and no other. */
function scriptURL(url: string): string {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  const policy = trustedTypes.createPolicy('hone', {
    createScriptURL(wanted) {
      if (wanted !== workerURL) throw new TypeError('not a script of hone');
      return wanted;
    },
  });
  return policy.createScriptURL(url) as string; // the constructor takes the object it is
}

function start(): Worker | null {
  try {
    const w = new Worker(scriptURL(workerURL), { type: 'module' });
    w.addEventListener('message', (event: MessageEvent<Reply>) => settle(event.data));
    w.addEventListener('error', () => {
      // It could not be loaded, or died: the page does its work, more slowly.
      worker = null;
      for (const [ask, request] of waiting) void serveHere(ask, request);
    });
    return w;
  } catch {
    return null;
  }
}

function settle(reply: Reply): void {
  const request = waiting.get(reply.ask);
  if (!request) return;
  waiting.delete(reply.ask);
  if ('failure' in reply) request.reject(errorOf(reply.failure));
  else request.resolve({ model: reply.model, warnings: reply.warnings });
}

function errorOf(f: Failure): ApiError {
  return new ApiError(f.status, f.message, f.param);
}

async function serveHere(ask: number, request: Waiting): Promise<void> {
  try {
    settle({ ask, ...(await answer(request.path, request.signal)) });
  } catch (err) {
    const failure = asFailure(err);
    if (failure) settle({ ask, failure });
    else waiting.delete(ask);
  }
}

/** Loads a window. What is cancelled by its signal never settles. */
export function load(path: string, signal: AbortSignal): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    if (worker === undefined) worker = start();
    const ask = ++asked;
    const request = { path, signal, resolve, reject };
    waiting.set(ask, request);
    if (!worker) {
      void serveHere(ask, request);
      return;
    }
    worker.postMessage({ ask, path } satisfies Order);
    signal.addEventListener('abort', () => {
      if (waiting.delete(ask)) worker?.postMessage({ cancel: ask } satisfies Order);
    });
  });
}
