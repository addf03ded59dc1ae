import { describe, expect, test } from 'vitest';
import type { DiffLine, LinePair } from '../../api/types';
import { besides, changeOf, partsOf, unified, type Row } from './rows';

const q = (value: number) => ({ value, text: String(value), percent: value });
const line = (n: number, cum = 0): DiffLine => ({ line: n, text: `line ${n}`, flat: q(0), cum: q(cum) });
const same = (base: number, head: number, was = 0, is = 0): LinePair => ({ base: line(base, was), head: line(head, is), same: true });

/** A line each: kind, base's number, head's number, a star where keys stop. */
const shown = (rows: readonly Row[]) => rows.map((r) => `${r.kind} ${r.base?.line ?? '-'} ${r.head?.line ?? '-'}${r.stop ? ' *' : ''}`);

const pairs: LinePair[] = [
  same(1, 1),
  { base: line(2, 5), head: line(2, 3), same: false },
  { base: line(3), same: false },
  same(4, 3),
  { head: line(4), same: false },
  same(5, 5),
];

describe('rows', () => {
  test('next to each other, a row has both sides', () => {
    expect(shown(besides(pairs))).toEqual(['same 1 1', 'changed 2 2 *', 'gone 3 -', 'same 4 3', 'new - 4 *', 'same 5 5']);
  });
  test('below each other, what is gone comes first', () => {
    expect(shown(unified(pairs))).toEqual(['same 1 1', 'gone 2 - *', 'gone 3 -', 'new - 2', 'same 4 3', 'new - 4 *', 'same 5 5']);
  });
  test('a change of cost is head minus base', () => {
    expect(besides(pairs).map(changeOf)).toEqual([0, -2, 0, 0, 0, 0]);
  });
  test('long stretches that are alike and cost nothing are folded', () => {
    const long = Array.from({ length: 60 }, (_, i) => same(i + 1, i + 1, 0, i === 50 ? 1 : 0));
    const sizes = partsOf(besides(long)).map((p) => ('folded' in p ? -p.folded.length : p.rows.length));
    expect(sizes).toEqual([2, -42, 16]);
  });
});
