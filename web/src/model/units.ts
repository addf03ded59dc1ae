// Values as text, as the server prints them (profile/units.go and
// internal/report/measure.go), so that a number never differs between views; but see figures.ts.

import { figureText } from '../api/figures';

interface Unit {
  name: string;
  aliases: readonly string[];
  /** In the base unit of its kind. */
  factor: number;
}

interface UnitKind {
  /** Ascending by factor. */
  units: readonly Unit[];
  /** Used where a value is below all units, or the target is unknown. */
  fallback: string;
}

const unit = (name: string, factor: number, ...aliases: string[]): Unit => ({ name, aliases, factor });

const KINDS: readonly UnitKind[] = [
  {
    units: [
      unit('B', 1, 'b', 'byte'),
      unit('kB', 2 ** 10, 'kb', 'kbyte', 'kilobyte'),
      unit('MB', 2 ** 20, 'mb', 'mbyte', 'megabyte'),
      unit('GB', 2 ** 30, 'gb', 'gbyte', 'gigabyte'),
      unit('TB', 2 ** 40, 'tb', 'tbyte', 'terabyte'),
      unit('PB', 2 ** 50, 'pb', 'pbyte', 'petabyte'),
    ],
    fallback: 'B',
  },
  {
    units: [
      unit('ns', 1, 'ns', 'nanosecond'),
      unit('us', 1e3, 'μs', 'us', 'microsecond'),
      unit('ms', 1e6, 'ms', 'millisecond'),
      unit('s', 1e9, 's', 'sec', 'second'),
      unit('hrs', 3.6e12, 'hour', 'hr'),
    ],
    fallback: 's',
  },
  {
    units: [
      unit('n*GCU', 1e-9, 'nanogcu'),
      unit('u*GCU', 1e-6, 'microgcu'),
      unit('m*GCU', 1e-3, 'milligcu'),
      unit('GCU', 1, 'gcu'),
      unit('k*GCU', 1e3, 'kilogcu'),
      unit('M*GCU', 1e6, 'megagcu'),
      unit('G*GCU', 1e9, 'gigagcu'),
      unit('T*GCU', 1e12, 'teragcu'),
      unit('P*GCU', 1e15, 'petagcu'),
    ],
    fallback: 'GCU',
  },
];

function find(kind: UnitKind, name: string): Unit | undefined {
  let wanted = name.toLowerCase();
  if (wanted.length > 2 && wanted.endsWith('s')) wanted = wanted.slice(0, -1);
  return kind.units.find((u) => u.aliases.includes(wanted));
}

/** The units that values of a unit convert into, as pages print them, the smallest first, with their sizes in that unit. */
export function inUnits(from: string): { name: string; factor: number }[] {
  for (const kind of KINDS) {
    const source = find(kind, from);
    if (source) return kind.units.map((u) => ({ name: u.name === 'us' ? 'µs' : u.name, factor: u.factor / source.factor }));
  }
  return [];
}

/** Converts a value; to may be "minimum": the largest unit in which it is at least 1. */
export function convert(value: number, from: string, to: string): { value: number; unit: string } {
  const size = Math.abs(value);
  for (const kind of KINDS) {
    const source = find(kind, from);
    if (!source) continue;
    const base = size * source.factor;
    let best = kind.units.find((u) => u.name === kind.fallback)!;
    if (to === 'minimum' || to === 'auto') {
      for (const u of kind.units) if (base / u.factor >= 1) best = u;
    } else {
      best = find(kind, to) ?? best;
    }
    return { value: (Math.sign(value) * base) / best.factor, unit: best.name };
  }
  const plain = ['count', 'sample', 'unit', 'minimum', 'auto'].includes(to);
  return { value, unit: plain ? '' : to };
}

/** Rounds to two digits as Go does: halves, where they are exact, to even. */
function twoDigits(value: number): string {
  if (Number.isInteger(value * 8) && (Math.abs(value) * 8) % 2 === 1) {
    const below = Math.floor(value * 100);
    return ((below % 2 === 0 ? below : below + 1) / 100).toFixed(2);
  }
  return value.toFixed(2);
}

/** Prints a value measured in unit from in the unit to. */
export function formatValue(value: number, from: string, to = 'minimum'): string {
  const converted = convert(value, from, to);
  const text = twoDigits(converted.value).replace(/\.00$/, '');
  return text === '0' || text === '-0' ? '0' : figureText(text + converted.unit);
}

/** What values are printed as: themselves, per second, or CPU time per second as a number of cores. */
export type Rate = 'none' | 'second' | 'cores';

/** How values of a sample type are printed: the server's rateOf. */
export function rateOf({ type, unit, perSecond }: { type: string; unit: string; perSecond?: boolean | undefined }): Rate {
  if (!perSecond) return 'none';
  return type === 'cpu' && convert(1, unit, 'ns').unit === 'ns' ? 'cores' : 'second';
}

/** Prints a value, or what it is per second: the server's formatRate. */
export function formatRate(value: number, from: string, to: string, rate: Rate): string {
  if (rate === 'cores' && (to === '' || to === 'minimum' || to === 'auto')) return coresText(convert(value, from, 's').value);
  const text = formatValue(value, from, to);
  return rate !== 'none' && text !== '0' ? `${text}/s` : text;
}

/** A number of cores: two decimals, or three significant digits below 0.1. */
function coresText(cores: number): string {
  const size = Math.abs(cores);
  if (size < 5e-7) return '0';
  const text = cores.toFixed(decimalsOf(size)).replace(/\.?0+$/, '');
  return figureText(`${text} ${/^-?1$/.test(text) ? 'core' : 'cores'}`);
}

const decimalsOf = (cores: number) => (cores < 0.1 && cores > 0 ? Math.min(2 - Math.floor(Math.log10(cores)), 6) : 2);

/** A number of cores of a table, with three decimals, or more if the highest one is small. */
export function coresAlike(cores: number, highest: number): string {
  return figureText(`${roundText(cores, Math.max(3, decimalsOf(highest)))} cores`);
}

/** A number with so many decimals, or where they would show 0: what it is below. */
export function roundText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) !== 0 || value === 0 ? text : belowText(value, decimals);
}

/** A value that so many decimals show as 0, but that isn't: "<0.01", or ">-0.01". */
export function belowText(value: number, decimals: number): string {
  return `${value < 0 ? '>-' : '<'}${(10 ** -decimals).toFixed(decimals)}`;
}

/** Prints the share of part in whole with two or more significant digits. */
export function formatPercent(part: number, whole: number): string {
  const ratio = whole === 0 ? 0 : Math.abs(part / whole) * 100;
  if (ratio >= 99.95 && ratio <= 100.05) return '100%';
  if (ratio >= 1) return `${twoDigits(ratio)}%`;
  return `${Number(ratio.toPrecision(2))}%`;
}

/** Prints a percentage as a short text, for where there is little room. */
export function formatShare(percent: number): string {
  return `${percent >= 10 ? percent.toFixed(1) : percent.toFixed(2)}%`;
}

/** Prints a difference with its sign; format prints its size. */
export function formatSigned(value: number, format: (size: number) => string): string {
  const text = format(Math.abs(value));
  return value === 0 || text === '0' ? text : `${value > 0 ? '+' : '-'}${text}`;
}

/** A count: 20 430. */
export function formatCount(n: number): string {
  return figureText(String(n));
}
