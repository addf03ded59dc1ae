// The build that a profile was taken of, as the server knows it. For a selection, its version also tells.

import { profileBuild } from '../api/client';
import { series } from '../api/continuous';
import type { Build } from '../api/types';
import { isSelection, parseSelection } from './selection';

const asked = new Map<string, Promise<Build | null>>();
const KEPT = 20;

/** The build of a profile, null if unknown. It is asked for once. */
export function buildOf(id: string): Promise<Build | null> {
  const known = asked.get(id);
  if (known) return known;
  const answer = (isSelection(id) ? versionOf(id) : profileBuild(id)).catch(() => {
    asked.delete(id);
    return null; // then there are no links
  });
  asked.set(id, answer);
  for (const oldest of asked.keys()) {
    if (asked.size <= KEPT) break;
    asked.delete(oldest);
  }
  return answer;
}

/** The version of a selection, null if it has several: lines of one may be other lines in another. */
async function versionOf(id: string): Promise<Build | null> {
  const { q, from, to } = parseSelection(id, Date.now());
  const { series: all } = await series({ q, ...(from ? { from } : {}), ...(to ? { to } : {}), by: 'version', limit: 2 });
  const [first, second] = all;
  const version = first?.labels['version'];
  return version && !second ? { version } : null;
}
