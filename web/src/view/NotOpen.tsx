import type { ApiError } from '../api/client';
import { distinctName, profiles } from '../state/profiles';
import { go, href, state } from '../state/state';
import { follow } from './link';
import { Empty, Failure } from './parts';

/** A link that names a profile this server doesn't have. */
export function NotOpen() {
  const open = profiles.value ?? [];
  return (
    <Empty icon="warning" title="The profile of this link isn’t open">
      <p>
        A link names a profile by its content. Open the same file, by dropping it on this page or with <code>hone ui FILE</code>, and the
        link works.
      </p>
      {open.length > 0 && (
        <>
          <p>Open now, shown with the same options:</p>
          <ul class="plain-list">
            {open.map((p) => {
              const to = { ...state.value, profile: [p.id], base: [] };
              return (
                <li key={p.id}>
                  <a href={href(to)} onClick={follow(() => go(to))}>{distinctName(p.id)}</a> {p.name !== distinctName(p.id) && (
                    <span class="soft">{p.name}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Empty>
  );
}

/** A profile that could not be loaded. */
export function Failed({ error, retry }: { error: ApiError; retry: () => void }) {
  return <Failure error={error} retry={retry} />;
}
