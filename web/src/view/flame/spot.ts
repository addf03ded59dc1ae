// A frame that someone points at, as a value that outlives the window it was in.

import { eachChild, REST, ROOT, type FlameModel } from '../../model/model';

export interface Spot {
  id: number;
  name: string;
  kind: 'frame' | 'root' | 'rest';
  file: string;
  line: number;
  /** How many more files have the function. */
  otherFiles: number;
  package: string;
  origin: number;
  inlined: boolean;
  depth: number;
  x: number;
  width: number;
  total: number;
  self: number;
  /** Children that are too narrow to have been sent. */
  hidden: number;
  /** Children that were. */
  children: number;
  base: { total: number; self: number } | null;
  parentTotal: number;
  parentBase: number;
  /** By the colours of a comparison: below 0 less, above 0 more, 0 noise. */
  step: number;
}

export function spotOf(m: FlameModel, node: number, step = 0): Spot {
  const frame = m.frame[node]!;
  const parent = m.parent[node]!;
  let children = 0;
  eachChild(m, node, () => children++);
  const known = frame >= 0;
  return {
    id: m.id[node]!,
    name: known ? m.frames.name[frame]! : frame === ROOT ? 'all' : 'narrower frames',
    kind: known ? 'frame' : frame === REST ? 'rest' : 'root',
    file: known ? (m.files[m.frames.file[frame]!] ?? '') : '',
    line: known ? m.frames.line[frame]! : 0,
    otherFiles: known ? (m.frames.otherFiles[frame] ?? 0) : 0,
    package: known ? (m.packages[m.frames.package[frame]!] ?? '') : '',
    origin: known ? m.frames.origin[frame]! : 0,
    inlined: m.inlined[node] === 1,
    depth: m.depth[node]!,
    x: m.x[node]!,
    width: m.width[node]!,
    total: m.total[node]!,
    self: m.self[node]!,
    hidden: frame === REST ? (m.hidden[parent] ?? 0) : m.hidden[node]!,
    children,
    base: m.baseTotal && m.baseSelf && frame !== REST ? { total: m.baseTotal[node]!, self: m.baseSelf[node]! } : null,
    parentTotal: m.total[parent >= 0 ? parent : node]!,
    parentBase: m.baseTotal?.[parent >= 0 ? parent : node] ?? 0,
    step,
  };
}

/** The node and its callers down from the root. */
export function pathOf(m: FlameModel, node: number): number[] {
  const path: number[] = [];
  for (let n = node; n >= 0; n = m.parent[n]!) path.unshift(n);
  return path;
}

/** Follows names from the root in another form of a graph; direct recursion may be one frame there. -1 if it leads nowhere. */
export function follow(m: FlameModel, names: readonly string[]): number {
  let at = 0;
  let last = '';
  for (const name of names) {
    if (name === last && m.frame[at]! >= 0) {
      const again = childNamed(m, at, name);
      if (again >= 0) at = again;
      continue;
    }
    const next = childNamed(m, at, name);
    if (next < 0) return -1;
    at = next;
    last = name;
  }
  return at;
}

function childNamed(m: FlameModel, node: number, name: string): number {
  let found = -1;
  eachChild(m, node, (child) => {
    if (found < 0 && m.frames.name[m.frame[child]!] === name) found = child;
  });
  return found;
}
