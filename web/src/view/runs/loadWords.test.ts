import { expect, test } from 'vitest';
import { goalLines, missed, type ShownLoad } from './loadWords';

test('goals for the quantiles over time are lines, each once', () => {
  const load = (...goals: string[]) => ({ name: '', side: { goals: goals.map((text) => ({ text, met: true })) } }) as unknown as ShownLoad;
  expect(goalLines([load('p99<=50ms', 'failed<=0.1%', 'p99.9<=1s', 'p50<=1.5us'), load('p99<=50ms')]))
    .toEqual([{ value: 50e6, text: 'p99<=50ms' }, { value: 1500, text: 'p50<=1.5us' }]);
  expect(goalLines([load(), { name: '', side: {} } as unknown as ShownLoad])).toEqual([]);
});

test('a tile shows that a goal for its figure was missed', () => {
  const load = (text: string, met: boolean) => ({ name: '', side: { goals: [{ text, met }] } }) as unknown as ShownLoad;
  expect([missed([load('p99<=50ms', false)], 'p99'), missed([load('p99<=50ms', true)], 'p99')]).toEqual([true, false]);
  expect([missed([load('p99.9<=50ms', false)], 'p99'), missed([load('rate>=500', false)], 'Throughput')]).toEqual([false, true]);
  expect(missed([load('p99<=50ms', false), load('p99<=50ms', true)], 'p99')).toBe(false); // of the head
});
