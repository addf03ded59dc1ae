import { expect, test } from 'vitest';
import { lazily } from './lazily';

/** Answers that come when they are told to. */
function asked() {
  const open = new Map<string, (text: string) => void>();
  const order: string[] = [];
  const ask = (key: string, signal: AbortSignal) => new Promise<string>((resolve, reject) => {
    order.push(key);
    open.set(key, resolve);
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
  const answer = async (key: string, text = `about ${key}`) => {
    open.get(key)!(text);
    await new Promise((r) => setTimeout(r));
  };
  return { ask, answer, order };
}

test('a few are asked for in parallel, in the order they were wanted', async () => {
  const { ask, answer, order } = asked();
  const all = lazily(ask, 2);
  for (const key of ['a', 'b', 'c', 'd']) all.want(key, 1);
  expect(order).toEqual(['a', 'b']);
  await answer('b');
  expect(order).toEqual(['a', 'b', 'c']);
  expect(all.of('b').value).toEqual({ value: 'about b' });
  expect(all.of('a').value).toEqual({});
});

test('what nobody wants any more is not asked for', async () => {
  const { ask, answer, order } = asked();
  const all = lazily(ask, 1);
  all.want('a', 1);
  const leave = all.want('b', 1);
  all.want('c', 1);
  leave();
  await answer('a');
  expect(order).toEqual(['a', 'c']);
  all.want('b', 1);
  await answer('c');
  expect(order).toEqual(['a', 'c', 'b']);
});

test('what is left while it is asked for ends, and is asked for again', async () => {
  const { ask, order } = asked();
  const all = lazily(ask, 1);
  all.want('a', 1)();
  await new Promise((r) => setTimeout(r));
  expect(all.of('a').value).toEqual({});
  all.want('a', 1);
  expect(order).toEqual(['a', 'a']);
});

test('what is wanted again before its request has ended is asked for again', async () => {
  const { ask, answer, order } = asked();
  const all = lazily(ask, 1);
  all.want('a', 1)();
  all.want('a', 1);
  await new Promise((r) => setTimeout(r));
  expect(order).toEqual(['a', 'a']);
  await answer('a');
  expect(all.of('a').value).toEqual({ value: 'about a' });
});

test('another round asks again and keeps the answer meanwhile', async () => {
  const { ask, answer, order } = asked();
  const all = lazily(ask, 1);
  all.want('a', 1);
  await answer('a', 'old');
  all.want('a', 1);
  expect(order).toEqual(['a']);
  all.want('a', 2);
  expect(order).toEqual(['a', 'a']);
  expect(all.of('a').value).toEqual({ value: 'old' });
  await answer('a', 'new');
  expect(all.of('a').value).toEqual({ value: 'new' });
});

test('an error is told', async () => {
  const all = lazily(() => Promise.reject(new Error('no such service')), 1);
  all.want('a', 1);
  await new Promise((r) => setTimeout(r));
  expect(all.of('a').value).toEqual({ error: 'no such service' });
});
