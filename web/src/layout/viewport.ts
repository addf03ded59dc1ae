// The part of a graph that is shown, from and to as positions: values from 0 to
// the graph's total. Pure; nothing here knows of pixels but by a share of width.

export interface Viewport {
  from: number;
  to: number;
}

/** Nothing is narrower than a value of 1; and doubles keep 2^53 positions apart, which leaves some for pixels. */
function leastSpan(total: number): number {
  return Math.min(Math.max(total / 2 ** 40, 1), total);
}

/** Moves a viewport into the graph, without changing its size if it fits. */
export function clamp(v: Viewport, total: number): Viewport {
  const span = Math.min(Math.max(v.to - v.from, leastSpan(total)), total);
  const from = Math.min(Math.max(v.from, 0), total - span);
  return { from, to: from + span };
}

/** Zooms about the position at a share of the width; a factor above 1 shows more. */
export function zoomAbout(v: Viewport, share: number, factor: number, total: number): Viewport {
  const span = v.to - v.from;
  const next = Math.min(Math.max(span * factor, leastSpan(total)), total);
  const at = v.from + span * share;
  return clamp({ from: at - next * share, to: at + next * (1 - share) }, total);
}

/** Moves sideways by a share of the width. */
export function pan(v: Viewport, share: number, total: number): Viewport {
  const by = (v.to - v.from) * share;
  return clamp({ from: v.from + by, to: v.to + by }, total);
}

/**
 * A step of the way from one viewport to another. The size changes by equal
 * factors, so that a dive through many orders of magnitude looks even; the edges
 * approach theirs as the size does, and neither overshoots.
 */
export function between(a: Viewport, b: Viewport, done: number): Viewport {
  if (done >= 1) return b;
  const spanA = a.to - a.from;
  const spanB = b.to - b.from;
  const span = spanA * (spanB / spanA) ** done;
  const part = Math.abs(spanB - spanA) < 1e-9 * spanA ? done : (span - spanA) / (spanB - spanA);
  const from = a.from + (b.from - a.from) * part;
  return { from, to: from + span };
}

/** The way's speed: fast first, calm at the end. */
export function easeOut(t: number): number {
  return 1 - (1 - Math.min(Math.max(t, 0), 1)) ** 3;
}

/** The smallest move that brings a node into view, if it is not: all of it if it fits. */
export function reveal(v: Viewport, from: number, to: number, total: number): Viewport {
  if (to > v.from && from < v.to && (to - from >= v.to - v.from || (from >= v.from && to <= v.to))) return v;
  const span = v.to - v.from;
  if (to - from >= span) return clamp({ from, to }, total);
  const by = from < v.from ? from - v.from : to - v.to;
  return clamp({ from: v.from + by, to: v.to + by }, total);
}
