import { Fragment } from 'preact';
import type { Place } from '../../api/types';
import { orNoName } from '../../model/names';
import { nameParts, shortenParts, wrapPieces } from './names';
import './table.css';

interface Props {
  place: Pick<Place, 'name' | 'function'>;
  /** Cut to this many characters. */
  chars?: number;
  /** Its tooltip, if that isn't the name. */
  title?: string;
}

/** A name in one line, as text reports print it. */
const oneLine = (name: string): string => orNoName(name).replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/** A name with its package dimmed; the whole of it is its tooltip where it is cut. One that isn't may wrap between its words. */
export function FunctionName({ place, chars, title }: Props) {
  const parts = nameParts({ name: oneLine(place.name), ...(place.function && { function: oneLine(place.function) }) });
  const cut = chars === undefined ? parts : shortenParts(parts, chars);
  const part = (text: string) => (chars === undefined ? <Wrapping text={text} /> : text);
  return (
    <span class="fname" title={title ?? (cut === parts ? undefined : place.name)}>
      {(cut.before || cut.path) && <i>{part(cut.before + cut.path)}</i>}
      <b>{part(cut.name)}</b>
      {cut.after && <i>{part(cut.after)}</i>}
    </span>
  );
}

/** A text in which a line may break between its words, and nowhere else while there is room. */
export function Wrapping({ text }: { text: string }) {
  return <>{wrapPieces(text).map((piece, i) => <Fragment key={i}>{i > 0 && <wbr />}{piece}</Fragment>)}</>;
}

interface NamedRowProps {
  place: Pick<Place, 'name' | 'function'>;
  chars: number;
  inline: boolean | 'inline' | 'partial-inline' | undefined;
}

const ROOMY = 40; // characters: less is for the name alone

/** The name in a table's cell, with a mark if it was inlined. */
export function NamedRow({ place, chars, inline }: NamedRowProps) {
  if (!inline) return <FunctionName place={place} chars={chars} />;
  const text = inline === 'partial-inline' ? 'partly inlined' : 'inlined';
  const roomy = chars >= ROOMY;
  return (
    <>
      <FunctionName place={place} chars={chars - (roomy ? text.length + 4 : 5)} />
      <span class="badge" title={text}>
        {roomy ? text : <><span aria-hidden="true">in</span><span class="visually-hidden">{text}</span></>}
      </span>
    </>
  );
}
