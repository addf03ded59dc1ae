import type { RawSection } from '../../api/types';
import { partsOf, type Part } from './text';

/** Goes to what a part of a line names: a location or mapping by its id, a function by its name. */
export type Follow = (kind: NonNullable<Part['to']>, id: string, target: HTMLElement) => void;

interface LineProps {
  index: number;
  /** Undefined while it is on its way. */
  text: string | undefined;
  section: RawSection['name'] | undefined;
  current: boolean;
  marked: boolean;
  follow: Follow;
  /** What is pointed at, to be told what it is. */
  tell: Follow;
}

export function Line({ index, text, section, current, marked, follow, tell }: LineProps) {
  return (
    <div class={`raw-line${marked ? ' marked' : ''}`} aria-current={current ? 'true' : undefined}>
      <span class="raw-number" aria-hidden="true">{index + 1}</span>
      {text === undefined ? <span class="soft">…</span> : (
        <span>
          {partsOf(text, section).map((part, i) => (
            part.to ? <To key={i} part={part} to={part.to} {...{ current, follow, tell }} /> : part.text
          ))}
        </span>
      )}
    </div>
  );
}

interface ToProps extends Pick<LineProps, 'current' | 'follow' | 'tell'> {
  part: Part;
  to: NonNullable<Part['to']>;
}

function To({ part: { text }, to, current, follow, tell }: ToProps) {
  const id = to === 'mapping' ? text.replace(/^M=/, '') : text;
  return (
    <button
      type="button"
      class={`raw-to raw-${to}`}
      tabIndex={current ? 0 : -1}
      onClick={(e) => follow(to, id, e.currentTarget)}
      onPointerEnter={(e) => tell(to, id, e.currentTarget)}
      onFocus={(e) => tell(to, id, e.currentTarget)}
    >
      {text}
    </button>
  );
}
