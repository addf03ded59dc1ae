import { describe, expect, test } from 'vitest';
import type { Graph, GraphEdge, GraphNode, Quantity } from '../../api/types';
import { centre, clamp, first, fit, headData, neighbour, pathData, reveal, zoom } from './geometry';

const screen = { width: 1000, height: 500 };
const q = (value: number): Quantity => ({ value, text: String(value), percent: value });
const node = (x: number, y: number): GraphNode => ({
  name: 'f', flat: q(1), cum: q(1), x, y, width: 40, height: 20, label: [], fontSize: 8,
});
const edge = (caller: number, callee: number, weight: number): GraphEdge => ({ caller, callee, weight: q(weight), path: [], tip: [0, 0] });

describe('view', () => {
  test('fits', () => {
    const v = fit({ width: 2000, height: 400 }, screen);
    expect(v.scale).toBeCloseTo(0.476);
    expect(v.x).toBeCloseTo(24);
    expect(fit({ width: 10, height: 10 }, screen).scale).toBe(1.25);
  });
  test('a large graph starts with a node and those around it, as far as they can be read', () => {
    const nodes = [node(300, 100), node(100, 200), node(560, 200), node(1900, 300)];
    const graph = { nodes, edges: [edge(0, 1, 1), edge(0, 2, 1), edge(2, 3, 1)], width: 2000, height: 400 } as unknown as Graph;
    expect(first(graph, screen, nodes[0]).scale).toBe(1); // there is room
    expect(first(graph, { width: 538, height: 500 }, nodes[0]).scale).toBeCloseTo(490 / 500);
    expect(first(graph, { width: 200, height: 500 }, nodes[0]).scale).toBe(0.95); // smaller can't be read
  });
  test('a large graph starts with what costs most beside the node, not with the room to one side of it', () => {
    // The costliest is the first of its layers; what is to its left is far below.
    const nodes = [node(1000, 50), node(1300, 50), node(1700, 50), node(2400, 50), node(100, 2000)];
    const graph = { nodes, edges: [], width: 2500, height: 2100 } as unknown as Graph;
    const at = first(graph, screen, nodes[0]);
    const seen = nodes.slice(0, 3).map((n) => n.x * at.scale + at.x);
    expect(seen[0]! - 20).toBeCloseTo(screen.width - (seen[2]! + 20));
    // The costlier side has the room.
    nodes[4] = { ...node(300, 50), cum: q(90) };
    expect(first(graph, screen, nodes[0]).x + (300 - 20) * at.scale).toBeGreaterThan(0);
  });
  test('a large graph starts smaller where that shows it from the top', () => {
    const nodes = [node(300, 20), node(300, 455), node(1900, 3000)];
    const graph = { nodes, edges: [edge(0, 1, 1)], width: 2000, height: 4000 } as unknown as Graph;
    const at = first(graph, screen, nodes[1]);
    expect([at.y, at.scale]).toEqual([24, 452 / 465]);
  });
  test('what a large graph starts with begins at the top', () => {
    const nodes = [node(300, 1000), node(300, 1100), node(1900, 3000)];
    const graph = { nodes, edges: [edge(0, 1, 1)], width: 2000, height: 4000 } as unknown as Graph;
    const at = first(graph, screen, nodes[1]);
    expect(at.y + (1000 - 10) * at.scale).toBe(24);
    // With the roots, if the node is in sight below them.
    const near = { ...graph, nodes: [node(300, 200), node(300, 300), node(1900, 3000)] } as unknown as Graph;
    expect(first(near, screen, near.nodes[1]).y).toBe(24);
    // As far as the node stays in sight.
    nodes[0]!.y = 100;
    const far = first(graph, screen, nodes[1]);
    expect(far.y + 1100 * far.scale).toBe(250);
  });
  test('zooms around a point', () => {
    const v = { x: 10, y: 20, scale: 1 };
    const z = zoom(v, 2, 110, 120);
    expect(z).toEqual({ scale: 2, x: -90, y: -80 });
    expect((110 - z.x) / z.scale).toBe((110 - v.x) / v.scale);
    expect(zoom(v, 1000, 0, 0).scale).toBe(8);
  });
  test('keeps part of the graph in sight', () => {
    const graph = { width: 200, height: 100 };
    expect(clamp({ x: 5000, y: -5000, scale: 1 }, graph, screen)).toEqual({ x: 900, y: -50, scale: 1 });
    expect(clamp({ x: 10, y: 10, scale: 1 }, graph, screen)).toEqual({ x: 10, y: 10, scale: 1 });
  });
  test('shows a node', () => {
    const v = { x: 0, y: 0, scale: 1 };
    expect(reveal(v, node(500, 250), screen)).toEqual(v);
    const moved = reveal(v, node(1200, -10), screen);
    expect(moved.x).toBe(1000 - 1200 - 20 - 24);
    expect(moved.y).toBe(44);
    expect(centre(v, 500, 250, screen)).toEqual(v);
  });
});

test('paths', () => {
  expect(pathData([0, 1, 2, 3, 4, 5, 6, 7])).toBe('M0 1C2 3 4 5 6 7');
  expect(pathData([])).toBe('');
  expect(headData({ path: [0, 0], tip: [0, 10] }, 2)).toBe('M4 0L0 10L-4 0Z');
});

test('arrow keys follow edges', () => {
  const graph = {
    nodes: [node(0, 0), node(-50, 100), node(50, 100), node(60, 300)], edges: [edge(0, 1, 5), edge(0, 2, -9), edge(2, 3, 1), edge(3, 3, 7)],
  };
  expect(neighbour(graph, 0, 'down')).toBe(2);
  expect(neighbour(graph, 2, 'up')).toBe(0);
  expect(neighbour(graph, 3, 'down')).toBe(-1);
  expect(neighbour(graph, 1, 'right')).toBe(2);
  expect(neighbour(graph, 2, 'left')).toBe(1);
  expect(neighbour(graph, 1, 'left')).toBe(-1);
});
