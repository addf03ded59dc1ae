import type { Place } from '../../api/types';
import { nameParts, shortenParts } from './names';
import './table.css';

interface Props {
  place: Pick<Place, 'name' | 'function'>;
  /** Cut to this many characters. */
  chars?: number;
}

/** A name with its package dimmed; the whole of it is its tooltip where it is cut. */
export function FunctionName({ place, chars }: Props) {
  const parts = nameParts(place);
  const cut = chars === undefined ? parts : shortenParts(parts, chars);
  return (
    <span class="fname" title={cut === parts ? undefined : place.name}>
      {(cut.before || cut.path) && <i>{cut.before}{cut.path}</i>}
      <b>{cut.name}</b>
      {cut.after && <i>{cut.after}</i>}
    </span>
  );
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
