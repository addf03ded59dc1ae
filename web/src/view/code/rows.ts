// Which rows show the code of both sides, next to each other or below each other. Pure.

import type { DiffLine, LinePair } from '../../api/types';
import { folds } from '../source/folds';

/** A line of one side, or of both next to each other. */
export interface Row {
  kind: 'same' | 'changed' | 'gone' | 'new';
  base: DiffLine | undefined;
  head: DiffLine | undefined;
  /** Keys stop here: the first row of a change. */
  stop: boolean;
}

/** Rows, or a number of lines that are alike and cost nothing. */
export type Part = { rows: readonly Row[] } | { folded: readonly Row[] };

export const costs = (line: DiffLine | undefined): boolean => line !== undefined && (line.flat.value !== 0 || line.cum.value !== 0);

/** A row for each pair: both sides next to each other. */
export function besides(pairs: readonly LinePair[]): Row[] {
  return pairs.map(({ base, head, same }, i) => ({
    kind: same ? 'same' : base && head ? 'changed' : base ? 'gone' : 'new', base, head, stop: !same && pairs[i - 1]?.same !== false,
  }));
}

/** Lines below each other: of a change, those that are gone before the new ones. */
export function unified(pairs: readonly LinePair[]): Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < pairs.length;) {
    const { base, head, same } = pairs[i]!;
    if (same) {
      rows.push({ kind: 'same', base, head, stop: false });
      i++;
      continue;
    }
    let end = i;
    while (end < pairs.length && !pairs[end]!.same) end++;
    const change = pairs.slice(i, end);
    const of: Row[] = [
      ...change.flatMap((p) => (p.base ? [{ kind: 'gone' as const, base: p.base, head: undefined, stop: false }] : [])),
      ...change.flatMap((p) => (p.head ? [{ kind: 'new' as const, base: undefined, head: p.head, stop: false }] : [])),
    ];
    of[0]!.stop = true;
    rows.push(...of);
    i = end;
  }
  return rows;
}

/** Folds stretches that are alike and cost nothing. */
export function partsOf(rows: readonly Row[]): Part[] {
  return folds(rows.length, (i) => rows[i]!.kind !== 'same' || costs(rows[i]!.base) || costs(rows[i]!.head))
    .map(({ first, end, folded }) => (folded ? { folded: rows.slice(first, end) } : { rows: rows.slice(first, end) }));
}

/** By how much a row's cost changed. */
export const changeOf = ({ base, head }: Row): number => (head?.cum.value ?? 0) - (base?.cum.value ?? 0);
