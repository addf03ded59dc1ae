import './refine.css';
import { useRef, useState } from 'preact/hooks';
import { chipsOf, type Chip, type OptionSpec } from '../state/options';
import { refused } from '../state/report';
import { shown } from '../state/profiles';
import { go, setOption, state, type Option } from '../state/state';
import { Chunk } from './Chunk';
import { Button, Floating, Icon, IconButton, openFunctionMenu, tip } from './parts';

const editor = () => import('./OptionEditor');
const filterMenu = () => import('./FilterMenu');

interface Editing {
  spec: OptionSpec;
  anchor: HTMLElement;
}

/** The options that are set, as chips, a menu of those that could be, and the selected function. */
export function RefineBar() {
  const [menu, setMenu] = useState(false);
  const [editing, setEditing] = useState<Editing | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const { options, fn } = state.value;
  const chips = chipsOf(options);

  const close = (refocus: boolean) => {
    if (refocus) editing?.anchor.focus();
    setEditing(null);
  };
  const remove = (name: Option) => {
    setOption(name, '');
    add.current?.focus();
  };

  return (
    <section class="refine" aria-label="Filters and options">
      <Button
        buttonRef={add}
        icon="plus"
        kind="plain"
        class="refine-add"
        aria-haspopup="menu"
        aria-expanded={menu}
        onClick={() => setMenu(!menu)}
      >
        Filter
      </Button>
      <ul class="chips">
        {chips.map((chip) => (
          <ChipView
            key={chip.name}
            chip={chip}
            edit={(anchor) => chip.spec && setEditing({ spec: chip.spec, anchor })}
            remove={() => remove(chip.name)}
          />
        ))}
        {chips.length > 1 && (
          <li>
            <Button
              kind="plain"
              class="refine-reset"
              onClick={() => {
                const { sample_index, normalize } = options;
                go({ options: { ...(sample_index ? { sample_index } : {}), ...(normalize ? { normalize } : {}) } });
                add.current?.focus();
              }}
            >
              Reset all
            </Button>
          </li>
        )}
      </ul>
      {fn && <Selected name={fn} />}
      {menu && add.current && (
        <Chunk
          load={filterMenu}
          props={{
            anchor: add.current,
            edit: (spec: OptionSpec) => setEditing({ spec, anchor: add.current! }),
            onClose: (refocus: boolean) => {
              setMenu(false);
              if (refocus) add.current?.focus();
            },
          }}
        />
      )}
      {editing && (
        <Floating anchor={editing.anchor} role="dialog" label={editing.spec.title} class="popover" onClose={(how) => close(how === 'escape')}>
          <Chunk
            load={editor}
            props={{
              spec: editing.spec,
              value: options[editing.spec.name] ?? '',
              labels: shown.value?.info?.labels ?? [],
              onSet: (value: string) => {
                close(true);
                setOption(editing.spec.name, value);
              },
            }}
          />
        </Floating>
      )}
    </section>
  );
}

function ChipView({ chip, edit, remove }: { chip: Chip; edit: (anchor: HTMLElement) => void; remove: () => void }) {
  const bad = refused.value;
  const problem = bad?.param === chip.name && bad.value === state.value.options[chip.name] ? bad.message : undefined;
  const flag = chip.spec?.kind === 'flag' && chip.text === '';
  const content = (
    <>
      {problem !== undefined && <Icon name="warning" />}
      <span class="chip-title">{chip.title}</span>
      {chip.text && ' '}
      {chip.text && <span class="chip-text">{chip.text}</span>}
    </>
  );
  return (
    <li class="chip-item">
      <span class={`chip${problem !== undefined ? ' chip-bad' : ''}`}>
        {flag ? (
          <span class="chip-edit">{content}</span>
        ) : (
          <button
            type="button"
            class="chip-edit"
            onClick={(e) => edit(e.currentTarget)}
            {...(problem !== undefined ? { 'aria-describedby': `problem-${chip.name}` } : {})}
          >
            {content}
          </button>
        )}
        <IconButton icon="close" label={`Remove ${chip.title}`} class="chip-remove" onClick={remove} />
      </span>
      {problem !== undefined && <span id={`problem-${chip.name}`} class="chip-problem" role="alert">{problem}</span>}
    </li>
  );
}

/** The function selected across views, with what can be done with it. */
function Selected({ name }: { name: string }) {
  return (
    <span class="chip selection">
      <button
        type="button"
        class="chip-edit"
        aria-haspopup="menu"
        onClick={(e) => openFunctionMenu(name, e.currentTarget)}
        {...tip(name)}
      >
        <span class="visually-hidden">Selected function </span>
        <span class="chip-text">{name}</span>
        <Icon name="down" />
      </button>
      <IconButton icon="close" label="Clear the selection" keys="Escape" class="chip-remove" onClick={() => go({ fn: '' })} />
    </span>
  );
}
