// Numbers as hone's text reports print them, so that page and terminal agree.

import { belowText, formatCount } from '../../model/units';

/**
 * A share in percent: two digits behind the point, below 1% two significant
 * digits. The sign, which text reports leave out, is kept: in a comparison it
 * is what the reader looks for.
 */
export function percentText(percent: number): string {
  const size = Math.abs(percent);
  const sign = percent < 0 && size > 0 ? '-' : '';
  if (size >= 99.95 && size <= 100.05) return `${sign}100%`;
  if (size >= 1) return `${sign}${size.toFixed(2)}%`;
  return `${sign}${twoDigits(size)}%`;
}

/** A share in a column of such: with as many digits behind the point as all others. */
export function shareText(percent: number): string {
  if (percent === 0) return '0%';
  const text = percent.toFixed(2);
  return `${Number(text) === 0 ? belowText(percent, 2) : text}%`;
}

/** Go's %.2g. */
function twoDigits(value: number): string {
  if (value === 0) return '0';
  const [digits, exponent] = value.toExponential(1).split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4) return String(Number(value.toPrecision(2)));
  return `${Number(digits)}e-${String(-power).padStart(2, '0')}`;
}

/** A count with separators: 20 430. */
export function count(n: number): string {
  return formatCount(n);
}

/** "1 sample", "20 430 samples". */
export function plural(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? '' : 's'}`;
}

export function hex(address: number): string {
  return `0x${address.toString(16)}`;
}

/** The relative change as text; a base of 0 has none. */
export function changeText(relative: number | undefined): string {
  if (relative === undefined) return '';
  const percent = 100 * relative;
  const sign = percent > 0 ? '+' : percent < 0 ? '-' : '';
  const size = Math.abs(percent);
  if (percent !== 0 && size < 0.05) return percent < 0 ? '>-0.1%' : '<+0.1%';
  return `${sign}${size >= 1000 ? formatCount(Math.round(size)) : size.toFixed(1)}%`;
}

/** The interval of a share in percent next to it: "±1.2", or its ends if half its width would pass zero. */
export function marginText(percent: number, { low, high }: { low: number; high: number }): string {
  const half = (high - low) / 2;
  return half < Math.abs(percent) ? `±${half.toFixed(1)}` : `(${low.toFixed(1)} to ${high.toFixed(1)})`;
}
