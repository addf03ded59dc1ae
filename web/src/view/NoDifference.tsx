import type { Diff } from '../api/types';
import { emptySide } from './changeWords';
import { Empty } from './parts';

/** In place of a comparison without rows. */
export function NoDifference({ diff }: { diff: Diff }) {
  const empty = emptySide(diff);
  return empty
    ? <Empty title="Nothing to compare"><p>{empty}</p></Empty>
    : <Empty title="No difference"><p>Both sides have the same values.</p></Empty>;
}
