// Facts about a profile, made readable. Pure.

import type { Summary } from '../api/types';

/** A duration in nanoseconds, with three digits or so: 1.25s, 2m 5s. */
export function formatDuration(ns: number): string {
  if (ns < 1e3) return `${ns}ns`;
  if (ns < 1e6) return `${trim(ns / 1e3)}µs`;
  if (ns < 1e9) return `${trim(ns / 1e6)}ms`;
  if (ns < 60e9) return `${trim(ns / 1e9)}s`;
  const seconds = Math.round(ns / 1e9);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  return parts.filter(([n]) => n > 0).slice(0, 2).map(([n, unit]) => `${n}${unit}`).join(' ');
}

function trim(n: number): string {
  return String(Number(n.toPrecision(3)));
}

const LEAST = 5; // samples

/** Whether even the most expensive line has so few samples that its rank is chance. */
export const tooFew = ({ samples, lines }: Pick<Summary, 'samples' | 'lines'>): boolean =>
  samples !== undefined && lines.length > 0 && lines.every((l) => (samples * Math.abs(l.cost.percent)) / 100 < LEAST - 0.5);

/** A profile's link, if it is one that a click may follow. */
export function safeLink(url: string | undefined): string | undefined {
  if (!url) return undefined;
  try {
    const { protocol, href } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? href : undefined;
  } catch {
    return undefined;
  }
}
