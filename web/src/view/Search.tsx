import { useEffect, useRef, useState } from 'preact/hooks';
import { formatShare } from '../model/units';
import { fault } from '../state/pattern';
import { go, matched, nextMatch, state, type Matches } from '../state/state';
import { Icon, IconButton, Kbd } from './parts';

const PAUSE = 150; // ms after the last key, before the view is asked

export function Search() {
  const [text, setText] = useState(state.value.search);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const searched = state.value.search;

  // Back, a link or a view may change it too.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(searched);
  }, [searched]);

  const commit = (value: string) => {
    clearTimeout(timer.current);
    go({ search: value }, 'replace');
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === 'Enter') {
      if (text !== searched) commit(text);
      else nextMatch.value?.(e.shiftKey ? -1 : 1);
    } else if (e.key === 'Escape') {
      if (text === '') input.current?.blur();
      setText('');
      commit('');
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const result = searched ? matched.value : null;
  const failed = result !== null && 'error' in result;
  return (
    <div class={`finder${text ? ' finder-on' : ''}`} role="search">
      <div class={`text-field${failed ? ' text-field-bad' : ''}`}>
        <Icon name="search" />
        <input
          ref={input}
          id="search"
          type="search"
          aria-label="Search names, a text or a regular expression"
          aria-describedby="search-result"
          aria-invalid={failed}
          placeholder="Search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(e) => {
            const { value } = e.currentTarget;
            setText(value);
            clearTimeout(timer.current);
            timer.current = setTimeout(commit, PAUSE, value);
          }}
          onKeyDown={onKeyDown}
        />
        <output id="search-result" class={`finder-result${failed ? ' finder-bad' : ''}`} aria-live="polite">
          {result && ('error' in result ? result.error : <Matched {...result} noPattern={fault(searched)} />)}
        </output>
        {!text && <span class="finder-key" aria-hidden="true"><Kbd keys="/" /></span>}
        {text !== '' && (
          <>
            {nextMatch.value && !failed && (
              <>
                <IconButton icon="up" label="Previous match" onClick={() => nextMatch.value?.(-1)} />
                <IconButton icon="down" label="Next match" onClick={() => nextMatch.value?.(1)} />
              </>
            )}
            <IconButton icon="close" label="Clear the search" onClick={() => { setText(''); commit(''); input.current?.focus(); }} />
          </>
        )}
      </div>
    </div>
  );
}

/** noPattern: why what is searched for is taken as text. */
function Matched({ percent, text, none, marks, base, noPattern }: Matches & { noPattern: string }) {
  if (none) return <>no match{noPattern && ` as text: ${noPattern}`}</>;
  return (
    <>
      <b>{base && <span class="finder-before">{formatShare(base.percent)} → </span>}{formatShare(percent)}</b>
      {/* Of a comparison both shares take its room. */}
      {!base && <span class="finder-detail"> {[text, marks].filter(Boolean).join(' · ')}</span>}
    </>
  );
}
