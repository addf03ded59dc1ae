// The figures of a column: in one unit and with as many digits behind the point, so
// that the eye can compare them by their length. Pure.

import { grouped } from '../api/figures';
import type { Quantity } from '../api/types';
import { belowText, convert, formatRate, inUnits, type Rate } from './units';

/** A value as the server prints it. */
export type Figure = Pick<Quantity, 'value' | 'text'>;

/** Characters of a unit that a column has room for: a longer one, of a custom profile, is told by the list of sample types alone. */
const LONGEST = 8;

/**
 * Returns how to print what stands in columns that are compared with each other. The
 * unit is that of the largest, as a sentence or a total beside the columns has it, but seconds
 * instead of hours; rates say so as the server's texts do. Where the server
 * has a unit of its own for all values, that is the column's, and where it prints
 * something else than the value, its texts stay. own: the unit is the page's choice even there.
 */
export function columnFigures(all: readonly Figure[], unit: string, own = false): (q: Figure) => string {
  const known = all.filter((q) => q.value !== 0);
  const sizes = known.map((q) => Math.abs(q.value));
  const rate = rateIn(known);
  const printed = (to: string) => known.every((q) => formatRate(q.value, unit, to, rate) === q.text);
  // All memory of a profile is printed in one unit already, and so is what an option asks for.
  const asked = unitOf(known[0]?.text ?? '');
  const scale = printed('minimum') || (own && printed(asked))
    ? sizes.length > 0 && (rate === 'cores' ? coresScale(sizes, unit) : scaleOf(sizes, unit))
    : printed(asked) && scaleIn(asked, sizes, unit);
  if (!scale) {
    const long = unit.length > LONGEST && inUnits(unit).length === 0;
    return ({ text }) => (long && text.endsWith(unit) ? text.slice(0, -unit.length).trimEnd() : text);
  }
  const { factor, decimals } = scale;
  const name = rate === 'second' ? `${scale.name}/s` : scale.name;
  return ({ value }) => {
    if (value === 0) return '0';
    const text = Math.abs(value / factor).toFixed(decimals);
    if (Number(text) === 0) return `${belowText(value, decimals)}${name}`;
    const sign = value < 0 ? '-' : '';
    const [whole, part] = text.split('.') as [string, string?];
    return `${sign}${grouped(whole)}${part === undefined ? '' : `.${part}`}${name}`;
  };
}

/** Of the texts of the server. */
function rateIn(known: readonly Figure[]): Rate {
  if (known.some((q) => / cores?$/.test(q.text))) return 'cores';
  return known.some((q) => q.text.endsWith('/s')) ? 'second' : 'none';
}

/** Cores, with two digits of the smallest value, as far as five digits of the largest show them. */
function coresScale(sizes: readonly number[], unit: string): Scale {
  const factor = 1 / convert(1, unit, 's').value;
  const power = (size: number) => Math.floor(Math.log10(size / factor));
  const largest = Math.max(0, power(sizes.reduce((a, b) => Math.max(a, b), 0)));
  const least = power(sizes.reduce((a, b) => Math.min(a, b), Infinity));
  return { name: ' cores', factor, decimals: Math.max(0, Math.min(4 - largest, Math.max(2, 1 - least))) };
}

/** A column's unit, with its size in that of the values. */
interface Scale {
  name: string;
  factor: number;
  decimals: number;
}

/** The unit of a figure of the server, as it takes it. */
const unitOf = (text: string): string => (/([a-zµ*]+)(\/s)?$/i.exec(text)?.[1] ?? '').replace('µ', 'u');

/** Decimals that tell values apart: at most two, or three if a small value needs them and the largest has few digits. */
function decimalsOf(sizes: readonly number[], factor: number): number {
  const exact = (decimals: number) => sizes.every((v) => Math.abs(v / factor - Number((v / factor).toFixed(decimals))) < 1e-9);
  if (exact(0)) return 0;
  if (exact(1)) return 1;
  return sizes.some((v) => v < 0.01 * factor) && sizes.every((v) => v < 100 * factor) ? 3 : 2;
}

function scaleIn(name: string, sizes: readonly number[], from: string): Scale | false {
  const unit = inUnits(from).find((u) => u.name.replace('µ', 'u') === name);
  return unit !== undefined && { ...unit, decimals: decimalsOf(sizes, unit.factor) };
}

function scaleOf(sizes: readonly number[], from: string): Scale {
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const units = inUnits(from).filter((u) => u.name !== 'hrs'); // the smallest first
  const best = units[Math.max(0, units.findLastIndex((u) => largest >= u.factor))];
  if (!best) return { name: convert(largest, from, 'minimum').unit, factor: 1, decimals: 0 };
  return { ...best, decimals: decimalsOf(sizes, best.factor) };
}
