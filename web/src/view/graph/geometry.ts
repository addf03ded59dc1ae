// Where things are in a call graph and its view. Pure.

import type { Graph, GraphEdge, GraphNode } from '../../api/types';

/** Screen position of a point p of the graph: p * scale + (x, y). */
export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
  /** How much larger than usual text is to be, on a screen of many pixels. */
  magnified?: number;
}

const MARGIN = 24; // pixels around a graph that is made to fit
const LEAST = 0.02;
const MOST = 8;

export function limit(scale: number): number {
  return Math.min(MOST, Math.max(LEAST, scale));
}

/** The whole graph in the middle, no larger than its natural size. */
export function fit(graph: Size, screen: Size): View {
  const scale = limit(
    Math.min((screen.width - 2 * MARGIN) / graph.width, (screen.height - 2 * MARGIN) / graph.height, 1.25 * (screen.magnified ?? 1)),
  );
  return { scale, x: (screen.width - graph.width * scale) / 2, y: (screen.height - graph.height * scale) / 2 };
}

const READABLE = 0.85; // of natural size: boxes' smallest print, of 12 points, is about 10 pixels high
const SMALLEST = 0.95; // about 11 pixels, where there is more to see than fits

/** What is shown first: all of it if that can be read, else a node with those that it calls and is called by. */
export function first(graph: Graph, screen: Size, node: GraphNode | undefined): View {
  const all = fit(graph, screen);
  const usual = screen.magnified ?? 1;
  if (all.scale >= READABLE * usual || !node) return all;
  const around = [...graph.edges.flatMap(({ caller, callee }) => {
    const ends = [graph.nodes[caller]!, graph.nodes[callee]!];
    return ends.includes(node) ? ends : [];
  }), node];
  // What it calls is below: the view begins with the top of the graph, or else of its callers, if the node is in sight so.
  const tops = [0, Math.min(...around.map((n) => n.y - n.height / 2))];
  const lowest = (top: number) => (screen.height - 2 * MARGIN) / (node.y + node.height / 2 - top);
  const top = tops.find((y) => lowest(y) > Math.min(usual, SMALLEST));
  const widest = (screen.width - 2 * MARGIN) / (Math.max(...around.map(right)) - Math.min(...around.map(left)));
  const scale = Math.max(Math.min(usual, SMALLEST), Math.min(usual, widest, top === undefined ? usual : lowest(top)));
  const at = centre({ ...all, scale }, node.x, node.y, screen);
  if (top !== undefined) at.y = MARGIN - top * scale;
  // No more of the void around the graph than its margin.
  const inside = (pos: number, size: number, room: number) =>
    size + 2 * MARGIN <= room ? (room - size) / 2 : Math.min(MARGIN, Math.max(room - size - MARGIN, pos));
  const y = inside(at.y, graph.height * scale, screen.height);
  const layers = graph.nodes.filter((n) => (n.y - n.height / 2) * scale + y >= 0 && (n.y + n.height / 2) * scale + y <= screen.height);
  const middle = middleOf(layers, node, (screen.width - 2 * MARGIN) / scale);
  return { scale, x: inside(screen.width / 2 - middle * scale, graph.width * scale, screen.width), y };
}

const left = (n: GraphNode): number => n.x - n.width / 2;
const right = (n: GraphNode): number => n.x + n.width / 2;

/** The middle of those nodes that cost most together, of what has room beside a node. */
function middleOf(nodes: readonly GraphNode[], node: GraphNode, room: number): number {
  let [most, middle] = [-1, node.x];
  for (const start of nodes) {
    const from = left(start);
    if (from > left(node) || right(node) > from + room) continue;
    const seen = nodes.filter((n) => left(n) >= from && right(n) <= from + room);
    const cost = seen.reduce((sum, n) => sum + Math.abs(n.cum.percent), 0);
    if (cost > most) [most, middle] = [cost, (from + Math.max(...seen.map(right))) / 2];
  }
  return middle;
}

export function centre(view: View, x: number, y: number, screen: Size): View {
  return { scale: view.scale, x: screen.width / 2 - x * view.scale, y: screen.height / 2 - y * view.scale };
}

/** Scales around a point of the screen, which stays where it is. */
export function zoom(view: View, factor: number, x: number, y: number): View {
  const scale = limit(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
}

/** Keeps the graph from leaving the screen: some of it can always be seen. */
export function clamp(view: View, graph: Size, screen: Size): View {
  const keep = (at: number, size: number, room: number) => {
    const slack = Math.min(room, size) * 0.5;
    return Math.min(room - slack, Math.max(slack - size, at));
  };
  return {
    scale: view.scale,
    x: keep(view.x, graph.width * view.scale, screen.width),
    y: keep(view.y, graph.height * view.scale, screen.height),
  };
}

/** Moves as little as needed to have a node on the screen. */
export function reveal(view: View, node: GraphNode, screen: Size): View {
  const shift = (centreAt: number, size: number, room: number) => {
    const low = centreAt - size / 2 - MARGIN;
    const high = centreAt + size / 2 + MARGIN;
    if (low < 0) return -low;
    return high > room ? room - high : 0;
  };
  return {
    scale: view.scale,
    x: view.x + shift(node.x * view.scale + view.x, node.width * view.scale, screen.width),
    y: view.y + shift(node.y * view.scale + view.y, node.height * view.scale, screen.height),
  };
}

export function pathData(path: readonly number[]): string {
  if (path.length < 8) return '';
  return `M${path[0]} ${path[1]}C${path.slice(2).join(' ')}`;
}

/** The arrow's head: a triangle from the path's end to the tip. */
export function headData(edge: Pick<GraphEdge, 'path' | 'tip'>, width: number): string {
  const { path, tip } = edge;
  const x = path[path.length - 2];
  const y = path[path.length - 1];
  if (x === undefined || y === undefined) return '';
  const length = Math.hypot(tip[0] - x, tip[1] - y) || 1;
  const half = 3 + width / 2;
  const dx = ((tip[1] - y) / length) * half;
  const dy = ((tip[0] - x) / length) * half;
  const n = (v: number) => Math.round(v * 10) / 10;
  return `M${n(x + dx)} ${n(y - dy)}L${tip[0]} ${tip[1]}L${n(x - dx)} ${n(y + dy)}Z`;
}

/** Thickness of an edge by its share of the total in percent. */
export function thickness(percent: number): number {
  return 1 + (Math.min(100, Math.abs(percent)) / 100) * 6;
}

/** How much of the accent colour is in a box, in percent. Small shares differ most. */
export function heat(percent: number): number {
  return Math.round(55 * Math.pow(Math.min(100, Math.abs(percent)) / 100, 0.6));
}

/** Whether a node has labels, which a dot in its corner says. */
export const isTagged = (node: GraphNode): boolean => (node.tags?.length ?? 0) > 0;

export type Direction = 'up' | 'down' | 'left' | 'right';

/**
 * The node an arrow key goes to from a node: up and down along the heaviest
 * edge, left and right to the nearest beside it. -1: there is none.
 */
export function neighbour(graph: Pick<Graph, 'nodes' | 'edges'>, from: number, way: Direction): number {
  if (way === 'up' || way === 'down') {
    let best = -1;
    let most = -1;
    for (const e of graph.edges) {
      const [here, there] = way === 'down' ? [e.caller, e.callee] : [e.callee, e.caller];
      if (here !== from || there === from) continue;
      if (Math.abs(e.weight.value) > most) [best, most] = [there, Math.abs(e.weight.value)];
    }
    return best;
  }
  const at = graph.nodes[from];
  if (!at) return -1;
  let best = -1;
  let least = Infinity;
  graph.nodes.forEach((n, i) => {
    const dx = way === 'right' ? n.x - at.x : at.x - n.x;
    if (i === from || dx <= 0) return;
    const far = dx + 3 * Math.abs(n.y - at.y); // the same row before what is near
    if (far < least) [best, least] = [i, far];
  });
  return best;
}
