import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { LabelKey, Tags } from '../api/types';
import { choiceTitles, flagOn, plainly, type OptionSpec } from '../state/options';
import { words } from '../state/words';
import { exactName, fault, quote } from '../state/pattern';
import { useReport } from '../state/report';
import { queryOf, state } from '../state/state';
import { splitFilter, valueFilter } from '../state/tagFilter';
import { formatCount } from '../model/units';
import { Button } from './parts';
import { percentText } from './table/format';

interface OptionEditorProps {
  spec: OptionSpec;
  value: string;
  /** Labels of the profile, to choose from. */
  labels: readonly LabelKey[];
  onSet: (value: string) => void;
}

/** A small form for one option. Enter applies it. */
export default function OptionEditor({ spec, value, labels, onSet }: OptionEditorProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const el = form.current!;
    const first = el.querySelector<HTMLElement>('input:checked') ?? el.querySelector<HTMLElement>('input');
    first?.focus();
    if (first instanceof HTMLInputElement && first.type !== 'radio') first.select();
  }, []);
  const [text, setText] = useState(plainly(spec.name, value) ? '' : value);
  const noPattern = spec.kind === 'frames' || spec.kind === 'label' || spec.kind === 'switch' ? fault(text.trim()) : '';
  const { about, detail } = words[spec.name] ?? { about: spec.title };
  return (
    <form
      ref={form}
      class="option-editor"
      onSubmit={(e) => {
        e.preventDefault();
        const value = noPattern === '' ? text.trim() : quote(text.trim());
        onSet(value || (spec.kind === 'switch' ? flagOn(spec.name) : ''));
      }}
    >
      <h2>{spec.title}</h2>
      <p title={`In pprof: ${spec.name}`}>{about}.</p>
      {spec.kind === 'choice'
        ? <Choices spec={spec} value={text} onChoose={onSet} />
        : (
            <>
              {spec.kind !== 'frames' && labels.length > 0 && spec.group === 'Labels' && (
                <LabelKeys
                  spec={spec}
                  text={text}
                  labels={labels}
                  onText={(next) => { setText(next); form.current?.querySelector('input')?.focus(); }}
                />
              )}
              <TextField spec={spec} text={text} onText={setText} />
              {spec.kind === 'filter' && (
                <LabelValues
                  spec={spec}
                  text={text}
                  labels={labels}
                  onText={(next) => { setText(next); form.current?.querySelector('input')?.focus(); }}
                />
              )}
              {exactName(text) !== undefined && <p class="option-detail">Matches exactly this name.</p>}
              {noPattern && <p class="option-detail">Not a valid expression ({noPattern}), so matched as text.</p>}
              {detail && <p class="option-detail">{detail}</p>}
              <div class="button-row">
                <Button type="submit" kind="primary">Apply</Button>
                {value !== '' && <Button onClick={() => onSet('')}>Remove</Button>}
              </div>
            </>
          )}
    </form>
  );
}

function TextField({ spec, text, onText }: { spec: OptionSpec; text: string; onText: (text: string) => void }) {
  return (
    <label class="text-field">
      <span class="visually-hidden">{spec.title}</span>
      <input
        type="text"
        class={spec.kind === 'number' ? '' : 'mono'}
        inputMode={spec.kind === 'number' ? 'decimal' : 'text'}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={words[spec.name]?.placeholder ?? ''}
        value={text}
        onInput={(e) => onText(e.currentTarget.value)}
      />
    </label>
  );
}

function Choices({ spec, value, onChoose }: { spec: OptionSpec; value: string; onChoose: (value: string) => void }) {
  const name = useId();
  return (
    <div class="option-choices" role="radiogroup" aria-label={spec.title}>
      <Choice name={name} label="Default" about="The report’s default" checked={value === ''} onChoose={() => onChoose('')} />
      {words[spec.name]?.choices?.map((c) => (
        <Choice
          key={c.value}
          name={name}
          label={choiceTitles[c.value] ?? c.value}
          about={c.about}
          checked={c.value === value}
          onChoose={() => onChoose(c.value)}
        />
      ))}
    </div>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  about: string;
  checked: boolean;
  onChoose: () => void;
}

function Choice({ name, label, about, checked, onChoose }: ChoiceProps) {
  // Arrows move between radio buttons, which must not choose yet: a press and Enter do.
  return (
    <label class="option-choice" onClick={(e) => e.detail > 0 && onChoose()}>
      <input
        type="radio"
        name={name}
        defaultChecked={checked}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' && e.key !== ' ') return;
          e.preventDefault();
          onChoose();
        }}
      />
      <span>
        {label}
        <span class="menu-hint">{about}</span>
      </span>
    </label>
  );
}

/** The profile's label keys: a press puts one into the value, as the option wants it. */
function LabelKeys(props: { spec: OptionSpec; text: string; labels: readonly LabelKey[]; onText: (text: string) => void }) {
  const { spec, text, labels, onText } = props;
  const listed = text.split(',').map((k) => k.trim()).filter(Boolean);
  const press = (key: string) => {
    if (spec.kind === 'keys') onText((listed.includes(key) ? listed.filter((k) => k !== key) : [...listed, key]).join(','));
    else if (spec.kind === 'filter') onText(`${key}=${text.includes('=') ? text.slice(text.indexOf('=') + 1) : text}`);
    else onText(text ? `${text}|${key}` : key);
  };
  return (
    <div class="label-keys" role="group" aria-label="Labels of this profile">
      {labels.slice(0, 24).map((l) => {
        const on = spec.kind === 'keys' ? listed.includes(l.key) : text.startsWith(`${l.key}=`);
        return (
          <button key={l.key} type="button" class="label-key" aria-pressed={on} onClick={() => press(l.key)}>
            {l.key} <span class="soft">{formatCount(l.values)}</span>
          </button>
        );
      })}
    </div>
  );
}

const MOST_VALUES = 12;

/** Values of the label that is being written, those that cost most first: a press takes one. */
function LabelValues(
  { spec, text, labels, onText }: { spec: OptionSpec; text: string; labels: readonly LabelKey[]; onText: (text: string) => void },
) {
  const written = splitFilter(text);
  const label = labels.find((l) => l.key === written?.key);
  // Without this filter, so that there are others to choose. The answer is kept.
  const query = queryOf(state.value);
  query.delete(spec.name);
  const tags = useReport<Tags>('tags', label ? query : null);
  const values = tags.answer?.report.keys.find((k) => k.key === label?.key)?.values ?? [];
  if (!label || !written || values.length === 0) return null;
  const chosen = values.find((v) => valueFilter(label.key, v.value, label.numeric) === text);
  const typed = chosen ? '' : written.value.toLowerCase();
  const fitting = values.filter((v) => v.value.toLowerCase().includes(typed));
  return (
    <div class="label-keys" role="group" aria-label={`Values of ${label.key}`}>
      {fitting.slice(0, MOST_VALUES).map((v) => (
        <button
          key={v.value}
          type="button"
          class="label-key"
          aria-pressed={v === chosen}
          onClick={() => onText(valueFilter(label.key, v.value, label.numeric))}
        >
          {v.value || '(empty)'} <span class="soft">{percentText(v.sum.percent)}</span>
        </button>
      ))}
      {fitting.length > MOST_VALUES && <span class="label-more">and {formatCount(fitting.length - MOST_VALUES)} more</span>}
    </div>
  );
}
