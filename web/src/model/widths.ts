// How wide the frames of a comparison are: by the values of one side, or the
// larger one of both. Pure; the rule is that of flameLayout in internal/report.

import type { FlameWidths } from '../api/types';

/** What a head and a base value count for in widths. */
export type Weigh = (head: number, base: number) => number;

/** The rule of some widths. Base values are scaled to compare, and whole again. */
export function weighing(widths: FlameWidths, baseScale: number): Weigh {
  const scaled = (base: number) => (baseScale === 1 ? base : Math.round(base * baseScale));
  switch (widths) {
    case 'head': return (head) => head;
    case 'base': return (_, base) => scaled(base);
    case 'both': return (head, base) => Math.max(head, scaled(base));
  }
}

interface Nodes {
  count: number;
  parent: ArrayLike<number>;
}

interface Values {
  total: ArrayLike<number>;
  /** Of the children that are not among the nodes. */
  rest: ArrayLike<number>;
}

/**
 * The width of each node: its value, or what it calls together if that is more.
 * Where a function calls another one now, its caller has room for both. Parents
 * come before their children.
 */
export function widthsOf({ count, parent }: Nodes, head: Values, base: Values, weigh: Weigh): Float64Array {
  const width = new Float64Array(count); // of the children, until a node's turn comes
  for (let n = count - 1; n >= 0; n--) {
    const called = width[n]! + weigh(head.rest[n]!, base.rest[n]!);
    width[n] = Math.max(weigh(head.total[n]!, base.total[n]!), called);
    if (n > 0) width[parent[n]!]! += width[n]!;
  }
  return width;
}
