import { expect, test } from 'vitest';
import { areaOf, cellAt, heatRange, heatShare, moved, namedRows, pulled, rowBox, timeBox, type Grid } from './heat';

// Ten columns of 10 px, four rows of 25 px.
const g: Grid = { x: { min: 0, max: 1000, from: 50, to: 150 }, step: 100, rows: 4, top: 10, foot: 110, up: false };

test('cells are where their time and row are', () => {
  expect(rowBox(g, 1)).toEqual({ y: 35, height: 25 });
  expect(rowBox(g, 1, 2)).toEqual({ y: 35, height: 50 });
  expect(rowBox({ ...g, up: true }, 0)).toEqual({ y: 85, height: 25 });
  expect(rowBox({ ...g, up: true }, 1, 2)).toEqual({ y: 35, height: 50 });
  expect(timeBox(g, 100, 200)).toEqual({ x: 60, width: 10 });
  expect(timeBox(g, -100, 100)).toEqual({ x: 50, width: 10 }); // only what is shown
});

test('a place has a cell, beside all of them the nearest', () => {
  expect(cellAt(g, { x: 65, y: 36 })).toEqual({ row: 1, time: 100 });
  expect(cellAt({ ...g, up: true }, { x: 65, y: 36 })).toEqual({ row: 2, time: 100 });
  expect(cellAt(g, { x: 0, y: 0 })).toEqual({ row: 0, time: 0 });
  expect(cellAt(g, { x: 999, y: 999 })).toEqual({ row: 3, time: 900 });
});

test('a drag selects whole cells, along the dates all rows', () => {
  expect(pulled(g, { x: 65, y: 90 }, { x: 92, y: 40 })).toEqual({ from: 100, to: 500, first: 1, last: 3 });
  expect(pulled(g, { x: 92, y: 40 }, { x: 65, y: 90 })).toEqual({ from: 100, to: 500, first: 1, last: 3 });
  expect(pulled(g, { x: 65, y: 115 }, { x: 66, y: 40 })).toEqual({ from: 100, to: 200, first: 0, last: 3 });
  // A timeline that begins and ends within a column.
  const part = { ...g, x: { ...g.x, min: 50, max: 950 } };
  expect(areaOf(part, { row: 0, time: 0 }, { row: 0, time: 900 })).toEqual({ from: 50, to: 950, first: 0, last: 0 });
});

test('keys move by a cell, and not beyond the last', () => {
  const from = { row: 1, time: 200 };
  expect(moved(g, from, 'ArrowRight')).toEqual({ row: 1, time: 300 });
  expect(moved(g, from, 'ArrowUp')).toEqual({ row: 0, time: 200 });
  expect(moved({ ...g, up: true }, from, 'ArrowUp')).toEqual({ row: 2, time: 200 });
  expect(moved(g, from, 'PageDown')).toEqual({ row: 1, time: 900 });
  expect(moved(g, from, 'Home')).toEqual({ row: 1, time: 0 });
  expect(moved(g, { row: 3, time: 900 }, 'ArrowDown')).toEqual({ row: 3, time: 900 });
  expect(moved(g, from, 'x')).toBeNull();
});

test('colours begin at 0, unless all values would look the same', () => {
  expect(heatRange([1, 5, 10])).toEqual({ min: 0, max: 10 });
  expect(heatRange([95, 100])).toEqual({ min: 95, max: 100 });
  expect(heatRange([-5, 5])).toEqual({ min: -5, max: 5 });
  expect(heatRange([])).toEqual({ min: 0, max: 1 });
  expect(heatShare({ min: 0, max: 10 }, 5)).toBe(0.5);
  expect(heatShare({ min: 5, max: 5 }, 5)).toBe(0.5);
});

test('rows have names where there is room', () => {
  expect(namedRows(g, 12)).toEqual([0, 1, 2, 3]);
  expect(namedRows(g, 30)).toEqual([0, 2]);
});
