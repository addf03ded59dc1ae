// Flame graphs for tests.

import type { Flame } from '../api/types';

type Node = [depth: number, gap: number, total: number, self: number, hidden?: number];

/** An answer with nodes in preorder; node i is number i * 10 and, but for the root, of frame i - 1. */
export function flameOf(nodes: readonly Node[], more: Partial<Flame> = {}): Flame {
  const total = nodes[0]![2] * (more.scale ?? 1);
  const functions = nodes.length - 1;
  return {
    type: 'cpu', unit: 'nanoseconds', event: 0, total: { value: total, text: `${total}ns`, percent: 100 },
    shares: { packages: [], origins: [] }, height: 9, inverted: false, diff: false, baseScale: 1,
    whole: { head: total, base: (more.baseTotal ?? 0) * (more.baseScale ?? 1) }, from: 0, to: total, scale: 1,
    files: ['', '/src/a.go'], packages: ['', 'example.org/a', 'runtime'],
    frames: {
      name: Array.from({ length: functions }, (_, i) => `example.org/a.f${i + 1}`),
      file: new Array<number>(functions).fill(1),
      line: Array.from({ length: functions }, (_, i) => i + 1),
      package: new Array<number>(functions).fill(1),
      origin: new Array<number>(functions).fill(1),
    },
    nodes: {
      id: nodes.map((_, i) => i * 10),
      depth: nodes.map((n) => n[0]),
      frame: nodes.map((_, i) => i - 1),
      gap: nodes.map((n) => n[1]),
      total: nodes.map((n) => n[2]),
      self: nodes.map((n) => n[3]),
      hidden: nodes.map((n) => n[4] ?? 0),
      inlined: [],
    },
    ...more,
  };
}
