import { expect, test } from 'vitest';
import { CHANGE_STEPS, changeStep, type ChangeScale } from './change';

const values: ChangeScale = { total: 1000, event: 0, baseEvent: 0, baseScale: 1 };
const samples: ChangeScale = { total: 1000, event: 10, baseEvent: 10, baseScale: 1 };

test.each([
  ['equal', 100, 100, values, 0],
  ['nothing at all', 0, 0, values, 0],
  ['below a thousandth of the total', 0.9, 0, values, 0],
  ['new', 50, 0, values, CHANGE_STEPS],
  ['gone', 0, 50, values, -CHANGE_STEPS],
  ['twice', 200, 100, values, 5],
  ['a tenth less', 90, 100, values, -1],
  // 10 and 14 samples: 4 apart, two standard deviations are 9.8.
  ['noise of samples', 140, 100, samples, 0],
  // 10 and 30 samples: 20 apart, two standard deviations are 12.6.
  ['more than noise', 300, 100, samples, 7],
  ['one sample', 10, 0, samples, 0],
] as const)('%s', (_, head, base, scale, step) => expect(changeStep(head, base, scale)).toBe(step));

test('the base is scaled before comparing', () => {
  expect(changeStep(100, 200, { total: 1000, event: 0, baseEvent: 0, baseScale: 0.5 })).toBe(0);
});

test('values per second change as their sums do', () => {
  // 12 000 and 13 000 samples in 1000 seconds, and in 500.
  const sum = changeStep(13_000, 12_000, { total: 100_000, event: 1, baseEvent: 1, baseScale: 1 });
  expect(sum).toBe(1);
  expect(changeStep(13, 12, { total: 100, event: 1e-3, baseEvent: 1e-3, baseScale: 1 })).toBe(sum);
  expect(changeStep(13, 12, { total: 100, event: 1, baseEvent: 1, baseScale: 1 })).toBe(0);
});

test('instances that differ say more than samples', () => {
  expect(changeStep(13, 12, { total: 100, event: 1e-3, baseEvent: 1e-3, baseScale: 1 }, { base: 0.1, head: 0.1 })).toBe(0);
  expect(changeStep(24, 12, { total: 100, event: 1e-3, baseEvent: 1e-3, baseScale: 1 }, { base: 0.1, head: 0.1 })).toBe(5);
});
