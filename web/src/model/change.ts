// How much a frame has changed between two profiles.

/** Steps on either side of no change. */
export const CHANGE_STEPS = 10;

export interface ChangeScale {
  /** The larger one of both totals, scaled to compare. */
  total: number;
  /** The value of one event on each side, the base's before it is scaled; 0 if unknown. */
  event: number;
  baseEvent: number;
  /** What base values are to be multiplied by. */
  baseScale: number;
}

/** Standard errors by how instances differ, as parts of the values; 0 if unknown. */
export interface Spreads {
  base: number;
  head: number;
}

const NO_SPREADS: Spreads = { base: 0, head: 0 };

/** Standard deviations around the mean that have 95 % of a normal distribution. */
const NORMAL_95 = 1.96;

/**
 * The 95 % confidence interval of a value, as distances to its ends: the wider one of that by events, Wilson's score
 * interval, and that by instances. The server's Measured.interval, of values that are no shares.
 */
function margins(value: number, event: number, spread: number): { below: number; above: number } {
  const z = NORMAL_95;
  const by = z * spread * value;
  if (event <= 0) return { below: by, above: by };
  const half = z * Math.sqrt(value / event + (z * z) / 4);
  return { below: Math.max(by, event * (half - (z * z) / 2)), above: Math.max(by, event * (half + (z * z) / 2)) };
}

/** Whether a change is more than chance explains: the server's SureChange. */
function isSure(head: number, base: number, scale: ChangeScale, spreads: Spreads): boolean {
  const h = margins(head, scale.event, spreads.head);
  const b = margins(base, scale.baseEvent * scale.baseScale, spreads.base);
  return Math.abs(head - base) > (head < base ? Math.hypot(b.below, h.above) : Math.hypot(b.above, h.below));
}

/**
 * Grades a change from -CHANGE_STEPS to CHANGE_STEPS, relative to the larger
 * one of both values. It is 0 below a thousandth of the total, and for changes
 * that chance explains: the server's changeStep.
 */
export function changeStep(head: number, unscaledBase: number, scale: ChangeScale, spreads: Spreads = NO_SPREADS): number {
  const base = unscaledBase * scale.baseScale;
  const delta = head - base;
  const larger = Math.max(head, base);
  if (larger === 0 || Math.abs(delta) < 0.001 * scale.total || !isSure(head, base, scale, spreads)) return 0;
  return Math.sign(delta) * Math.ceil((Math.abs(delta) / larger) * CHANGE_STEPS);
}
