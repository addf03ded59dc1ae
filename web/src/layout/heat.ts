// Where the cells of a heat map are, and what a drag or a key selects. Pure.

import { place, valueAt, type Scale } from './axis';

export interface Grid {
  /** Time, whose columns begin at multiples of step. */
  x: Scale;
  step: number;
  rows: number;
  /** Pixels of the upper and the lower end of all rows. */
  top: number;
  foot: number;
  /** The first row is the lowest. */
  up: boolean;
}

/** A rectangle of whole cells; rows from first to last, both included. */
export interface Area {
  from: number;
  to: number;
  first: number;
  last: number;
}

export interface Place {
  x: number;
  y: number;
}

/** A cell: its row, and the start of its column. */
export interface Cell {
  row: number;
  time: number;
}

/** The pixels of rows, from the upper end. */
export function rowBox(g: Grid, first: number, last: number = first): { y: number; height: number } {
  const height = (g.foot - g.top) / Math.max(1, g.rows);
  return { y: g.up ? g.foot - (last + 1) * height : g.top + first * height, height: height * (last - first + 1) };
}

/** The pixels of a time, within what is shown. */
export function timeBox(g: Grid, from: number, to: number): { x: number; width: number } {
  const within = (t: number) => place(g.x, Math.min(g.x.max, Math.max(g.x.min, t)));
  return { x: within(from), width: Math.max(0, within(to) - within(from)) };
}

export const columnOf = (g: Grid, time: number): number => Math.floor(time / g.step) * g.step;

/** The cell at a place, the nearest one beside all. */
export function cellAt(g: Grid, at: Place): Cell {
  const time = Math.min(g.x.max - 1, Math.max(g.x.min, valueAt(g.x, at.x)));
  const row = Math.floor(((at.y - g.top) / (g.foot - g.top)) * g.rows);
  const inside = Math.min(g.rows - 1, Math.max(0, row));
  return { row: g.up ? g.rows - 1 - inside : inside, time: columnOf(g, time) };
}

/** The area between two cells at opposite corners. */
export function areaOf(g: Grid, a: Cell, b: Cell): Area {
  return {
    from: Math.max(g.x.min, Math.min(a.time, b.time)), to: Math.min(g.x.max, Math.max(a.time, b.time) + g.step),
    first: Math.min(a.row, b.row), last: Math.max(a.row, b.row),
  };
}

/** The area that a drag selects. A drag that begins below the rows, along the dates, selects all rows. */
export function pulled(g: Grid, a: Place, b: Place): Area {
  const area = areaOf(g, cellAt(g, a), cellAt(g, b));
  return a.y > g.foot ? { ...area, first: 0, last: g.rows - 1 } : area;
}

/** The cell that a key moves to. */
export function moved(g: Grid, from: Cell, key: string): Cell | null {
  const [row, column] = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [g.up ? 1 : -1, 0], ArrowDown: [g.up ? -1 : 1, 0], PageUp: [0, -10], PageDown: [0, 10],
  }[key] ?? [0, 0];
  const [first, last] = [columnOf(g, g.x.min), columnOf(g, g.x.max - 1)];
  if (key === 'Home') return { ...from, time: first };
  if (key === 'End') return { ...from, time: last };
  if (row === 0 && column === 0) return null;
  return {
    row: Math.min(g.rows - 1, Math.max(0, from.row + row!)), time: Math.min(last, Math.max(first, from.time + column! * g.step)),
  };
}

/** The values at both ends of the colour scale. It starts at 0, unless all cells would then look the same. */
export function heatRange(values: readonly number[]): { min: number; max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const v of values) {
    min = Math.min(min, v);
    max = Math.max(max, v);
  }
  if (!(max >= min)) return { min: 0, max: 1 };
  if (min >= 0 && min < 0.6 * max) min = 0;
  return { min, max };
}

/** A value's place on the scale, from 0 to 1. If all values are equal, it is in the middle. */
export const heatShare = ({ min, max }: { min: number; max: number }, value: number): number =>
  (max > min ? (value - min) / (max - min) : 0.5);

/** Which rows have room for a name of some height: all, or every nth. */
export function namedRows(g: Grid, height: number): number[] {
  const every = Math.max(1, Math.ceil(height / ((g.foot - g.top) / Math.max(1, g.rows))));
  return Array.from({ length: g.rows }, (_, i) => i).filter((i) => i % every === 0);
}
