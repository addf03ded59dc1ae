// Values of benchmarks as text, exactly as hone and benchstat print them: four
// digits with a prefix (golang.org/x/perf/benchunit).

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
  return digits(value / factor) + prefix;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0.000';
  const before = Math.floor(Math.log10(size * 1.00005));
  return value.toFixed(Math.max(1, Math.min(20, 3 - before)));
}

/** A printed value with its unit where that is short: "45.89µ" sec/op is "45.89 µs", "16.93Ki" B/op "16.93 KiB". */
export function withUnit(text: string, unit: string): string {
  const measure = unit.replace(/\/op$/, '');
  const short = /(^|-)sec$/.test(measure) ? 's' : measure === 'B' ? 'B' : measure === 'B/s' ? 'B/s' : '';
  const [, number = text, prefix = ''] = /^([+\-−]?[\d.]+)(\D*)$/.exec(text) ?? [];
  if (!/^[+\-−]?[\d.]+\D*$/.test(text)) return text;
  if (Number(number) === 0) return `0 ${short}`.trim();
  const plain = short === '' && /^(allocs|sec)?$/.test(measure) ? number.replace(/\.0+$/, '') : number;
  return short || prefix ? `${plain} ${prefix}${short}`.trim() : plain;
}

export function valueText(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '–' : withUnit(scaledText(value, unit), unit);
}

/** An interval in the scale of its value, which has the unit: -8.12µ sec/op in "[-10.46, -6.20]". */
export function boundsText({ value, lo, hi }: { value: number; lo: number | null; hi: number | null }, unit: string): string {
  if (lo !== null && lo === hi) return 'exact';
  const [factor] = prefixOf(value, unit);
  const size = Math.abs(value / factor);
  const after = size === 0 ? 2 : Math.max(1, Math.min(20, 2 - Math.floor(Math.log10(size))));
  const end = (v: number | null, none: string) => (v === null ? none : `${v > 0 ? '+' : ''}${(v / factor).toFixed(after)}`);
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
