import { expect, test } from 'vitest';
import { goalLines, type ShownLoad } from './loadWords';

test('goals for the quantiles over time are lines, each once', () => {
  const load = (...goals: string[]) => ({ name: '', side: { goals: goals.map((text) => ({ text, met: true })) } }) as unknown as ShownLoad;
  expect(goalLines([load('p99<=50ms', 'failed<=0.1%', 'p99.9<=1s', 'p50<=1.5us'), load('p99<=50ms')]))
    .toEqual([{ value: 50e6, text: 'p99<=50ms' }, { value: 1500, text: 'p50<=1.5us' }]);
  expect(goalLines([load(), { name: '', side: {} } as unknown as ShownLoad])).toEqual([]);
});
