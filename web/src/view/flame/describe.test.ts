import { describe, expect, test } from 'vitest';
import type { FlameWidths } from '../../api/types';
import { flameOf } from '../../model/fixtures';
import { decode, nodeWithID, REST } from '../../model/model';
import { changeText, measures, sentence, title, traits, type Words } from './describe';
import { follow, pathOf, spotOf } from './spot';

const ms = 1e6;
// all 100ms: f1 60 (f2 30, 7 more in 20, self 10), f3 40
const plain = decode(flameOf([[0, 0, 100 * ms, 0], [1, 0, 60 * ms, 10 * ms, 7], [2, 0, 30 * ms, 30 * ms], [1, 0, 40 * ms, 40 * ms]]));
const words = (m: typeof plain, zoomed: Words['zoomed'] = null): Words => ({ about: m.about, unit: 'auto', zoomed });
const spot = (id: number) => spotOf(plain, nodeWithID(plain, id));

describe('a frame', () => {
  test('has total and self with shares', () => {
    expect(measures(words(plain), spot(10))).toEqual([
      { label: 'total', value: '60ms', ofAll: '60.00%', ofZoomed: '', ofParent: '' },
      { label: 'self', value: '10ms', ofAll: '10.00%', ofZoomed: '', ofParent: '' },
    ]);
  });
  test('below a zoomed one has shares of it and of its caller', () => {
    expect(measures(words(plain, spot(10)), spot(20))[0]).toEqual({
      label: 'total', value: '30ms', ofAll: '30.00%', ofZoomed: '50.00%', ofParent: '50.00%',
    });
  });
  test('has its share of all there is, also of what is not in the graph', () => {
    const part = { ...words(plain), about: { ...plain.about, whole: { head: 300 * ms, base: 0 } } };
    expect(measures(part, spot(10))[0]!.ofAll).toBe('20.00%');
  });
  test('beside a zoomed one has none of it', () => {
    expect(measures(words(plain, spot(10)), spot(30))[0]!.ofZoomed).toBe('');
  });
  test('tells how many callees are not drawn', () => {
    expect(traits(words(plain), spot(10))).toEqual(['your code', '7 narrower frames not drawn']);
  });
  test('is one sentence to who hears it', () => {
    expect(sentence(words(plain), spot(10))).toBe('example.org/a.f1; total 60ms, 60.00%; self 10ms, 10.00%; level 1; 8 callees; your code');
  });
});

test('what is not drawn is told of as such', () => {
  const rest = plain.frame.indexOf(REST);
  const s = spotOf(plain, rest);
  expect(title(s)).toBe('Frames too narrow to draw, 7 at this caller');
  expect(measures(words(plain), s).map((m) => m.value)).toEqual(['20ms']);
});

describe('a change', () => {
  const flame = flameOf([[0, 0, 100, 0], [1, 0, 100, 100]], { unit: 'count', diff: true, baseTotal: 160, baseScale: 0.5 });
  flame.nodes.baseTotal = [160, 160];
  flame.nodes.baseSelf = [160, 160];
  const w = words(decode(flame));
  test.each([
    [160, 100, '80 → 100 (+20, +25.00%)'],
    [200, 75, '100 → 75 (-25, -25.00%)'],
    [0, 50, '0 → 50 (+50, new)'],
    [100, 0, '50 → 0 (-50, gone)'],
    [0, 0, '0 → 0 (0)'],
  ])('%d to %d', (base, head, text) => expect(changeText(w, base, head)).toBe(text));
});

describe('shares of a comparison', () => {
  // all 200 → 100: f1 150 → 40, gone 50 → 0, new 0 → 60; the base is halved to compare.
  const flame = (widths: FlameWidths) => {
    const f = flameOf([[0, 0, 100, 0], [1, 0, 40, 40], [1, 0, 0, 0], [1, 0, 60, 60]], {
      unit: 'count', diff: true, baseTotal: 400, baseScale: 0.5, widths,
    });
    f.nodes.baseTotal = [400, 300, 100, 0];
    f.nodes.baseSelf = [0, 300, 100, 0];
    f.nodes.width = { both: [260, 150, 50, 60], head: [100, 40, 0, 60], base: [200, 150, 50, 0] }[widths];
    f.nodes.own = [0, f.nodes.width[1]!, f.nodes.width[2]!, f.nodes.width[3]!];
    return decode(f);
  };
  test.each([
    ['both', ['150 → 40 (-110, -73.33%)', '-55.00%', '']],
    ['head', ['150 → 40 (-110, -73.33%)', '40.00%', '40.00%']],
    ['base', ['150 → 40 (-110, -73.33%)', '75.00%', '75.00%']],
  ] as const)('as wide as %s', (widths, want) => {
    const m = flame(widths);
    const all = spotOf(m, 0);
    const [total] = measures(words(m, all), spotOf(m, nodeWithID(m, 10)));
    expect([total!.value, total!.ofAll, total!.ofZoomed]).toEqual(want);
  });
  test('what is gone is told', () => {
    const m = flame('both');
    expect(sentence(words(m), spotOf(m, nodeWithID(m, 20), -10))).toBe(
      'example.org/a.f2; total 50 → 0 (-50, gone), -25.00% of all before; self 50 → 0 (-50, gone), -25.00% of all before; '
      + 'level 1; 0 callees; ▼ decrease beyond noise; your code',
    );
  });
});

test('paths lead to the same place in another form of the graph', () => {
  const names = (node: number) => pathOf(plain, node).slice(1).map((n) => plain.frames.name[plain.frame[n]!]!);
  const deep = nodeWithID(plain, 20);
  expect(names(deep)).toEqual(['example.org/a.f1', 'example.org/a.f2']);
  expect(follow(plain, names(deep))).toBe(deep);
  // Direct recursion is one frame here and two there.
  expect(follow(plain, ['example.org/a.f1', 'example.org/a.f1', 'example.org/a.f2'])).toBe(deep);
  expect(follow(plain, ['example.org/a.f9'])).toBe(-1);
});
