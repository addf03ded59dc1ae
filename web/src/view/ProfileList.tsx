import './picker.css';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { finder } from '../state/pattern';
import { comparable, distinctName, profiles } from '../state/profiles';
import { openFileDialog } from './DropTarget';
import { Button, Icon } from './parts';

export interface ProfileListProps {
  label: string;
  chosen: readonly string[];
  /** Not offered: what is shown already. */
  without?: readonly string[];
  /** A base is chosen: only of profiles that measure the same. */
  base?: boolean;
  /** done: a choice of one, not one more added. */
  onChoose: (ids: string[], done: boolean) => void;
}

/** The open profiles with a filter: Enter takes one, Shift+Enter or the box adds it to what is taken. */
export default function ProfileList({ label, chosen, without = [], base = false, onChoose }: ProfileListProps) {
  const [filter, setFilter] = useState('');
  const [at, setAt] = useState(-1);
  const box = useId();
  const list = useRef<HTMLDivElement>(null);
  const finds = finder(filter);
  const others = (profiles.value ?? []).filter((p) => !without.includes(p.id));
  // What measures something else can't be a base.
  const all = others.filter((p) => !base || comparable(p));
  const found = all.filter((p) => finds?.(p.name) ?? true);
  const active = at >= 0 && at < found.length ? at : Math.max(0, found.findIndex((p) => chosen.includes(p.id)));

  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const toggle = (id: string) => {
    const rest = chosen.filter((other) => other !== id);
    if (rest.length === chosen.length) onChoose([...chosen, id], false);
    else if (rest.length > 0) onChoose(rest, false);
  };

  const onKeyDown = (e: KeyboardEvent) => {
    const id = found[active]?.id;
    if (e.key === 'ArrowDown') setAt(Math.min(active + 1, found.length - 1));
    else if (e.key === 'ArrowUp') setAt(Math.max(active - 1, 0));
    else if (e.key === 'Enter' && id !== undefined) (e.shiftKey ? toggle(id) : onChoose([id], true));
    else return;
    e.preventDefault();
  };

  return (
    <div class="picker">
      <div class="text-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${box}-list`}
          aria-activedescendant={found.length > 0 ? `${box}-${active}` : undefined}
          aria-label={`${label}: filter by name`}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder="Filter profiles"
          value={filter}
          onInput={(e) => {
            setFilter(e.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={`${box}-list`} role="listbox" aria-label={label} aria-multiselectable="true" class="picker-list">
        {found.map((p, i) => {
          const taken = chosen.includes(p.id);
          const short = distinctName(p.id);
          const folder = p.name.endsWith(short) ? p.name.slice(0, -short.length) : '';
          return (
            <div
              key={p.id}
              id={`${box}-${i}`}
              role="option"
              aria-selected={taken}
              class="picker-option"
              data-active={i === active ? '' : undefined}
              onPointerMove={() => i !== active && setAt(i)}
              onClick={(e) => ((e.target as Element).closest('.picker-box') || e.shiftKey ? toggle(p.id) : onChoose([p.id], true))}
            >
              <span class="picker-box">{taken && <Icon name="check" />}</span>
              <span class="picker-text">
                <span class="picker-short">{short}</span>
                {folder && <span class="picker-folder">{folder}</span>}
                {p.state === 'failed' && <span class="picker-error">{p.error ?? 'Couldn’t be loaded'}</span>}
              </span>
              {p.state === 'failed' && <span class="picker-note picker-error"><Icon name="warning" />failed</span>}
              {p.merged > 1 && <span class="picker-note">{p.merged} sources</span>}
            </div>
          );
        })}
        {found.length === 0 && (
          <p class="picker-none">
            {all.length > 0 ? 'No name matches.'
              : others.length > 0 ? 'No other profile measures the same.'
              : without.length > 0 ? 'No other profile is open.' : 'No profile is open.'}
          </p>
        )}
      </div>
      <div class="picker-foot">
        <Button icon="plus" onClick={() => openFileDialog(base ? 'base' : 'profile')}>Open file…</Button>
        {all.length > 1 && <span class="soft">Select several to add them up</span>}
      </div>
    </div>
  );
}
