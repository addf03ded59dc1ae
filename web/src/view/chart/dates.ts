// Times along an axis, in the page's time zone.

import { timeTicks } from '../../layout/axis';

const DAY = 86_400_000;

export function timelineDates(min: number, max: number, wanted: number): number[] {
  if (max <= min) return [min];
  const all = timeTicks(min, max, Math.max(1, wanted), -new Date(min).getTimezoneOffset() * 60_000);
  // Two of a day look like a mistake where the day alone is told.
  return all.filter((t, i) => i === 0 || dateText(t, max - min) !== dateText(all[i - 1]!, max - min));
}

export function dateText(time: number, span: number): string {
  const d = new Date(time);
  if (span > 300 * DAY) return d.toLocaleDateString('en-GB', { month: 'short', year: 'numeric' });
  const midnight = d.getHours() === 0 && d.getMinutes() === 0 && d.getSeconds() === 0;
  // The day stands where it begins; between, the hour has to do.
  if (span > 10 * DAY || (span > DAY && midnight)) return d.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const clock = d.toLocaleTimeString(
    'en-GB', { hour: '2-digit', minute: '2-digit', ...(span < 600_000 ? { second: '2-digit' as const } : {}) },
  );
  return clock;
}
