// The worker: fetches, decodes and lays out, and hands the arrays over.

import { buffers } from '../model/model';
import { answer, asFailure } from './answer';
import type { Order, Reply } from './messages';

const scope = self as unknown as DedicatedWorkerGlobalScope;
const running = new Map<number, AbortController>();

scope.addEventListener('message', (event: MessageEvent<Order>) => {
  const order = event.data;
  if ('cancel' in order) running.get(order.cancel)?.abort();
  else void serve(order.ask, order.path);
});

async function serve(ask: number, path: string): Promise<void> {
  const abort = new AbortController();
  running.set(ask, abort);
  try {
    const { model, warnings } = await answer(path, abort.signal);
    scope.postMessage({ ask, model, warnings } satisfies Reply, buffers(model));
  } catch (err) {
    const failure = asFailure(err);
    if (failure) scope.postMessage({ ask, failure } satisfies Reply);
  } finally {
    running.delete(ask);
  }
}
