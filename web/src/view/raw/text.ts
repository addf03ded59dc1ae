// The lines of a profile as text: what in them refers to other lines, and which are put away.

import type { RawSection } from '../../api/types';
import { patternOf } from '../../state/pattern';

export interface Part {
  text: string;
  /** What it names: a location or mapping by id, a function, or, in a record's own line, what refers to the record. */
  to?: 'location' | 'mapping' | 'function' | 'users';
}

/** A location or mapping, as the text to find it by: "location 12". */
export const recordOf = (section: RawSection['name'] | undefined, id: string): string =>
  `${section === 'mappings' ? 'mapping' : 'location'} ${id}`;

/** What is typed to find something, as the server takes it: a record, or a pattern. */
export function rawFind(text: string): string {
  const [kind = '', id = '', ...more] = text.split(' ');
  return ['location', 'mapping'].includes(kind) && /^\d+$/.test(id) && more.length === 0 ? text : patternOf(text);
}

/** A line in parts, which together are the line. */
export function partsOf(line: string, section: RawSection['name'] | undefined): Part[] {
  if (section === 'samples') return sampleParts(line);
  if (section === 'locations') return locationParts(line);
  const [, id, rest] = (section === 'mappings' && /^(\d+)(: .*)$/.exec(line)) || [];
  return id && rest ? [{ text: id, to: 'users' }, { text: rest }] : [{ text: line }];
}

/** "          1   10000000: 1 2 3 ": values, then the ids of locations. Lines of labels begin with a space and name keys. */
function sampleParts(line: string): Part[] {
  const found = /^((?: +-?\d+)+: )((?:\d+ )*)$/.exec(line);
  if (!found) return [{ text: line }];
  const ids = found[2]!.split(' ').slice(0, -1);
  return [{ text: found[1]! }, ...ids.flatMap((text): Part[] => [{ text, to: 'location' }, { text: ' ' }])];
}

/** "     1: 0x47ac30 M=1 runtime.mallocgc runtime/malloc.go:1096:0 s=1067"; of inlined calls only the end, behind spaces. */
function locationParts(line: string): Part[] {
  const head = /^( *)(\d+)(: 0x[0-9a-f]+ )(M=\d+)?((?: ?\[F\])? ?)/.exec(line);
  const start = head?.[0].length ?? /^ */.exec(line)![0].length;
  const parts: Part[] = [];
  if (head) {
    const [, space, id, address, mapping, end] = head;
    parts.push({ text: space! }, { text: id!, to: 'users' }, { text: address! });
    if (mapping) parts.push({ text: mapping, to: 'mapping' });
    parts.push({ text: end! });
  } else if (start > 0) {
    parts.push({ text: line.slice(0, start) });
  }
  const rest = line.slice(start);
  const place = / \S*:-?\d+:-?\d+(?: s=-?\d+)?(?:\(.*\))?$/.exec(rest);
  const name = place ? rest.slice(0, place.index) : '';
  if (name) parts.push({ text: name, to: 'function' });
  if (rest.length > name.length) parts.push({ text: rest.slice(name.length) });
  return parts;
}

/** The id that a line of a location begins with. */
export function locationID(line: string): number | undefined {
  const found = /^ *(\d+): 0x/.exec(line);
  return found ? Number(found[1]) : undefined;
}

/** Which section a line is in, if in any: not titles, and nothing of the profile's own lines. */
export function sectionAt(sections: readonly RawSection[], line: number): RawSection | undefined {
  const at = sections.findLastIndex((s) => line >= s.line);
  const next = sections[at + 1];
  return at < 0 || (next && line >= next.line - 1) ? undefined : sections[at];
}

/** The lines that are shown, as runs of [from, to). */
export type Runs = readonly (readonly [number, number])[];

export function runsOf(sections: readonly RawSection[], total: number, folded: readonly string[]): Runs {
  const runs: [number, number][] = [];
  let from = 0;
  sections.forEach((s, i) => {
    if (!folded.includes(s.name)) return;
    runs.push([from, s.line]);
    from = (sections[i + 1]?.line ?? total + 1) - 1;
  });
  runs.push([from, total]);
  return runs.filter(([a, b]) => b > a);
}

export const rowsIn = (runs: Runs): number => runs.reduce((n, [from, to]) => n + to - from, 0);

/** The line of a row. */
export function lineAt(runs: Runs, row: number): number {
  for (const [from, to] of runs) {
    if (row < to - from) return from + row;
    row -= to - from;
  }
  return -1;
}

/** The row of a line; -1 if it is put away. */
export function rowOf(runs: Runs, line: number): number {
  let row = 0;
  for (const [from, to] of runs) {
    if (line >= from && line < to) return row + line - from;
    row += to - from;
  }
  return -1;
}

/**
 * The next line to look at for a location, or null if it is at this one. Each location has one line or more, and most profiles number
 * them from 1: it is no earlier than its number says, and no line that is looked at is beyond it. If that leads out of the section,
 * all its lines are looked at.
 */
export function towards(id: number, line: string, at: number, all: boolean): number | null {
  const here = locationID(line);
  if (here === id) return null;
  return at + (all || here === undefined || here > id ? 1 : id - here);
}
