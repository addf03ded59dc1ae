import type { RawSection } from '../../api/types';
import { partsOf, recordOf, type Part } from './text';

/** Goes to what a part of a line names: a location or mapping by its id, a function by its name, what refers to a record. */
export type Follow = (kind: NonNullable<Part['to']>, id: string, target: HTMLElement, section: RawSection['name'] | undefined) => void;

interface LineProps {
  index: number;
  /** Undefined while it is on its way. */
  text: string | undefined;
  section: RawSection['name'] | undefined;
  current: boolean;
  marked: boolean;
  /** The record that others are shown for, as recordOf has it. */
  found: string;
  follow: Follow;
  /** What is pointed at, to be told what it is. */
  tell: Follow;
}

export function Line({ index, text, section, current, marked, found, follow, tell }: LineProps) {
  return (
    <div class={`raw-line${marked ? ' marked' : ''}`} aria-current={current ? 'true' : undefined}>
      <span class="raw-number" aria-hidden="true">{index + 1}</span>
      {text === undefined ? <span class="soft">…</span> : (
        <span>
          {partsOf(text, section).map((part, i) => (
            part.to ? <To key={i} part={part} to={part.to} {...{ section, current, found, follow, tell }} /> : part.text
          ))}
        </span>
      )}
    </div>
  );
}

interface ToProps extends Pick<LineProps, 'section' | 'current' | 'found' | 'follow' | 'tell'> {
  part: Part;
  to: NonNullable<Part['to']>;
}

function To({ part: { text }, to, section, current, found, follow, tell }: ToProps) {
  const id = to === 'mapping' ? text.replace(/^M=/, '') : text;
  const record = to === 'users' ? recordOf(section, id) : `${to} ${id}`;
  return (
    <button
      type="button"
      class={`raw-to raw-${to}${record === found ? ' raw-found' : ''}`}
      tabIndex={current ? 0 : -1}
      aria-label={to === 'users' ? `Only what refers to ${record}` : undefined}
      onClick={(e) => follow(to, id, e.currentTarget, section)}
      onPointerEnter={(e) => tell(to, id, e.currentTarget, section)}
      onFocus={(e) => tell(to, id, e.currentTarget, section)}
    >
      {text}
    </button>
  );
}
