// A window of a flame graph in typed arrays.
//
// The answer lists nodes in preorder, as differences; here every node knows its
// place. Nodes are kept by depth, and from left to right within a depth, so
// that what a viewport shows is found by binary search in each row:
//
//     rows:  0        1              3                        8
//     nodes: [all]    [main] [gc]    [read] [parse] [rest] …

import type { Flame, FlameShares, FlameWhole, FlameWidths } from '../api/types';

/** Frames that are no function. */
export const ROOT = -1;
/** A run of siblings that are too narrow to have been sent. */
export const REST = -2;

/** What is the same for every window of a graph. */
export interface FlameAbout {
  type: string;
  unit: string;
  /** Values are rates. */
  perSecond: boolean;
  event: number;
  baseEvent: number;
  total: number;
  totalText: string;
  /** Of the root: where positions end. */
  width: number;
  height: number;
  inverted: boolean;
  diff: boolean;
  baseTotal: number;
  baseScale: number;
  /** Of a comparison: whose values frames are as wide as. */
  widths: FlameWidths;
  /** What percentages are of. */
  whole: FlameWhole;
  /** Some narrow frames can't be had: zooming in doesn't show them. */
  partial: boolean;
  shares: FlameShares;
}

export interface FrameTable {
  name: string[];
  file: Int32Array;
  line: Int32Array;
  package: Int32Array;
  origin: Uint8Array;
  /** How many more files have the function; empty if none has more than one. */
  otherFiles: Uint32Array;
  /** Standard errors of both sides' totals by how instances differ, as parts of them; empty if unknown. */
  spread: Float64Array;
  baseSpread: Float64Array;
  /** Of the root: of the head, then of the base. */
  rootSpread: Float64Array;
}

export interface FlameModel {
  about: FlameAbout;
  from: number;
  to: number;
  /** Nodes, with those that stand for what was not sent. */
  count: number;
  /** Whether nothing in the window was left out. */
  complete: boolean;
  files: string[];
  packages: string[];
  frames: FrameTable;
  /** Row d has the nodes rows[d] up to rows[d+1]. */
  rows: Uint32Array;
  id: Uint32Array;
  /** Indexes of nodes; -1 for the root. */
  parent: Int32Array;
  depth: Uint32Array;
  frame: Int32Array;
  inlined: Uint8Array;
  /** Children that were not sent. */
  hidden: Uint32Array;
  x: Float64Array;
  /** Mostly the totals themselves; of both sides of a comparison the larger ones. */
  width: Float64Array;
  total: Float64Array;
  self: Float64Array;
  baseTotal: Float64Array | null;
  baseSelf: Float64Array | null;
}

/** Of millionths. */
export const spreads = (column: readonly number[] | undefined): Float64Array => Float64Array.from(column ?? [], (v) => v / 1e6);

/** Decodes an answer. A node needs to be preceded by its parent, and siblings to stand from left to right. */
export function decode(flame: Flame): FlameModel {
  const { nodes, scale } = flame;
  const { width = nodes.total, own = nodes.self } = nodes;
  const sent = nodes.id.length;
  if (sent === 0 || nodes.depth[0] !== 0) throw new Error('flame graph without a root');

  // First in preorder: places and parents. ends[d] and last[d] are of the last node at depth d.
  const start = new Float64Array(sent);
  const parentOf = new Int32Array(sent);
  const rests: { parent: number; depth: number; x: number; width: number }[] = [];
  const last: number[] = [];
  const ends: number[] = [];
  const addRest = (parent: number, depth: number, x: number, end: number) => {
    const left = Math.max(x, flame.from);
    const right = Math.min(end, flame.to);
    // What is not in the window was left out for that reason alone.
    if (nodes.hidden[parent]! > 0 && right > left) rests.push({ parent, depth, x: left, width: right - left });
  };
  const closeFrom = (depth: number) => {
    for (let d = last.length - 1; d >= depth; d--) {
      const n = last[d]!;
      const end = start[n]! + (width[n]! - own[n]!) * scale;
      addRest(n, d + 1, ends[d + 1] ?? start[n]!, end);
      last.length = d;
      ends.length = d + 1;
    }
  };
  for (let n = 0; n < sent; n++) {
    const depth = nodes.depth[n]!;
    closeFrom(depth);
    const parent = depth === 0 ? -1 : last[depth - 1];
    if (parent === undefined || (depth === 0 && n > 0)) throw new Error('flame graph with a node before its parent');
    const before = ends[depth] ?? (parent < 0 ? 0 : start[parent]!);
    start[n] = before + nodes.gap[n]! * scale;
    if (parent >= 0) addRest(parent, depth, before, start[n]!);
    parentOf[n] = parent;
    last[depth] = n;
    ends[depth] = start[n]! + width[n]! * scale;
    ends.length = depth + 1;
  }
  closeFrom(0);

  // Then by rows. Preorder has the nodes of each row from left to right already;
  // runs of what is hidden go in between.
  const count = sent + rests.length;
  let levels = 1;
  for (let n = 0; n < sent; n++) levels = Math.max(levels, nodes.depth[n]! + 1);
  for (const r of rests) levels = Math.max(levels, r.depth + 1);
  const rows = new Uint32Array(levels + 1);
  for (let n = 0; n < sent; n++) rows[nodes.depth[n]! + 1]!++;
  for (const r of rests) rows[r.depth + 1]!++;
  for (let d = 0; d < levels; d++) rows[d + 1]! += rows[d]!;
  const restsByRow: (typeof rests)[] = Array.from({ length: levels }, () => []);
  for (const r of rests) restsByRow[r.depth]!.push(r);
  for (const row of restsByRow) row.sort((a, b) => a.x - b.x);

  const totals = new Float64Array(count);
  const model: FlameModel = {
    about: {
      type: flame.type,
      unit: flame.unit,
      perSecond: flame.perSecond ?? false,
      event: flame.event,
      baseEvent: flame.baseEvent ?? 0,
      total: flame.total.value,
      totalText: flame.total.text,
      width: width[0]! * scale,
      height: flame.height,
      inverted: flame.inverted,
      diff: flame.diff,
      baseTotal: flame.baseTotal ?? 0,
      baseScale: flame.baseScale,
      widths: flame.widths ?? 'head',
      whole: flame.whole,
      partial: false,
      shares: flame.shares,
    },
    from: flame.from,
    to: flame.to,
    count,
    complete: rests.length === 0,
    files: flame.files,
    packages: flame.packages,
    frames: {
      name: flame.frames.name,
      file: Int32Array.from(flame.frames.file),
      line: Int32Array.from(flame.frames.line),
      package: Int32Array.from(flame.frames.package),
      origin: Uint8Array.from(flame.frames.origin),
      otherFiles: Uint32Array.from(flame.frames.otherFiles ?? []),
      spread: spreads(flame.frames.spread),
      baseSpread: spreads(flame.frames.baseSpread),
      rootSpread: spreads(flame.frames.rootSpread),
    },
    rows,
    id: new Uint32Array(count),
    parent: new Int32Array(count),
    depth: new Uint32Array(count),
    frame: new Int32Array(count),
    inlined: new Uint8Array(count),
    hidden: new Uint32Array(count),
    x: new Float64Array(count),
    width: nodes.width ? new Float64Array(count) : totals,
    total: totals,
    self: new Float64Array(count),
    baseTotal: nodes.baseTotal ? new Float64Array(count) : null,
    baseSelf: nodes.baseSelf ? new Float64Array(count) : null,
  };

  const at = rows.slice(0, levels); // where the next node of each row goes
  const taken = new Uint32Array(levels); // rests placed in each row
  const place = new Int32Array(sent); // from preorder to rows
  const putRests = (depth: number, before: number) => {
    const row = restsByRow[depth]!;
    for (; taken[depth]! < row.length && row[taken[depth]!]!.x < before; taken[depth]!++) {
      const r = row[taken[depth]!]!;
      const to = at[depth]!++;
      model.parent[to] = place[r.parent]!;
      model.depth[to] = depth;
      model.frame[to] = REST;
      model.x[to] = r.x;
      model.width[to] = r.width;
    }
  };
  for (let n = 0; n < sent; n++) {
    const depth = nodes.depth[n]!;
    putRests(depth, start[n]!);
    const to = at[depth]!++;
    place[n] = to;
    model.id[to] = nodes.id[n]!;
    model.parent[to] = parentOf[n]! < 0 ? -1 : place[parentOf[n]!]!;
    model.depth[to] = depth;
    model.frame[to] = nodes.frame[n]!;
    model.hidden[to] = nodes.hidden[n]!;
    model.x[to] = start[n]!;
    model.width[to] = width[n]! * scale;
    model.total[to] = nodes.total[n]! * scale;
    model.self[to] = nodes.self[n]! * scale;
    if (model.baseTotal) model.baseTotal[to] = nodes.baseTotal![n]! * scale;
    if (model.baseSelf) model.baseSelf[to] = nodes.baseSelf![n]! * scale;
  }
  for (let depth = 0; depth < levels; depth++) putRests(depth, Infinity);
  for (const n of nodes.inlined) model.inlined[place[n]!] = 1;
  return model;
}

/** The buffers of a model, to be handed over to another thread. */
export function buffers(m: FlameModel): ArrayBuffer[] {
  const arrays = [
    m.rows, m.id, m.parent, m.depth, m.frame, m.inlined, m.hidden, m.x, m.width, m.total, m.self, m.baseTotal, m.baseSelf,
    m.frames.file, m.frames.line, m.frames.package, m.frames.origin, m.frames.otherFiles,
  ];
  return [...new Set(arrays.flatMap((a) => (a ? [a.buffer as ArrayBuffer] : [])))];
}

/** The first node of a row that ends right of a position; the row's end if there is none. */
export function firstEndingAfter(m: FlameModel, row: number, position: number): number {
  let low = m.rows[row]!;
  let high = m.rows[row + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (m.x[middle]! + m.width[middle]! > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function levelsOf(m: FlameModel): number {
  return m.rows.length - 1;
}

/** The node at a position of a row, -1 if there is none. */
export function nodeAt(m: FlameModel, row: number, position: number): number {
  if (row < 0 || row >= levelsOf(m)) return -1;
  const n = firstEndingAfter(m, row, position);
  return n < m.rows[row + 1]! && m.x[n]! <= position ? n : -1;
}

/** Calls f for the children of a node that were sent, from left to right. */
export function eachChild(m: FlameModel, node: number, f: (child: number) => void): void {
  const row = m.depth[node]! + 1;
  if (row >= levelsOf(m)) return;
  const end = m.x[node]! + m.width[node]!;
  for (let n = firstEndingAfter(m, row, m.x[node]!); n < m.rows[row + 1]! && m.x[n]! < end; n++) {
    if (m.parent[n] === node && m.frame[n] !== REST) f(n);
  }
}

/** The next node of a row in a direction, whoever calls it; -1 at the row's end. */
export function neighbour(m: FlameModel, node: number, step: 1 | -1): number {
  const row = m.depth[node]!;
  for (let n = node + step; n >= m.rows[row]! && n < m.rows[row + 1]!; n += step) {
    if (m.frame[n] !== REST) return n;
  }
  return -1;
}

/** The child that has most of a part of the graph, -1 if none is in it. */
export function widestChild(m: FlameModel, node: number, from: number, to: number): number {
  let best = -1;
  let most = 0;
  eachChild(m, node, (child) => {
    const seen = Math.min(m.x[child]! + m.width[child]!, to) - Math.max(m.x[child]!, from);
    if (seen > most) {
      most = seen;
      best = child;
    }
  });
  return best;
}

/** The node with an id, -1 if it is not in this window. */
export function nodeWithID(m: FlameModel, id: number): number {
  for (let n = 0; n < m.count; n++) if (m.id[n] === id && m.frame[n] !== REST) return n;
  return -1;
}

/** How many levels have something in a part of the window. */
export function levelsIn(m: FlameModel, from: number, to: number): number {
  for (let row = levelsOf(m) - 1; row > 0; row--) {
    const n = firstEndingAfter(m, row, from);
    if (n < m.rows[row + 1]! && m.x[n]! < to) return row + 1;
  }
  return 1;
}

/**
 * The narrowest node that covers a part of the window; the outermost one of
 * those that are equally wide. Ends may be off by a rounding error.
 */
export function narrowestCovering(m: FlameModel, from: number, to: number): number {
  const slack = (to - from) * 1e-6;
  const middle = (from + to) / 2;
  let best = 0;
  for (let row = 1; row < levelsOf(m); row++) {
    const n = nodeAt(m, row, middle);
    if (n < 0 || m.frame[n] === REST || m.x[n]! > from + slack || m.x[n]! + m.width[n]! < to - slack) break;
    if (m.width[n]! < m.width[best]!) best = n;
  }
  return best;
}
