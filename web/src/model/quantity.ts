// Values of benchmarks as text, exactly as hone and benchstat print them: four
// digits with a prefix (golang.org/x/perf/benchunit).

import { figureText } from '../api/figures';
import { formatSigned } from './units';

const DECIMAL: readonly (readonly [number, string])[] = [
  [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'],
];
const BINARY: readonly (readonly [number, string])[] = [[2 ** 40, 'Ti'], [2 ** 30, 'Gi'], [2 ** 20, 'Mi'], [2 ** 10, 'Ki'], [1, '']];

/** Whether values of a unit are counted by 1024: those that begin with bytes. */
function isBytes(unit: string): boolean {
  return /^B(\/|$)/.test(unit);
}

function prefixOf(value: number, unit: string): readonly [number, string] {
  const size = Math.abs(value);
  if (size === 0) return [1, ''];
  const prefixes = isBytes(unit) ? BINARY : DECIMAL;
  // As printed: what rounds to the next prefix has it.
  return prefixes.find(([factor]) => size >= factor * 0.99995) ?? prefixes.at(-1)!;
}

/** 4.58905e-05 sec/op: "45.89µ". */
export function scaledText(value: number, unit: string): string {
  const [factor, prefix] = prefixOf(value, unit);
  return (value / factor).toFixed(decimals(value / factor)) + prefix;
}

/** Digits behind the point of a value of which four are to be seen. */
function decimals(value: number): number {
  const size = Math.abs(value);
  return size === 0 ? 3 : Math.max(1, Math.min(20, 3 - Math.floor(Math.log10(size * 1.00005))));
}

/**
 * A printed value with its unit where that is short, as profiles have it: "45.89µ" sec/op is "45.89µs", "16.93Ki" B/op "16.93kB",
 * which are 1024 bytes each.
 */
export function withUnit(text: string, unit: string): string {
  const measure = unit.replace(/\/op$/, '');
  const short = /(^|-)sec$/.test(measure) ? 's' : measure === 'B' ? 'B' : measure === 'B/s' ? 'B/s' : '';
  const [, number = text, prefix = ''] = /^([+\-−]?[\d.]+)(\D*)$/.exec(text) ?? [];
  if (!/^[+\-−]?[\d.]+\D*$/.test(text)) return text;
  if (Number(number) === 0) return '0';
  if (short === 'B' && prefix === '') return `${number.replace(/\.0+$/, '')}B`;
  if (short) return `${number}${prefix.replace('Ki', 'k').replace('i', '')}${short}`;
  // A prefix needs a unit to stand before: 80.00m gcs are 0.08.
  const factor = [...DECIMAL, ...BINARY].find(([, name]) => name === prefix)?.[0] ?? 1;
  const plain = figureText(String(Number((Number(number.replace('−', '-')) * factor).toPrecision(4))));
  return number.startsWith('+') ? `+${plain}` : plain;
}

/** What a reader may not know of a unit. */
export const unitAbout = (unit: string): string | undefined => (isBytes(unit) ? '1kB is 1024 bytes' : undefined);

export function valueText(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '–' : withUnit(scaledText(value, unit), unit);
}

/** How changes that stand together are printed: with one prefix, and as many digits behind the point. */
export interface Scale {
  unit: string;
  factor: number;
  prefix: string;
  digits: number;
}

/** That of changes of which the largest is given: unitScale of internal/compare/figures.go. */
export function scaleOf(largest: number, unit: string): Scale {
  const [factor, prefix] = prefixOf(largest, unit);
  return { unit, factor, prefix, digits: decimals(largest / factor) };
}

/** A change with its sign: "-8.120µ"; what rounds to 0 as that. */
export function changeText(value: number, s: Scale): string {
  return formatSigned(value, (size) => plainText(size, s));
}

/** What a change is of, a value of at least 0, in its scale. */
export function plainText(value: number, s: Scale): string {
  const text = (value / s.factor).toFixed(s.digits);
  return Number(text) === 0 ? '0' : text + s.prefix;
}

/** An interval without the prefix, which stands behind the change beside it; null is unbounded. */
export function intervalText(lo: number | null, hi: number | null, s: Scale): string {
  if (lo !== null && lo === hi) return 'exact';
  const end = (v: number | null, none: string) => (v === null ? none : (v < 0 ? '' : '+') + (v / s.factor).toFixed(s.digits));
  return `[${end(lo, '-∞')}, ${end(hi, '∞')}]`;
}

/** The half width of an interval in percent of its middle: "± 3%". */
export function spreadText(median: number | null, lo: number | null, hi: number | null): string {
  if (median === null || lo === null || hi === null) return '± ∞';
  if (lo === hi) return '± 0%';
  if (median === 0) return '';
  const share = (100 * Math.max(median - lo, hi - median)) / Math.abs(median);
  return `± ${share < 9.5 ? share.toFixed(1).replace(/\.0$/, '') : Math.round(share)}%`;
}
