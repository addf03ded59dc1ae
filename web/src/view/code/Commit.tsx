// Which commit a side's code is from, for the user to say.

import { useState } from 'preact/hooks';
import type { CodeRevision } from '../../api/types';
import { setOwn, state } from '../../state/state';
import { Button } from '../parts';

export const OWN_OF = { base: 'base_revision', head: 'revision' } as const;

/** A button that asks for a commit. */
export function Commit({ side, revision }: { side: 'base' | 'head'; revision: CodeRevision }) {
  const own = OWN_OF[side];
  const given = state.value.own[own] ?? '';
  const [text, setText] = useState(given);
  const [shown, show] = useState(false);
  if (!shown) {
    return (
      <button type="button" class="link-button code-commit" onClick={() => show(true)}>
        {given || revision.name ? 'Change commit' : revision.several ? 'Several commits: choose one' : 'Which commit?'}
        <span class="visually-hidden"> ({side === 'base' ? 'before' : 'after'})</span>
      </button>
    );
  }
  return (
    <form
      class="code-commit-form"
      onSubmit={(e) => {
        e.preventDefault();
        show(false);
        setOwn(own, text.trim(), 'push');
      }}
    >
      <input
        class="find mono"
        aria-label={`Commit or tag of ${side === 'base' ? 'before' : 'after'}`}
        placeholder="commit or tag"
        spellcheck={false}
        autocomplete="off"
        value={text}
        ref={(el) => el?.focus()}
        onInput={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== 'Escape') return;
          e.stopPropagation();
          show(false);
        }}
      />
      <Button type="submit">Show</Button>
    </form>
  );
}
