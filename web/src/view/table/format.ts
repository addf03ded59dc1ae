// Numbers as hone's text reports print them, so that page and terminal agree.

import type { Margin } from '../../api/types';
import { formatCount, roundText } from '../../model/units';

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
export const shareText = (percent: number, decimals = 2): string => (percent === 0 ? '0%' : `${roundText(percent, decimals)}%`);

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

/** A figure or share of a comparison's views, which is a change: with its sign. */
export const signedText = (text: string, value: number, compared: boolean): string =>
  (compared && value > 0 ? text.replace(/^<?(?=.)/, '$&+') : text);

/** The colour of a change; what isn't one has none. */
export const wayOf = (value: number, compared: boolean): '' | 'more' | 'less' =>
  (!compared || value === 0 ? '' : value > 0 ? 'more' : 'less');

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

/** The ends of an interval in percent, with digits that tell them apart from each other and from 0: "1.2% to 3.4%". */
export function intervalText({ low, high }: Margin): string {
  const short = [low, high].map((end) => end.toFixed(1));
  const enough = short[0] !== short[1] && [low, high].every((end, i) => end === 0 || Number(short[i]) !== 0);
  return [low, high].map((end) => `${roundText(end, enough ? 1 : 2)}%`).join(' to ');
}

const TRIFLE = 100;

/**
 * The interval of a share in percent next to it: "±1.2", or its ends if half its width would pass zero. '' where it is a trifle: samples
 * aren't what is unsure of such a share.
 */
export function marginText(percent: number, margin: Margin): string {
  const half = (margin.high - margin.low) / 2;
  if (half >= Math.abs(percent)) return `(${intervalText(margin).replaceAll('%', '')})`;
  if (half < 0.05 && half < Math.abs(percent) / TRIFLE) return '';
  return `±${roundText(half, half < 0.05 ? 2 : 1)}`;
}

/**
 * A figure as the end of an interval: without its unit, and where it is below what the digits show, 0 with its sign. Another
 * comparison within an interval can't be read.
 */
export function endText(figure: string): string {
  const text = figure.replace(/\s*[a-zµ*]+(\/s)?$/i, '');
  return /^[<>]/.test(text) ? text.slice(1).replace(/\d/g, '0') : text;
}
