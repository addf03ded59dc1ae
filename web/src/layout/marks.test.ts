import { expect, test } from 'vitest';
import { clusters } from './marks';

test('marks that would overlap are one', () => {
  const x = { min: 0, max: 100, from: 0, to: 1000 }; // 10 px each
  const at = (times: number[], room: number) =>
    clusters(times.map((time) => ({ time })), (m) => m.time, x, room).map((c) => c.map((m) => m.time));
  expect(at([], 20)).toEqual([]);
  expect(at([50, 10, 11], 20)).toEqual([[10, 11], [50]]);
  expect(at([10, 12, 14], 20)).toEqual([[10], [12], [14]]);
  expect(at([10, 11, 12, 13], 20)).toEqual([[10, 11], [12, 13]]);
});
