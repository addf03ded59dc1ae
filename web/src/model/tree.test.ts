// What the page in a file computes, against what Go computes of the same: the
// file is TestFlamePage's, in internal/report/flame_page_test.go.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Flame, FlameSearch, FlameWidths } from '../api/types';
import { figureText, parseFigures } from '../api/figures';
import { packageFill } from '../theme/frames';
import { changeStep } from './change';
import { decode, REST, type FlameModel } from './model';
import { collapse, frameTable, modelOf, readTree, searchModel, windowOf, type Embedded } from './tree';
import { formatValue } from './units';

interface Golden {
  cases: {
    name: string;
    data: Embedded;
    graphs: {
      type: number;
      inverted: boolean;
      widths: FlameWidths;
      total: number[];
      baseTotal: number[];
      steps: number[] | null;
      collapsed: { name: string; depth: number; total: number; self: number }[] | null;
      windows: { from: number; to: number; width: number; answer: Flame }[];
      searches: { pattern: string; answer: FlameSearch }[];
    }[];
  }[];
  hues: Record<string, number>;
  formats: { value: number; unit: string; text: string }[];
}

const golden = parseFigures<Golden>(readFileSync(new URL('../../../internal/report/testdata/flame_page.json', import.meta.url), 'utf8'));

/**
 * All that is drawn and told of a model, with names in place of their numbers. Numbers of nodes are another matter where sample
 * types share them.
 */
function told(m: FlameModel, shared: boolean) {
  return {
    ...m,
    id: shared || m.id,
    about: { ...m.about, partial: false },
    frames: undefined,
    frame: Array.from(m.frame, (f) => (f < 0 ? f : m.frames.name[f])),
    origin: Array.from(m.frame, (f) => (f < 0 ? f : m.frames.origin[f])),
    line: Array.from(m.frame, (f) => (f < 0 ? f : m.frames.line[f])),
    file: Array.from(m.frame, (f) => (f < 0 ? f : m.files[m.frames.file[f]!])),
    package: Array.from(m.frame, (f) => (f < 0 ? f : m.packages[m.frames.package[f]!])),
    files: undefined,
    packages: undefined,
  };
}

describe.each(golden.cases)('$name', ({ data, graphs }) => {
  const frames = frameTable(data);
  const shared = data.types.length > 1;

  test.each(graphs)('type $type, inverted: $inverted, widths of $widths', (want) => {
    const tree = readTree(data, data.trees[want.inverted ? 1 : 0]!);
    const head = tree.values[want.type]!;
    if (!shared) {
      expect([...head.total]).toEqual(want.total);
      expect(head.base ? [...head.base.total] : []).toEqual(want.baseTotal);
    }
    const whole = modelOf(data, frames, tree, want.type, want.widths);

    for (const { from, to, width, answer } of want.windows) {
      expect(told(windowOf(whole, from, to, width), shared), `${from} to ${to} in ${width}`).toEqual(told(decode(answer), shared));
    }
    for (const { pattern, answer } of want.searches) {
      const found = searchModel(whole, (name) => new RegExp(pattern).test(name), modelOf(data, frames, tree, want.type));
      const places = ({ nodes }: FlameSearch) => nodes.map((n) => ({ ...n, id: shared || n.id }));
      expect({ ...found, nodes: places(found) }, pattern).toEqual({ ...answer, nodes: places(answer) });
    }
    if (want.steps && head.base) {
      const { base } = head;
      const scale = {
        total: Math.max(head.total[0]!, base.total[0]! * whole.about.baseScale), event: whole.about.event, baseEvent: whole.about.baseEvent,
        baseScale: whole.about.baseScale,
      };
      expect(Array.from(head.total, (total, n) => changeStep(total, base.total[n]!, scale) + 0)).toEqual(want.steps);
    }

    const collapsed = modelOf(data, frames, collapse(tree), want.type, 'head');
    const nodes = Array.from({ length: collapsed.count }, (_, n) => n).filter((n) => collapsed.frame[n]! >= 0).map((n) => ({
      name: collapsed.frames.name[collapsed.frame[n]!]!, depth: collapsed.depth[n]!, total: collapsed.total[n]!, self: collapsed.self[n]!,
    }));
    const sorted = (list: object[]) => list.map((node) => JSON.stringify(node)).sort();
    expect(sorted(nodes)).toEqual(sorted(want.collapsed ?? []));
  });

  test('each sample type adds up', () => {
    for (const raw of data.trees) {
      const tree = readTree(data, raw);
      data.types.forEach((_, type) => {
        const m = modelOf(data, frames, tree, type, 'head');
        const self = m.self.reduce((a, b) => a + b, 0) + m.total.reduce((sum, total, n) => sum + (m.frame[n] === REST ? total : 0), 0);
        expect(self).toBe(m.about.total);
      });
    }
  });
});

test('what is folded is a rest, and stays one in windows', () => {
  const data: Embedded = {
    title: '', facts: [], warnings: [],
    types: [{ type: 'cpu', unit: 'count', scale: 2, event: 0, base: 1, shares: { packages: [], origins: [] } }], packages: [''],
    files: [''],
    frames: { name: ['a', 'b', 'c'], file: [0, 0, 0], line: [0, 0, 0], package: [0, 0, 0], origin: [0, 0, 0] },
    trees: [{
      inverted: false, children: [2, 1, 0, 0], frame: [0, 1, 2], inlined: [3], folded: [1, 0, 3, 0],
      values: [{ self: [0, 1, 0, 4], folded: [2, 0, 3, 0] }],
    }],
  };
  const whole = modelOf(data, frameTable(data), readTree(data, data.trees[0]!), 0);
  const shown = (m: FlameModel) =>
    Array.from(m.frame, (f, n) => `${m.depth[n]} ${f === REST ? '…' : (m.frames.name[f] ?? 'all')} ${m.x[n]}+${m.total[n]}`);
  expect(shown(whole)).toEqual(['0 all 0+20', '1 a 0+10', '1 b 10+6', '1 … 16+4', '2 c 0+8', '2 … 10+6']);
  expect(whole.about.partial).toBe(true);
  // Half a pixel is 5: b is part of what the root has folded.
  const narrow = windowOf(whole, 0, 20, 1.5);
  expect(shown(narrow)).toEqual(['0 all 0+20', '1 a 0+10', '1 … 10+10', '2 c 0+8']);
  expect([...narrow.hidden]).toEqual([2, 0, 0, 0]);
  expect(shown(windowOf(whole, 12, 18, 100))).toEqual(['0 all 0+20', '1 b 10+6', '1 … 16+2', '2 … 12+4']);
});

test.each(Object.entries(golden.hues))('package %j has hue %d everywhere', (name, hue) => {
  const first = packageFill('main', 1) - 3 * golden.hues.main!;
  expect(packageFill(name, 1)).toBe(first + 3 * hue);
});

test.each(golden.formats)('$value $unit is $text', ({ value, unit, text }) => {
  expect(formatValue(value, unit, 'auto')).toBe(figureText(text));
});
