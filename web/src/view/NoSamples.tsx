import { go, state } from '../state/state';
import { Button, Empty } from './parts';

/** Filters that may leave nothing. */
const FILTERS = ['focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from', 'tagfocus', 'tagignore'] as const;

/** In place of a report without rows: why, and the way out. */
export function NoSamples() {
  const { options } = state.value;
  const set = FILTERS.filter((name) => options[name]);
  if (set.length === 0) {
    return <Empty title="No samples"><p>The profile has none of this type. Choose another sample type above.</p></Empty>;
  }
  const reset = () => {
    go({ options: Object.fromEntries(Object.entries(options).filter(([name]) => !(set as readonly string[]).includes(name))) });
  };
  return (
    <Empty title="No samples left" icon="filter">
      <p>Filtered out by {set.map((name) => `${name}=${options[name]}`).join(', ')}.</p>
      <Button icon="reset" onClick={reset}>{set.length === 1 ? 'Remove the filter' : 'Remove these filters'}</Button>
    </Empty>
  );
}
