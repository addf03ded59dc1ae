import { optionSpecs } from '../state/options';
import { shown } from '../state/profiles';
import { requestsState, selected } from '../state/selected';
import { kindOf, REQUESTS } from '../state/selection';
import { go, state } from '../state/state';
import { Button, Empty } from './parts';

/** Filters that may leave nothing. */
const FILTERS = ['focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from', 'tagfocus', 'tagignore'] as const;

const titleOf = (name: string): string => optionSpecs.find((o) => o.name === name)?.title ?? name;

/** Whether requests are shown, which are counted by endpoint: they have values, but no functions. */
export const isRequests = (): boolean => kindOf(selected.value?.q ?? '') === REQUESTS;

/** In place of a report without rows: why, and the way out. */
export function NoSamples() {
  const { options } = state.value;
  const set = FILTERS.filter((name) => options[name]);
  if (isRequests()) {
    return (
      <Empty title="Requests have no stacks">
        <p>They are counted by endpoint.</p>
        <Button kind="primary" onClick={() => go(requestsState(state.peek()))}>Open Endpoints</Button>
      </Empty>
    );
  }
  if (set.length === 0) {
    const info = shown.value?.info;
    const empty = info?.id === state.value.profile[0] && state.value.profile.length === 1 && info?.samples === 0;
    return (
      <Empty title="No samples">
        <p>{empty ? 'The profile is empty.' : 'The profile has none of this type. Choose another sample type above.'}</p>
      </Empty>
    );
  }
  const reset = () => {
    go({ options: Object.fromEntries(Object.entries(options).filter(([name]) => !(set as readonly string[]).includes(name))) });
  };
  return (
    <Empty title="No samples left" icon="filter">
      <p>Filtered out by {set.map((name) => `${titleOf(name)} ${options[name]}`).join(', ')}.</p>
      <Button icon="reset" onClick={reset}>{set.length === 1 ? 'Remove the filter' : 'Remove these filters'}</Button>
    </Empty>
  );
}
