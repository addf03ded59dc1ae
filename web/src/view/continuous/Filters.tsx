import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { labels as askLabels, type StoreLabel } from '../../api/continuous';
import { useLasting } from '../../state/answer';
import { finder } from '../../state/pattern';
import { formatSelector, matcherOf, matcherText, valuesOf, withMatcher, type Matcher } from '../../state/selector';
import { inOrder, REQUESTS } from '../../state/selection';
import { matchersShown, requestsState, select, selected, setMatchers } from '../../state/selected';
import { go, state } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { Button, Floating, Icon, IconButton, tip, ValueList } from '../parts';
import { count } from '../table/format';

/** What is being edited: a label, a choice of one (''), or the text of the selector (null). */
const editing = signal<{ name: string | null; anchor: HTMLElement } | null>(null);

const MOST = 5000;
const LATER = ['version', 'zone', 'instance'];

export function openFilters(): void {
  const anchor = document.getElementById('sel-add');
  if (anchor) editing.value = { name: '', anchor };
}

/** What is selected, a chip for each condition on a label. */
export function Filters() {
  const matchers = matchersShown.value;
  const edit = (name: string | null) => (e: MouseEvent) => {
    const anchor = e.currentTarget as HTMLElement;
    editing.value = editing.peek()?.anchor === anchor ? null : { name, anchor };
  };
  const has = (name: string) => matchers?.some((m) => m.name === name);
  return (
    <div class="sel-filters" role="group" aria-label="Labels">
      {matchers === null ? (
        <span class="chip">
          <button type="button" class="chip-edit" onClick={edit(null)}><span class="chip-text">{selected.value?.q}</span></button>
        </span>
      ) : (
        <>
          <LabelChip name="service" matchers={matchers} edit={edit('service')} fixed />
          <LabelChip name="kind" matchers={matchers} edit={edit('kind')} fixed />
          {[...new Set(matchers.map((m) => m.name))].filter((n) => n !== 'service' && n !== 'kind').map((n) => (
            <LabelChip key={n} name={n} matchers={matchers} edit={edit(n)} />
          ))}
        </>
      )}
      <Button
        id="sel-add"
        icon="plus"
        kind="plain"
        class="sel-add"
        aria-haspopup="dialog"
        aria-expanded={editing.value?.name === ''}
        onClick={edit('')}
        {...tip(`Filter by ${LATER.filter((n) => !has(n)).join(', ')}${LATER.every(has) ? '' : ' or '}any label`, 'o')}
      >
        <span class="sel-word">Labels</span>
      </Button>
      <IconButton icon="pencil" label="Edit the selector as text" aria-haspopup="dialog" onClick={edit(null)} />
      <Editor />
    </div>
  );
}

function LabelChip(
  { name, matchers, edit, fixed = false }: { name: string; matchers: readonly Matcher[]; edit: (e: MouseEvent) => void; fixed?: boolean },
) {
  const of = matchers.filter((m) => m.name === name);
  const text = of.map(matcherText).join(' and ') || `any ${name}`;
  return (
    <span class={`chip sel-chip${fixed ? ' sel-fixed' : ''}`}>
      <button type="button" class="chip-edit" aria-haspopup="dialog" onClick={edit} {...tip(`Choose ${name}`)}>
        <span class={fixed || /^v\d/.test(text) && name === 'version' ? 'visually-hidden' : 'chip-title'}>{name} </span>
        <span class="chip-text">{text}</span>
        {fixed && <Icon name="down" />}
      </button>
      {!fixed && (
        <IconButton
          icon="close"
          label={`Any ${name}`}
          class="chip-remove"
          onClick={() => { setMatchers(withMatcher(matchers, name, null)); document.getElementById('sel-add')?.focus(); }}
        />
      )}
    </span>
  );
}

function Editor() {
  const open = editing.value;
  if (!open) return null;
  const close = (refocus: boolean) => {
    if (refocus) (open.anchor.isConnected ? open.anchor : document.getElementById('sel-add'))?.focus();
    editing.value = null;
  };
  const title = open.name === null ? 'Selector' : open.name === '' ? 'Labels' : `Choose ${open.name}`;
  return (
    <Floating anchor={open.anchor} role="dialog" label={title} class="popover sel-editor" onClose={(how) => close(how === 'escape')}>
      {open.name === null ? <TextForm close={close} /> : <Choice key={open.name} name={open.name} close={close} />}
    </Floating>
  );
}

/** Labels that are there, or the values of one of them. */
function Choice({ name, close }: { name: string; close: (refocus: boolean) => void }) {
  const matchers = matchersShown.value ?? [];
  const span = timelineSpan.value!;
  // Values that the other conditions leave, in the time that is looked at.
  const q = formatSelector(
    matchers.filter((m) => m.name !== name && !(name === 'service' && m.name !== 'kind') && !(name === 'kind' && m.name !== 'service')),
  );
  const [find, setFind] = useState('');
  // With more values than this, the server searches those that aren't listed.
  const [cut, setCut] = useState(false);
  const params = { q: q === '{}' ? '' : q, from: span.from, to: span.to, name, find: cut ? find : '', limit: MOST };
  const loading = useLasting(`labels ${JSON.stringify(params)}`, async (signal) => ({ labels: await askLabels(params, signal) }));
  const all = loading.answer?.report.labels ?? [];
  useEffect(() => {
    if (name !== '' && (all[0]?.more ?? 0) > 0) setCut(true);
  }, [all[0]?.more]);
  return (
    <div class="choice">
      <h2>{name === '' ? 'Labels' : `Choose ${name}`}</h2>
      {loading.error && <p class="form-problem" role="alert">{loading.error.message}</p>}
      {name === ''
        ? <Names all={all} taken={matchers.map((m) => m.name)} waiting={!loading.answer && !loading.error} />
        : <Values name={name} label={all[0]} waiting={!loading.answer && !loading.error} find={find} onFind={setFind} close={close} />}
    </div>
  );
}

function Names({ all, taken, waiting }: { all: readonly StoreLabel[]; taken: readonly string[]; waiting: boolean }) {
  const rank = (n: string) => (LATER.includes(n) ? LATER.indexOf(n) : LATER.length);
  const names =
    all.filter((l) => !['service', 'kind'].includes(l.name)).sort((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector<HTMLElement>('button')?.focus(), [names.length]);
  return (
    <div ref={list} class="choice-list" onKeyDown={walk}>
      {names.map((l) => (
        <button key={l.name} type="button" class="choice-item" onClick={() => { editing.value = { ...editing.peek()!, name: l.name }; }}>
          <span>{l.name}</span>
          <span class="soft">{taken.includes(l.name) ? 'set' : l.values.length + l.more}</span>
        </button>
      ))}
      {!waiting && names.length === 0 && <p class="soft">These profiles have no other labels.</p>}
    </div>
  );
}

/** Arrows walk along the buttons of a list. */
function walk(e: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step === undefined) return;
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button, input[type=checkbox]')].filter((el) =>
    el.matches('.choice-item'));
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, at + step))]?.focus();
  e.preventDefault();
}

interface ValuesProps {
  name: string;
  label: StoreLabel | undefined;
  waiting: boolean;
  find: string;
  onFind: (text: string) => void;
  close: (refocus: boolean) => void;
}

function Values(
  { name, label, waiting, find, onFind, close }: ValuesProps,
) {
  const matchers = matchersShown.value ?? [];
  const now = matchers.filter((m) => m.name === name);
  const single = name === 'kind'; // profiles of two kinds don't add up
  const [not, setNot] = useState(now[0]?.op === '!=' || now[0]?.op === '!~');
  const [chosen, setChosen] = useState<readonly string[]>(now.length === 1 ? (valuesOf(now[0]!) ?? []) : []);
  const values = single ? inOrder(label?.values ?? []) : label?.values ?? [];
  const finds = finder(find);
  const found = values.filter((v) => finds?.(v) ?? true);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const apply = (to: readonly string[]) => {
    close(true);
    if (single && to[0] === REQUESTS) go(requestsState(state.peek())); // that is how they are counted
    else setMatchers(withMatcher(matchers, name, to.length === 0 ? null : matcherOf(name, to, not && !single)));
  };
  const toggle = (v: string) => setChosen((all) => (all.includes(v) ? all.filter((other) => other !== v) : [...all, v]));
  return (
    <div class="choice-values">
      <ValueList
        name={name}
        values={found}
        find={find}
        onFind={onFind}
        onTake={(v) => apply([v])}
        input={input}
        row={(v) => (
          <>
            {!single && <input type="checkbox" aria-label={`${v}, with others`} checked={chosen.includes(v)} onChange={() => toggle(v)} />}
            <button type="button" class="choice-item" title={v} aria-pressed={chosen.includes(v)} onClick={() => apply([v])}>
              {v}{single && v === REQUESTS && <span class="soft">by endpoint</span>}
            </button>
          </>
        )}
        empty={!waiting && <p class="soft">{find === '' ? `These profiles have no ${name}.` : `No ${name} matches.`}</p>}
      />
      {(label?.more ?? 0) > 0 && <p class="soft">{count(label!.more)} more: type to find them</p>}
      <div class="choice-foot">
        {!single && <label><input type="checkbox" checked={not} onChange={(e) => setNot(e.currentTarget.checked)} /> exclude these</label>}
        <Button kind="quiet" onClick={() => apply([])}>Any</Button>
        {!single && (
          <Button kind="primary" disabled={chosen.length === 0} onClick={() => apply(chosen)}>
            Apply{chosen.length > 1 ? ` ${chosen.length}` : ''}
          </Button>
        )}
      </div>
    </div>
  );
}

/** The selector as it is written everywhere else. */
function TextForm({ close }: { close: (refocus: boolean) => void }) {
  const [text, setText] = useState(selected.value?.q ?? '');
  const [problem, setProblem] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const apply = async () => {
    const q = text.trim();
    try {
      await askLabels({ q, name: 'kind', limit: 1 }); // the server reads it: what it says is what is wrong
    } catch (err) {
      setProblem(err instanceof Error ? err.message : String(err));
      return;
    }
    close(true);
    select({ q });
  };
  return (
    <form class="choice" onSubmit={(e) => { e.preventDefault(); void apply(); }}>
      <h2>Selector</h2>
      <input
        ref={input}
        class="find mono sel-text"
        type="text"
        aria-label="Selector"
        aria-invalid={problem !== ''}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(e) => { setText(e.currentTarget.value); setProblem(''); }}
      />
      {problem ? <p class="form-problem" role="alert">{problem}</p> : (
        <p class="soft">As in <code>{'cpu{service="api", version=~"v1.*", zone!="b"}'}</code></p>
      )}
      <div class="button-row"><Button kind="primary" type="submit">Select</Button></div>
    </form>
  );
}
