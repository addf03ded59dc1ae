import { expect, test } from 'vitest';
import type { Flame } from '../api/types';
import { flameOf } from '../model/fixtures';
import { decode, nodeWithID, REST } from '../model/model';
import { changeFill, REST_FILL, ROOT_FILL } from '../theme/frames';
import { BOTH, GONE, NEW, Scene } from './scene';
import { TextMeasurer } from './text';

const text = new TextMeasurer((s) => 10 * [...s].length); // ten pixels a letter

function scene(name: string) {
  const flame = flameOf([[0, 0, 100, 0, 4], [1, 0, 90, 90]]);
  flame.frames.name = [name];
  return new Scene(decode(flame));
}

test.each([
  [230, 'http.(*conn).serve'],
  [150, '(*conn).serve'],
  [129, 'serve'],
  [49, 'ser…'],
  [29, ''],
])('a label in %d pixels', (room, label) => {
  const s = scene('net/http.(*conn).serve');
  expect(s.label(1, room, text)).toBe(label);
  expect(s.label(1, room, text)).toBe(label); // again, from what was made before
});

test('what is not drawn is counted', () => {
  const s = scene('main.main');
  const rest = s.model.frame.indexOf(REST);
  expect(s.label(rest, 500, text)).toBe('4 narrower frames');
  expect(s.label(rest, 20, text)).toBe('…');
});

test('marks by name or by number', () => {
  const s = scene('main.main');
  expect(s.mark({ test: (name) => name === 'main.main' })).toBe(1);
  expect(s.marks![nodeWithID(s.model, 10)]).toBe(1);
  expect(s.mark({ ids: new Set([99]) })).toBe(0);
  s.mark(null);
  expect(s.marks).toBeNull();
});

test('root and rest keep their colours, whatever they are by', () => {
  const s = scene('main.main');
  for (const by of ['package', 'module', 'self'] as const) {
    s.colorBy(by);
    expect(s.color[0]).toBe(ROOT_FILL);
    expect(s.color[s.model.frame.indexOf(REST)]).toBe(REST_FILL);
  }
});

test('a change shows in colour and in words', () => {
  const flame = flameOf([[0, 0, 1000, 0], [1, 0, 600, 600], [1, 0, 400, 400]], { diff: true, baseTotal: 1000 });
  flame.nodes.baseTotal = [1000, 300, 700];
  flame.nodes.baseSelf = [0, 300, 700];
  const s = new Scene(decode(flame));
  s.colorBy('change');
  expect(s.color[1]).toBe(changeFill(5));
  expect(s.color[2]).toBe(changeFill(-5));
  expect(s.label(1, 500, text)).toBe('a.f1  ▲ 100%');
  expect(s.label(1, 60, text)).toBe('▲ f1');
  expect(s.label(2, 500, text)).toBe('a.f2  ▼ 43%');
});

test('a change is noise by the events and the instances that the answer tells', () => {
  const sceneOf = (head: Partial<Flame>, spread?: number) => {
    const flame = flameOf([[0, 0, 1000, 0], [1, 0, 130, 130]], { diff: true, baseTotal: 1000, ...head });
    flame.nodes.baseTotal = [head.baseTotal ?? 1000, 100];
    flame.nodes.baseSelf = [900, 100];
    if (spread !== undefined) Object.assign(flame.frames, { spread: [spread], baseSpread: [spread], rootSpread: [2 * spread, spread] });
    return new Scene(decode(flame));
  };
  const stepOf = (head: Partial<Flame>, spread?: number) => sceneOf(head, spread).stepOf(1);
  expect(stepOf({})).toBe(3);
  expect(stepOf({ event: 0.1, baseEvent: 0.1 })).toBe(3);
  expect(stepOf({ event: 10, baseEvent: 10 })).toBe(0);
  expect(stepOf({ event: 0.1, baseEvent: 10 })).toBe(0);
  expect(stepOf({ event: 0.1, baseEvent: 0.1 }, 10_000)).toBe(3); // 1 %
  expect(stepOf({ event: 0.1, baseEvent: 0.1 }, 200_000)).toBe(0); // 20 %
  expect(sceneOf({ baseTotal: 1200 }).stepOf(0)).toBe(-2);
  expect(sceneOf({ baseTotal: 1200 }, 200_000).stepOf(0)).toBe(0); // of the root, too
});

test('what one side alone has is told in words and known to painters', () => {
  const flame = flameOf([[0, 0, 1000, 0], [1, 0, 1000, 1000], [1, 0, 0, 0], [1, 0, 0, 0]], { diff: true, baseTotal: 1001, widths: 'both' });
  flame.nodes.baseTotal = [1001, 0, 1000, 1];
  flame.nodes.baseSelf = [0, 0, 1000, 1];
  flame.nodes.width = [2001, 1000, 1000, 1];
  flame.nodes.own = [0, 1000, 1000, 1];
  const s = new Scene(decode(flame));
  expect([...s.sides!]).toEqual([BOTH, NEW, GONE, GONE]);
  expect(s.label(1, 500, text)).toBe('a.f1  ▲ new');
  expect(s.label(2, 500, text)).toBe('a.f2  ▼ gone');
  expect(s.label(3, 500, text)).toBe('a.f3'); // noise
  expect(s.label(0, 500, text)).toBe('all · 1µs → 1000ns');
});
