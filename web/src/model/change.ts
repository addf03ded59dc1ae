// How much a frame has changed between two profiles.

/** Steps on either side of no change. */
export const CHANGE_STEPS = 10;

export interface ChangeScale {
  /** The larger one of both totals, scaled to compare. */
  total: number;
  /** The value of one event, 0 if unknown. */
  event: number;
  /** What base values are to be multiplied by. */
  baseScale: number;
}

/**
 * Grades a change from -CHANGE_STEPS to CHANGE_STEPS, relative to the larger
 * one of both values. It is 0 below a thousandth of the total, and for counts of
 * events below two standard deviations if events are independent (a Poisson
 * process, whose variance is its mean): the server's changeStep.
 */
export function changeStep(head: number, unscaledBase: number, scale: ChangeScale): number {
  const base = unscaledBase * scale.baseScale;
  const delta = head - base;
  const larger = Math.max(head, base);
  if (larger === 0 || Math.abs(delta) < 0.001 * scale.total) return 0;
  const event = scale.event;
  if (event > 0 && Math.abs(delta) / event < 2 * Math.sqrt(head / event + (base / event) * scale.baseScale)) return 0;
  return Math.sign(delta) * Math.ceil((Math.abs(delta) / larger) * CHANGE_STEPS);
}
