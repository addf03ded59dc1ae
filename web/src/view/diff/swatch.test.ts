import { expect, test } from 'vitest';
import type { DiffRow } from '../../api/types';
import { changeStep } from '../../model/change';
import { rowStep } from './swatch';

const value = (base: number, head: number) => ({ base, head, delta: head - base, baseText: '', headText: '', deltaText: '' });
const row = (base: number, head: number, more: Partial<DiffRow> = {}): DiffRow =>
  ({ name: 'f', flat: value(base, head), cum: value(base, head), ...more });

test('a row has the step of a frame with its values', () => {
  for (const [base, head] of [[1000, 2000], [2000, 1000], [0, 900], [900, 0], [1000, 1001], [5, 0]] as const) {
    const frame = changeStep(head, base, { total: 10_000, event: 0, baseEvent: 0, baseScale: 1 });
    expect(rowStep(row(base, head), 'flat', 10_000)).toBe(frame);
  }
});

test('noise is grey, whoever tells it', () => {
  expect(rowStep(row(1000, 2000, { noise: { flat: true, cum: false } }), 'flat', 10_000)).toBe(0);
  expect(rowStep(row(1000, 2000, { noise: { flat: true, cum: false } }), 'cum', 10_000)).toBe(5);
  expect(rowStep(row(1000, 2000, { test: { p: 0.5, holm: 0.5, significant: false } }), 'flat', 10_000)).toBe(0);
});
