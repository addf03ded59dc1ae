// The figures of a column: in one unit and with as many digits behind the point, so
// that the eye can compare them by their length. Pure.

import { THIN } from '../api/figures';
import type { Quantity } from '../api/types';
import { convert, formatValue, inUnits } from './units';

/** Digits before the point from which on a unit is too small for a column. */
const MOST = 1e6;

/**
 * Returns how to print what stands in columns that are compared with each other. The
 * unit shows the largest in few digits, and the smallest to its second digit behind
 * the point if it can; rates is what is behind the unit of rates. Where the server
 * prints something else than the value, such as with an option, its texts stay.
 */
export function columnFigures(all: readonly Quantity[], unit: string, rates = ''): (q: Quantity) => string {
  const odd = all.some((q) => q.value !== 0 && formatValue(q.value, unit) !== q.text);
  if (odd) return (q) => q.text + (q.value === 0 ? '' : rates);
  const { name, factor, decimals } = scaleOf(all.map((q) => Math.abs(q.value)).filter((v) => v > 0), unit);
  return ({ value }) => {
    if (value === 0) return '0';
    const text = Math.abs(value / factor).toFixed(decimals);
    const sign = value < 0 ? '-' : '';
    if (Number(text) === 0) return `${sign}<${(10 ** -decimals).toFixed(decimals)}${name}${rates}`;
    const [whole, part] = text.split('.') as [string, string?];
    return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, THIN)}${part === undefined ? '' : `.${part}`}${name}${rates}`;
  };
}

/** The unit of a column, with its size in that of the values. */
function scaleOf(sizes: readonly number[], from: string): { name: string; factor: number; decimals: number } {
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const least = sizes.reduce((a, b) => Math.min(a, b), largest);
  const units = inUnits(from); // the smallest first
  let at = units.findLastIndex((u) => largest >= u.factor);
  const best = units[Math.max(0, at)];
  if (!best) return { name: convert(largest, from, 'minimum').unit, factor: 1, decimals: 0 };
  while (at > 0 && least < 0.01 * units[at]!.factor && largest < MOST * units[at - 1]!.factor) at--;
  const { name, factor } = units[Math.max(0, at)]!;
  const exact = (decimals: number) => sizes.every((v) => Math.abs(v / factor - Number((v / factor).toFixed(decimals))) < 1e-9);
  return { name, factor, decimals: exact(0) ? 0 : exact(1) ? 1 : 2 };
}
