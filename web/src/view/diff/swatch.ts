// The colour of a row in the list of what changed: the colour of its frames in the flame graph. Pure.

import type { DiffRow } from '../../api/types';
import { CHANGE_STEPS } from '../../model/change';

/** Below this part of the total a change counts as none, as in the flame graph. */
const LEAST = 0.001;

/** The step of a row's change from -CHANGE_STEPS to CHANGE_STEPS, with the server's verdict; 0 is grey. */
export function rowStep(row: DiffRow, by: 'flat' | 'cum', total: number): number {
  const { base, head, delta } = row[by];
  const noise = row.test ? !row.test.significant : row.noise?.[by];
  const larger = Math.max(Math.abs(base), Math.abs(head));
  if (larger === 0 || noise || Math.abs(delta) < LEAST * total) return 0;
  return Math.sign(delta) * Math.min(CHANGE_STEPS, Math.ceil((Math.abs(delta) / larger) * CHANGE_STEPS));
}
