import './refine.css';
import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { useRef } from 'preact/hooks';
import { turned } from '../state/mine';
import { chipsOf, type Chip, type OptionSpec } from '../state/options';
import { refused } from '../state/report';
import { foldable, listError, shown, showsMine } from '../state/profiles';
import { go, setOption, state, type ViewID } from '../state/state';
import { Chunk } from './Chunk';
import { Button, Floating, Icon, IconButton, openFunctionMenu, tip } from './parts';

const editor = () => import('./OptionEditor');
const filterMenu = () => import('./FilterMenu');

interface Editing {
  spec: OptionSpec;
  anchor: HTMLElement;
}

// The button is in the tabs' row and the chips are below it.
const menu = signal(false);
const editing = signal<Editing | null>(null);
const add = createRef<HTMLButtonElement>();

/** The selected function, and the menu of filters and options. They have a place where nothing moves when they come and go. */
export function RefineTools() {
  const { fn } = state.value;
  // The facts beside it come later and would push it away.
  const known = useRef(false);
  if (shown.value?.info ?? shown.value?.error ?? listError.value) known.current = true;
  return (
    <section class={`refine${known.current ? '' : ' refine-waiting'}`} aria-label="Filters and options">
      {fn && <Selected name={fn} />}
      <YourCode />
      <Button
        buttonRef={add}
        icon="filter"
        kind="plain"
        class="refine-add"
        aria-haspopup="menu"
        aria-expanded={menu.value}
        onClick={() => {
          menu.value = !menu.value;
          void editor(); // what is typed right after a choice is for it
        }}
      >
        <span class="refine-word">Filter</span>
      </Button>
      {menu.value && add.current && (
        <Chunk
          load={filterMenu}
          props={{
            anchor: add.current,
            edit: (spec: OptionSpec) => { editing.value = { spec, anchor: add.current! }; },
            onClose: (refocus: boolean) => {
              menu.value = false;
              if (refocus) add.current?.focus();
            },
          }}
        />
      )}
      <Editor />
    </section>
  );
}

/** Folds what is not yours, or shows it again. Which code is yours, the menu of filters can say. */
export function toggleMine(): void {
  go({ options: turned(state.peek(), foldable()) });
}

/** These have no stacks to fold. */
const WHOLE: readonly ViewID[] = ['advice', 'endpoints', 'records'];

function YourCode() {
  const whole = WHOLE.includes(state.value.view);
  return (
    <Button
      icon="user"
      kind="plain"
      class="refine-add refine-mine"
      aria-pressed={!whole && showsMine(state.value)}
      disabled={whole}
      onClick={toggleMine}
      {...(whole ? tip('This view has no stacks') : tip('Add the cost of libraries and the runtime to your functions that call them', 'y'))}
    >
      <span class="refine-word">Your code</span>
    </Button>
  );
}

function Editor() {
  const open = editing.value;
  if (!open) return null;
  const { spec, anchor } = open;
  const close = (refocus: boolean) => {
    if (refocus) (anchor.isConnected ? anchor : add.current)?.focus();
    editing.value = null;
  };
  return (
    <Floating anchor={anchor} role="dialog" label={spec.title} class="popover" onClose={(how) => close(how === 'escape')}>
      <Chunk
        load={editor}
        props={{
          spec,
          value: state.value.options[spec.name] ?? '',
          labels: shown.value?.info?.labels ?? [],
          onSet: (value: string) => {
            close(true);
            setOption(spec.name, value);
          },
        }}
      />
    </Floating>
  );
}

/** The options that are set. */
export function Chips() {
  const { options } = state.value;
  const chips = chipsOf(options);
  if (chips.length === 0) return null;
  const reset = () => {
    const { sample_index, normalize, base_total } = options; // they have no chips
    go({ options: {
      ...(sample_index ? { sample_index } : {}), ...(normalize ? { normalize } : {}), ...(base_total ? { base_total } : {}),
    } });
    add.current?.focus();
  };
  return (
    <section aria-label="Active options">
      <ul class="chips">
        {chips.map((chip) => (
          <ChipView
            key={chip.name}
            chip={chip}
            edit={(anchor) => { if (chip.spec) editing.value = { spec: chip.spec, anchor }; }}
            remove={() => {
              setOption(chip.name, '');
              add.current?.focus();
            }}
          />
        ))}
        {chips.length > 1 && <li><Button kind="plain" class="refine-reset" onClick={reset}>Reset all</Button></li>}
      </ul>
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
  const clear = () => go({ fn: '' });
  const menuItem = { label: 'Clear the selection', icon: 'close', keys: 'Escape', run: clear } as const;
  return (
    <span class="chip selection">
      <button
        type="button"
        class="chip-edit"
        aria-haspopup="menu"
        onClick={(e) => openFunctionMenu(name, e.currentTarget, [menuItem])}
        {...tip(name)}
      >
        <span class="visually-hidden">Selected function </span>
        <span class="chip-text">{name}</span>
        <Icon name="down" />
      </button>
      <IconButton icon="close" label="Clear the selection" keys="Escape" class="chip-remove" onClick={clear} />
    </span>
  );
}
