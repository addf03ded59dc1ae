import { useEffect, useState } from 'preact/hooks';
import { ApiError, deleteView, savedViews, saveView } from '../api/client';
import type { SavedView } from '../api/types';
import { useReturn } from '../state/connection';
import { chipsOf, optionsIn, optionsQuery } from '../state/options';
import { hasStore } from '../state/profiles';
import { go, state } from '../state/state';
import { Button, Failure, IconButton, toast } from './parts';

/** The saved filters: take some, remove some, add those that are set. */
export default function SavedPanel({ close }: { close: () => void }) {
  const [list, setList] = useState<readonly SavedView[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [name, setName] = useState('');
  const load = () => {
    setError(null);
    savedViews().then(setList, (err: unknown) => setError(err instanceof ApiError ? err : new ApiError(0, String(err))));
  };
  useEffect(load, []);
  useReturn(error?.status === 0, load);

  const change = async (what: Promise<void>, done: string) => {
    try {
      await what;
      toast(done);
    } catch (err) {
      toast(err instanceof Error ? err.message : String(err), 'error');
    }
    load();
  };
  const query = optionsQuery(state.value.options);
  const trimmed = name.trim();
  const exists = list?.some((v) => v.name === trimmed) ?? false;

  return (
    <>
      <h2>Saved filters</h2>
      <p class="saved-help">
        Filters and options under a name, for any profile. Saved on {hasStore.value ? 'this server, for everyone' : 'this computer'}.
      </p>
      {error && <Failure error={error} retry={load} />}
      {list && list.length > 0 && (
        <ul class="saved-list">
          {list.map((v) => (
            <li key={v.name}>
              <button
                type="button"
                class="saved-item"
                onClick={() => {
                  go({ options: optionsIn(v.query) });
                  close();
                }}
              >
                <span>{v.name}</span>
                <span class="saved-what">{describe(v.query)}{v.by && ` · ${v.by}`}</span>
              </button>
              <IconButton icon="trash" label={`Delete ${v.name}`} onClick={() => void change(deleteView(v.name), `Deleted ${v.name}`)} />
            </li>
          ))}
        </ul>
      )}
      <form
        class="saved-form"
        onSubmit={(e) => {
          e.preventDefault();
          if (!trimmed) return;
          setName('');
          void change(saveView(trimmed, query), `Saved as ${trimmed}`);
        }}
      >
        <label class="text-field">
          <span class="visually-hidden">Name for the current filters</span>
          <input
            type="text"
            placeholder={query ? 'Name for the current filters' : 'Set a filter first, then save it here'}
            maxLength={80}
            disabled={!query}
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
        </label>
        <Button type="submit" kind="primary" disabled={!trimmed || !query}>{exists ? 'Replace' : 'Save'}</Button>
      </form>
    </>
  );
}

/** The options of a saved view in a line. */
function describe(query: string): string {
  const options = optionsIn(query);
  const words = chipsOf(options).map((c) => (c.text ? `${c.title.toLowerCase()} ${c.text}` : c.title.toLowerCase()));
  if (options.sample_index) words.unshift(options.sample_index);
  return words.join(', ') || 'no options';
}
