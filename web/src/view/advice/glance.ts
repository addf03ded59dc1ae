// What a finding costs, and what can be gained, in the few words of a row.

import type { Finding } from '../../api/advice';
import { formatCount } from '../../model/units';

/** A share of what, and how much that is. */
export interface Glance {
  text: string;
  of: string;
  more?: string;
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** What a finding costs: of the time, or else of memory or waiting. */
export function costOf({ evidence: e }: Finding): Glance | null {
  const all = [
    [e.cpu, 'CPU'], [e.bytes, 'bytes'], [e.objects, 'allocations'], [e.mutex, 'lock waits'], [e.block, 'waits'],
  ] as const;
  const [share, of] = all.find(([s]) => s !== undefined && s.share >= 0.0005) ?? [];
  if (share && of) return { text: percent(share.share), of };
  const { live, liveObjects } = e;
  if (!live) return null;
  const objects = liveObjects && ` in ${formatCount(liveObjects.value)} object${liveObjects.value === 1 ? '' : 's'}`;
  return { text: percent(live.share), of: 'of the heap in use', more: bytesText(live.value) + (objects ?? '') };
}

/** Where a finding is, apart from the lines of the function that it stands for: its rank counts them, its cost doesn’t. */
export function placeOf({ place, also = [] }: Pick<Finding, 'place' | 'also'>): string {
  const lines = also.filter((a) => !a.title).map((a) => a.line);
  if (lines.length === 0) return place;
  if (lines.length > 3) return `${place} (also on ${lines.length} more lines)`;
  return `${place} (also ${lines.map((line, i) => (i === 0 ? '' : i < lines.length - 1 ? ', ' : ' and ') + line).join('')})`;
}

/** The most that can be gained. */
export function ceilingOf({ bound: b }: Finding): Glance | null {
  if (b.live) return { text: percent(b.live), of: 'less heap in use', more: bytesText(b.liveBytes ?? 0) };
  if (b.time >= 0.0005) return { text: !b.speedup || b.speedup > 100 ? '>100×' : `${b.speedup.toPrecision(3)}×`, of: '' };
  if (b.bytes) return { text: `-${percent(b.bytes)}`, of: 'bytes' };
  return b.waiting ? { text: `-${percent(b.waiting)}`, of: 'waits' } : null;
}

/** The most that can be gained as part of a sentence, with the figure of the row. */
export function mostText(f: Finding): string {
  const most = ceilingOf(f);
  if (!most) return '';
  const of = f.bound.live ? 'less heap in use' : f.bound.time >= 0.0005 ? 'as fast'
    : most.of === 'bytes' ? 'of the bytes' : 'of the waiting';
  return `at most ${most.text.replace(/^-/, '')} ${of}`;
}

/** A number of bytes as hone advise prints it: BytesText of internal/advice. */
export function bytesText(n: number): string {
  if (n >= 1000 * 2 ** 20) return `${digits(n / 2 ** 30, 3)} GiB`;
  if (n >= 2 ** 20) return `${digits(n / 2 ** 20, 3)} MiB`;
  if (n >= 2 ** 10) return `${digits(n / 2 ** 10, 4)} KiB`;
  return `${n} bytes`;
}

/** A number of at least 1 with so many significant digits, without zeros at the end: Go's %.3g below 1000. */
const digits = (value: number, count: number): string => String(Number(value.toPrecision(count)));
