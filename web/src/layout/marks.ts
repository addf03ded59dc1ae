// Marks on a time axis. Pure.

import { place, type Scale } from './axis';

/** Marks by time; those less than room px after the first of a group join it. */
export function clusters<M>(marks: readonly M[], timeOf: (m: M) => number, x: Scale, room: number): M[][] {
  const out: M[][] = [];
  for (const m of [...marks].sort((a, b) => timeOf(a) - timeOf(b))) {
    const last = out.at(-1);
    if (last && place(x, timeOf(m)) - place(x, timeOf(last[0]!)) < room) last.push(m);
    else out.push([m]);
  }
  return out;
}
