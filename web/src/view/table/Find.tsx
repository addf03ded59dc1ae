import { useEffect, useRef, useState } from 'preact/hooks';
import { cut, where } from '../../state/address';

interface Props {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** The text is a pattern: taken over at Enter, not with each letter. */
  pattern?: boolean;
  error?: string | undefined;
}

/** A field that narrows what a view shows. Escape empties it. */
export function Find({ label, value, onChange, pattern, error }: Props) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const take = (next: string, wait: number) => {
    setText(next);
    clearTimeout(timer.current);
    const view = () => cut(where.peek())[0];
    const typedIn = view(); // this stays until the code of another one is there
    timer.current = setTimeout(() => view() === typedIn && onChange(next), wait);
  };
  return (
    <input
      class="find"
      type="search"
      aria-label={label}
      aria-invalid={error ? true : undefined}
      title={error}
      placeholder={label}
      value={text}
      spellcheck={false}
      autocomplete="off"
      onInput={(e) => (pattern ? setText(e.currentTarget.value) : take(e.currentTarget.value, 120))}
      onBlur={() => pattern && text !== value && onChange(text)}
      onKeyDown={(e) => {
        if (e.key === 'Enter') take(text, 0);
        else if (e.key === 'Escape' && text !== '') take('', 0);
        else return;
        e.stopPropagation();
      }}
    />
  );
}
