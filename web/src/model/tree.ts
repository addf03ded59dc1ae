// The flame graphs that a page in a file has in it: of one profile, with all its
// sample types, and mostly a second time from the leaves out. They share frames;
// sample types share the nodes, too. Pure.
//
// Nodes are numbered level by level from the root, which is 0, so the children of
// a node are neighbours:
//
//     children   2           1        2              0 …
//     nodes      0           1        2      3       4       5
//                root        ├ children of 0 ┤  of 1 ├ of 2 …

import type { Flame, FlameSearch, FlameShares, FlameWidths, Quantity } from '../api/types';
import { eachChild, REST, ROOT, type FlameModel, type FrameTable, spreads } from './model';
import { formatRate, rateOf } from './units';
import { weighing, widthsOf } from './widths';

/** As the page's data has it: flameData in internal/report/flame_html.go. */
export interface Embedded {
  title: string;
  facts: [name: string, value: string][];
  warnings: string[];
  /** Values are rates. */
  perSecond?: boolean;
  types: {
    type: string;
    unit: string;
    /** What values of this type are to be multiplied by. */
    scale: number;
    event: number;
    baseEvent?: number;
    /** What base values are to be multiplied by to compare. */
    base: number;
    /** Of all code, and of yours alone: there are those that there are trees of. */
    shares?: FlameShares;
    mineShares?: FlameShares;
  }[];
  packages: string[];
  files: string[];
  frames: Flame['frames'];
  trees: EmbeddedTree[];
}

interface EmbeddedTree {
  inverted: boolean;
  /** Of your code alone. */
  mine?: boolean;
  /** How many each node has. */
  children: number[];
  /** Of each node but the root. */
  frame: number[];
  /** The nodes that are. */
  inlined: number[];
  /** How many children of each node were too narrow to be here; absent if none were. */
  folded?: number[];
  /** By sample type; like is the number of one before it whose columns are the same. */
  values: (EmbeddedValues | { like: number })[];
}

/** By node; totals follow. */
interface EmbeddedValues {
  self: number[];
  folded?: number[];
  baseSelf?: number[];
  baseFolded?: number[];
}

interface Column {
  self: Float64Array;
  /** Of the children that are not here. */
  rest: Float64Array;
  total: Float64Array;
}

export interface Tree {
  inverted: boolean;
  mine: boolean;
  count: number;
  /** Children of n are first[n] up to first[n+1]. */
  first: Uint32Array;
  parent: Uint32Array;
  depth: Uint32Array;
  frame: Int32Array;
  inlined: Uint8Array;
  folded: Uint32Array;
  /** By sample type. */
  values: (Column & { base: Column | null })[];
}

export function isDiff(data: Embedded): boolean {
  const [first] = data.trees[0]!.values;
  return first !== undefined && 'baseSelf' in first;
}

export function readTree(data: Embedded, raw: EmbeddedTree): Tree {
  const columns = raw.values.map((v) => ('like' in v ? raw.values[v.like]! : v) as EmbeddedValues);
  const t = newTree(raw.children.length, columns.map((v) => v.baseSelf !== undefined));
  t.inverted = raw.inverted;
  t.mine = raw.mine ?? false;
  t.first[0] = 1;
  for (let n = 0; n < t.count; n++) {
    t.first[n + 1] = t.first[n]! + raw.children[n]!;
    t.parent.fill(n, t.first[n], t.first[n + 1]);
  }
  t.frame.set(raw.frame, 1);
  if (raw.folded) t.folded.set(raw.folded);
  for (const n of raw.inlined) t.inlined[n] = 1;
  columns.forEach((from, type) => {
    const { scale } = data.types[type]!;
    const to = t.values[type]!;
    const fill = (column: Float64Array, values: readonly number[] = []) => values.forEach((v, n) => (column[n] = v * scale));
    fill(to.self, from.self);
    fill(to.rest, from.folded);
    if (to.base) {
      fill(to.base.self, from.baseSelf);
      fill(to.base.rest, from.baseFolded);
    }
  });
  return sumUp(t);
}

function newTree(count: number, diffs: readonly boolean[]): Tree {
  const column = (): Column => ({ self: new Float64Array(count), rest: new Float64Array(count), total: new Float64Array(count) });
  return {
    inverted: false,
    mine: false,
    count,
    first: new Uint32Array(count + 1),
    parent: new Uint32Array(count),
    depth: new Uint32Array(count),
    frame: new Int32Array(count).fill(ROOT),
    inlined: new Uint8Array(count),
    folded: new Uint32Array(count),
    values: diffs.map((diff) => ({ ...column(), base: diff ? column() : null })),
  };
}

/** Computes depths, and totals from what is below. */
function sumUp(t: Tree): Tree {
  for (let n = 1; n < t.count; n++) t.depth[n] = t.depth[t.parent[n]!]! + 1;
  for (const { base, ...head } of t.values) {
    for (const { self, rest, total } of base ? [head, base] : [head]) {
      for (let n = t.count - 1; n >= 0; n--) {
        total[n]! += self[n]! + rest[n]!;
        if (n > 0) total[t.parent[n]!]! += total[n]!;
      }
    }
  }
  return t;
}

/** The tree with functions that call themselves as one frame, which takes over the children of all. */
export function collapse(t: Tree): Tree {
  const groups: number[][] = [[0]];
  const parent = [0];
  const first = [1];
  for (let g = 0; g < groups.length; g++) {
    const members = groups[g]!;
    const frame = t.frame[members[0]!]!;
    const byFrame = new Map<number, number[]>();
    for (const member of members) { // which grows meanwhile
      for (let child = t.first[member]!; child < t.first[member + 1]!; child++) {
        const f = t.frame[child]!;
        const group = byFrame.get(f);
        if (f === frame) members.push(child);
        else if (group) group.push(child);
        else byFrame.set(f, [child]);
      }
    }
    for (const group of byFrame.values()) {
      groups.push(group);
      parent.push(g);
    }
    first.push(groups.length);
  }
  const out = newTree(groups.length, t.values.map((v) => v.base !== null));
  out.inverted = t.inverted;
  out.mine = t.mine;
  out.first.set(first);
  out.parent.set(parent);
  const add = (to: Column, g: number, from: Column, n: number) => {
    to.self[g]! += from.self[n]!;
    to.rest[g]! += from.rest[n]!;
  };
  groups.forEach((members, g) => {
    out.frame[g] = t.frame[members[0]!]!;
    out.inlined[g] = members.every((n) => t.inlined[n] === 1) ? 1 : 0;
    for (const n of members) {
      out.folded[g]! += t.folded[n]!;
      t.values.forEach((from, type) => {
        const to = out.values[type]!;
        add(to, g, from, n);
        if (to.base && from.base) add(to.base, g, from.base, n);
      });
    }
  });
  return sumUp(out);
}

export function frameTable({ frames }: Embedded): FrameTable {
  return {
    name: frames.name,
    file: Int32Array.from(frames.file),
    line: Int32Array.from(frames.line),
    package: Int32Array.from(frames.package),
    origin: Uint8Array.from(frames.origin),
    otherFiles: Uint32Array.from(frames.otherFiles ?? []),
    spread: spreads(frames.spread),
    baseSpread: spreads(frames.baseSpread),
    rootSpread: spreads(frames.rootSpread),
  };
}

/** Whole graph of one sample type: siblings by falling width, those without any left out. */
export function modelOf(data: Embedded, frames: FrameTable, t: Tree, type: number, widths: FlameWidths = 'both'): FlameModel {
  const { self, total, base, ...values } = t.values[type]!;
  const weigh = weighing(widths, data.types[type]!.base);
  const wide = base && widths !== 'head' ? widthsOf(t, { total, rest: values.rest }, base, weigh) : total;
  const rest = base ? values.rest.map((value, n) => weigh(value, base.rest[n]!)) : values.rest;
  const nodes = [0]; // of the tree, by rows; REST for those that are not here
  const parents = [-1];
  const xs = [0];
  const rows = [0];
  const hidden = t.folded.slice(); // with what has no width, as only the other side has it
  let complete = true;
  for (let row = 0; rows[row]! < nodes.length; row++) {
    const end = nodes.length;
    for (let at = rows[row]!; at < end; at++) {
      const n = nodes[at]!;
      if (n === REST) continue;
      let x = xs[at]!;
      const push = (node: number, width: number) => {
        nodes.push(node);
        parents.push(at);
        xs.push(x);
        x += width;
      };
      const children: number[] = [];
      for (let child = t.first[n]!; child < t.first[n + 1]!; child++) {
        if (wide[child]! > 0) children.push(child);
        else if (total[child]! > 0 || (base && base.total[child]! > 0)) hidden[n]!++;
      }
      children.sort((a, b) => wide[b]! - wide[a]! || a - b);
      for (const child of children) push(child, wide[child]!);
      if (rest[n]! > 0) {
        push(REST, rest[n]!);
        complete = false;
      }
    }
    rows.push(end);
  }
  const { unit, event, baseEvent = 0, base: baseScale, type: name, ...of } = data.types[type]!;
  let deepest = t.count - 1;
  while (deepest > 0 && total[deepest] === 0 && !base?.total[deepest]) deepest--;
  const ofNode = (values: ArrayLike<number>) => (n: number) => (n === REST ? 0 : values[n]!);
  const width = Float64Array.from(nodes, (n, i) => (n === REST ? rest[nodes[parents[i]!]!]! : wide[n]!));
  return {
    about: {
      type: name,
      unit,
      perSecond: data.perSecond ?? false,
      event,
      baseEvent,
      total: total[0]!,
      totalText: formatRate(total[0]!, unit, 'auto', rateOf({ type: name, unit, perSecond: data.perSecond })),
      width: wide[0]!,
      height: t.depth[deepest]! + 1,
      inverted: t.inverted,
      diff: base !== null,
      baseTotal: base?.total[0] ?? 0,
      baseScale,
      widths: base ? widths : 'head',
      whole: { head: total[0]!, base: base ? weighing('base', baseScale)(0, base.total[0]!) : 0 },
      partial: !complete,
      shares: (t.mine ? of.mineShares : of.shares)!,
    },
    from: 0,
    to: wide[0]!,
    count: nodes.length,
    complete,
    files: data.files,
    packages: data.packages,
    frames,
    rows: Uint32Array.from(rows),
    id: Uint32Array.from(nodes, (n) => Math.max(n, 0)),
    parent: Int32Array.from(parents),
    depth: depthsOf(rows),
    frame: Int32Array.from(nodes, (n) => (n === REST ? REST : t.frame[n]!)),
    inlined: Uint8Array.from(nodes, ofNode(t.inlined)),
    hidden: Uint32Array.from(nodes, ofNode(hidden)),
    x: Float64Array.from(xs),
    width,
    total: wide === total ? width : Float64Array.from(nodes, ofNode(total)),
    self: Float64Array.from(nodes, ofNode(self)),
    baseTotal: base && Float64Array.from(nodes, ofNode(base.total)),
    baseSelf: base && Float64Array.from(nodes, ofNode(base.self)),
  };
}

/** What can be seen of a whole graph in a window some pixels wide, as the server tells it: nothing below half a pixel. */
export function windowOf(m: FlameModel, from: number, to: number, pixels: number): FlameModel {
  const least = Math.max(Math.ceil((to - from) / (2 * pixels)), 1);
  const kept: number[] = []; // nodes of m
  const place = new Int32Array(m.count).fill(-1);
  const rows = [0];
  const hidden = m.hidden.slice();
  const rests = new Map<number, { x: number; width: number }>(); // by their place here
  for (let row = 0; row < m.rows.length - 1; row++) {
    let run = -1; // whose rest the row ends with so far
    for (let n = m.rows[row]!; n < m.rows[row + 1]!; n++) {
      const parent = m.parent[n]!;
      if (parent >= 0 && place[parent] === -1) continue;
      const isRest = m.frame[n] === REST;
      const left = Math.max(m.x[n]!, from);
      const right = Math.min(m.x[n]! + m.width[n]!, to);
      if (parent < 0 || (right > left && m.width[n]! >= least && !isRest)) {
        place[n] = kept.push(n) - 1;
        run = -1;
        continue;
      }
      if (!isRest) hidden[parent]!++;
      if (right <= left) continue;
      if (run === parent) {
        const rest = rests.get(kept.length - 1)!;
        rest.width = right - rest.x;
      } else {
        rests.set(kept.push(n) - 1, { x: left, width: right - left });
        run = parent;
      }
    }
    if (kept.length === rows.at(-1)) break;
    rows.push(kept.length);
  }
  const of = (values: ArrayLike<number>, ofRest?: (rest: { x: number; width: number }) => number) => (n: number, i: number) => {
    const rest = rests.get(i);
    return rest ? (ofRest?.(rest) ?? 0) : values[n]!;
  };
  const width = Float64Array.from(kept, of(m.width, (rest) => rest.width));
  return {
    ...m,
    from,
    to,
    count: kept.length,
    complete: rests.size === 0,
    rows: Uint32Array.from(rows),
    id: Uint32Array.from(kept, of(m.id)),
    parent: Int32Array.from(kept, (n) => (m.parent[n]! < 0 ? -1 : place[m.parent[n]!]!)),
    depth: depthsOf(rows),
    frame: Int32Array.from(kept, of(m.frame, () => REST)),
    inlined: Uint8Array.from(kept, of(m.inlined)),
    hidden: Uint32Array.from(kept, of(hidden)),
    x: Float64Array.from(kept, of(m.x, (rest) => rest.x)),
    width,
    total: m.width === m.total ? width : Float64Array.from(kept, of(m.total)),
    self: Float64Array.from(kept, of(m.self)),
    baseTotal: m.baseTotal && Float64Array.from(kept, of(m.baseTotal)),
    baseSelf: m.baseSelf && Float64Array.from(kept, of(m.baseSelf)),
  };
}

function depthsOf(rows: readonly number[]): Uint32Array {
  const depth = new Uint32Array(rows.at(-1)!);
  for (let row = 0; row + 1 < rows.length; row++) depth.fill(row, rows[row], rows[row + 1]);
  return depth;
}

const MOST = 500; // places told, as the server does

/**
 * Where names match: the outermost frames of each stack, so that every sample counts once.
 * What has no width in the graph counts, too: hence the one of both sides.
 */
export function searchModel(m: FlameModel, test: (name: string) => boolean, both: FlameModel = m): FlameSearch {
  const hits = m.frames.name.map(test);
  const outermost = (of: FlameModel): number[] => {
    const found: number[] = [];
    const todo = [0];
    while (todo.length > 0) {
      const node = todo.pop()!;
      const frame = of.frame[node]!;
      if (frame >= 0 && hits[frame]) found.push(node);
      else eachChild(of, node, (child) => todo.push(child));
    }
    return found;
  };
  const found = outermost(m);
  const counted = both === m ? found : outermost(both);
  const { whole, baseScale, unit } = m.about;
  const rate = rateOf(m.about);
  const sum = (values: Float64Array) => counted.reduce((all, n) => all + values[n]!, 0);
  const share = (value: number, of: number): Quantity => (
    { value, text: formatRate(value, unit, 'auto', rate), percent: of > 0 ? (100 * value) / of : 0 }
  );
  const scaled = (value: number) => weighing('base', baseScale)(0, value);
  return {
    matched: share(sum(both.total), whole.head),
    ...(both.baseTotal && { base: share(scaled(sum(both.baseTotal)), whole.base) }),
    count: found.length,
    nodes: found.sort((a, b) => m.width[b]! - m.width[a]! || m.id[a]! - m.id[b]!).slice(0, MOST).map((n) => ({
      id: m.id[n]!, depth: m.depth[n]!, from: m.x[n]!, width: m.width[n]!, name: m.frames.name[m.frame[n]!]!,
    })),
  };
}
