// Axes of charts: where ticks stand, and what place a value has. Pure.

export interface Scale {
  min: number;
  max: number;
  /** Pixels of min and max. */
  from: number;
  to: number;
}

export function place(s: Scale, value: number): number {
  return s.max === s.min ? (s.from + s.to) / 2 : s.from + ((value - s.min) / (s.max - s.min)) * (s.to - s.from);
}

export function valueAt(s: Scale, pixel: number): number {
  return s.to === s.from ? s.min : s.min + ((pixel - s.from) / (s.to - s.from)) * (s.max - s.min);
}

/** Round numbers within a range, about as many as wanted. binary: multiples of powers of two, for bytes. */
export function ticks(min: number, max: number, wanted: number, binary = false): number[] {
  const raw = (max - min) / Math.max(1, wanted);
  if (!(raw > 0) || !Number.isFinite(raw)) return [min];
  const base = binary && raw >= 1 ? 2 ** Math.floor(Math.log2(raw)) : 10 ** Math.floor(Math.log10(raw));
  const step = base * ((binary && raw >= 1 ? [1, 2] : [1, 2, 5, 10]).find((m) => base * m >= raw * 0.999999) ?? 10);
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  const all: number[] = [];
  for (let i = first; i <= last; i++) all.push(Number((i * step).toPrecision(12)));
  return all;
}

/** Round numbers between two others, for a scale of logarithms. binary: powers of two, for bytes. */
export function logTicks(min: number, max: number, binary = false): number[] {
  if (!(min > 0) || !(max >= min)) return [];
  if (binary) {
    const [first, last] = [Math.ceil(Math.log2(min)), Math.floor(Math.log2(max))];
    const step = Math.max(1, Math.ceil((last - first) / 6));
    return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, i) => 2 ** (first + i * step));
  }
  const decades = Math.log10(max / min);
  const steps = decades > 2.5 ? [1] : decades > 1 ? [1, 3] : [1, 2, 5];
  const all: number[] = [];
  for (let k = Math.floor(Math.log10(min)); 10 ** k <= max; k++) {
    for (const s of steps) {
      const v = Number((s * 10 ** k).toPrecision(3));
      if (v >= min * 0.999 && v <= max * 1.001) all.push(v);
    }
  }
  return all;
}

/**
 * A range that shows values and leaves room: from 0 if that does not flatten
 * what there is to see, for a bar's height is then its value.
 */
export function rangeOf(values: readonly number[]): [number, number] {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return [0, 1];
  const min = Math.min(...known);
  const max = Math.max(...known);
  if (min >= 0 && min < 0.6 * max) return [0, max * 1.06];
  if (min === max) return min === 0 ? [0, 1] : min > 0 ? [min * 0.9, max * 1.1] : [min * 1.1, max * 0.9];
  const room = (max - min) * 0.12;
  return [min >= 0 ? Math.max(0, min - room) : min - room, max + room];
}

/** The same for a scale of logarithms: of what is above 0. */
export function logRangeOf(values: readonly number[]): [number, number] {
  const known = values.filter((v) => v > 0 && Number.isFinite(v));
  if (known.length === 0) return [1, 10];
  const min = Math.min(...known);
  const max = Math.max(...known);
  const room = Math.max(1.2, (max / min) ** 0.06);
  return [min / room, max * room];
}

/** Whether values are so far apart that only their logarithms show the smaller ones. */
export function farApart(values: readonly number[]): boolean {
  const least = Math.min(...values);
  return values.length > 1 && least > 0 && Math.max(...values) > 10 * least;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY,
];

/** Times in ms that stand well on an axis, about as many as wanted; offset is that of the time zone, in ms. */
export function timeTicks(min: number, max: number, wanted: number, offset = 0): number[] {
  const raw = (max - min) / Math.max(1, wanted);
  const step = STEPS.find((s) => s >= raw) ?? Math.ceil(raw / (365 * DAY)) * 365 * DAY;
  const all: number[] = [];
  for (let t = Math.ceil((min + offset) / step) * step; t <= max + offset; t += step) all.push(t - offset);
  return all;
}
