// Names of functions and places, taken apart for reading.

import type { Place } from '../../api/types';
import { isPath } from '../../model/names';

export interface NameParts {
  /** Address or other text before the name, with its space. */
  before: string;
  /** Package path with its dot: "encoding/json.". */
  path: string;
  /** What is left: "(*Decoder).Decode". */
  name: string;
  /** Place behind the name, with its space: " /src/decode.go:49". */
  after: string;
}

/** Splits a Go function's name behind its package; a file's path behind its folder. */
export function splitName(name: string): { path: string; name: string } {
  // Type arguments hold names of their own: only what is before them counts.
  if (name.startsWith('library: ')) return { path: '', name };
  const via = name.indexOf(' via '); // before it stands the function of yours
  if (via > 0) {
    const caller = splitName(name.slice(0, via));
    return { path: caller.path, name: caller.name + name.slice(via) };
  }
  const bracket = name.indexOf('[');
  const head = bracket < 0 ? name : name.slice(0, bracket);
  const slash = head.lastIndexOf('/');
  const dot = head.indexOf('.', slash + 1);
  if (name.startsWith('/') && (dot < 0 || isFileEnding(head.slice(head.lastIndexOf('.'))))) {
    return { path: name.slice(0, slash + 1), name: name.slice(slash + 1) };
  }
  if (dot <= 0 || dot === name.length - 1 || !isPath(name.slice(0, dot))) return { path: '', name };
  return { path: name.slice(0, dot + 1), name: name.slice(dot + 1) };
}

function isFileEnding(text: string): boolean {
  return /^\.(go|s|c|h|cc|cpp|py|js|ts|rs)$/.test(text);
}

/** The parts of a row's name, which may have an address before and a place behind the function. */
export function nameParts(place: Pick<Place, 'name' | 'function'>): NameParts {
  const fn = place.function;
  const at = fn ? place.name.indexOf(fn) : -1;
  if (!fn || at < 0) return { before: '', ...splitName(place.name), after: '' };
  return { before: place.name.slice(0, at), ...splitName(fn), after: place.name.slice(at + fn.length) };
}

/** What a row selects across views: its function, or else what it is called. */
export function selects(place: Pick<Place, 'name' | 'function'>): string {
  return place.function || place.name;
}

/**
 * Cuts a text to at most n characters by taking out its middle. The end, where
 * names differ, gets two thirds.
 */
export function shorten(text: string, n: number): string {
  if (text.length <= n) return text;
  if (n <= 1) return '…';
  const end = Math.ceil(((n - 1) * 2) / 3);
  return `${text.slice(0, n - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Cuts a name to n characters: first where it is, then its package's path, then the function. */
export function shortenParts(parts: NameParts, n: number): NameParts {
  let over = parts.before.length + parts.path.length + parts.name.length + parts.after.length - n;
  if (over <= 0) return parts;
  const cut = { ...parts };
  for (const [part, least] of [['after', 18], ['path', 0], ['before', 0], ['after', 10], ['name', 1]] as const) {
    const text = cut[part];
    if (over <= 0 || text.length <= least) continue;
    const rest = Math.max(least, text.length - over);
    if (rest === 0) cut[part] = '';
    // Of a path, its last element says most; a part of one says nothing.
    else if (part === 'path') cut.path = text.slice(text.lastIndexOf('/') + 1).length <= rest ? text.slice(text.lastIndexOf('/') + 1) : '';
    else if (part === 'after') cut.after = ` …${text.slice(text.length - rest + 2)}`;
    else cut[part] = shorten(text, rest);
    over -= text.length - cut[part].length;
  }
  return cut;
}

/** A name in pieces between which a line may break: behind punctuation, and where a word of the name begins. */
export const wrapPieces = (name: string): string[] => name.split(/(?<=[./)\]_-])(?=[^./)\]_-])|(?<=[\p{Ll}\d])(?=\p{Lu})/u);

/** The last n elements of a path: enough to know a file by. */
export function pathEnd(path: string, n = 2): string {
  const parts = path.split('/');
  return parts.length <= n ? path : parts.slice(-n).join('/');
}
