import { expect, test } from 'vitest';
import type { LoadSide, LoadWindow } from '../api/runs';
import {
  answered, answeredLate, byPeriod, curveLine, evened, levels, perSecond, pointAt, quantileText, quantileTicks, rarity, spans, windowAt,
} from './load';

const SECOND = 1e9;
const window = (start: number, end: number, succeeded = 10, p99: number | null = 1): LoadWindow =>
  ({ start: start * SECOND, end: end * SECOND, asked: 10, succeeded, failed: 1, p50: 1, p99, max: 2 });
const side = (periods: [number, number][], windows: LoadWindow[]) =>
  ({ periods: periods.map(([start, end]) => ({ start: start * SECOND, end: end * SECOND, started: '' })), windows }) as LoadSide;

test('windows belong to the period they begin in', () => {
  const parts = byPeriod(side([[0, 2], [2, 4]], [window(0, 1), window(1, 2), window(2, 3), window(3, 4)]));
  expect(parts.map((p) => p.length)).toEqual([2, 2]);
  expect(byPeriod(side([], [window(0, 1)])).length).toBe(1);
  expect(byPeriod(side([[0, 1], [1, 2]], [])).length).toBe(0);
});

const paced = { asked: 10 };

test('a rest of some milliseconds has no rate of its own', () => {
  const all = evened(paced, [window(0, 1), { ...window(1, 1.01, 5), asked: 0 }, window(2, 3)]);
  expect(all.map((w) => [w.end / SECOND, w.succeeded, w.failed, w.due])).toEqual([[1.01, 15, 2, 10], [3, 10, 1, 10]]);
  expect(answered(all[0]!)).toBe(10);
  expect(evened(paced, [window(0, 0.1)]).length).toBe(1);
  expect(perSecond(15, window(0, 0.5))).toBe(30);
});

test('no more is answered than was asked for: what a service catches up on is late', () => {
  const steps = evened(paced, [
    window(0, 1, 10), window(1, 2, 0), window(2, 3, 40), window(3, 4, 11), { ...window(4, 5, 20), asked: 0, overdue: 20 },
    { ...window(5, 6, 9), overdue: 4 },
  ]);
  expect(steps.map(answered)).toEqual([10, 0, 10, 10, 0, 5]);
  expect(steps.map(answeredLate)).toEqual([0, 0, 30, 0, 20, 4]);
  expect(spans(steps, (w) => answeredLate(w) > 0)).toEqual([{ from: 2, to: 3 }, { from: 4, to: 6 }]);
  // Users ask when they have an answer: there is no rate that they could exceed.
  const [users] = evened({ asked: 0 }, [{ ...window(0, 2, 40), asked: 0 }]);
  expect([answered(users!), answeredLate(users!)]).toEqual([20, 0]);
});

test('lines are level within windows, and break where there is no value', () => {
  const [line] = levels([[window(0, 1), window(1, 2, 10, null)]], (w) => w.p99);
  expect(line).toEqual([{ x: 0, y: 1 }, { x: 1, y: 1 }, { x: 1, y: null }, { x: 2, y: null }]);
});

test('each power of ten of rarer requests is as wide', () => {
  expect([0, 0.9, 0.99, 0.999].map((q) => Math.round(rarity(q, 1e6) * 1e9) / 1e9)).toEqual([0, 1, 2, 3]);
  expect(rarity(1, 1000)).toBe(3);
  expect(curveLine([{ q: 0, time: 5 }, { q: 1, time: 9 }], 100)).toEqual([{ x: 0, y: 5 }, { x: 2, y: 9 }]);
  expect(quantileTicks(2000).map((t) => t.text)).toEqual(['0 %', '50 %', '90 %', '99 %', '99.9 %']);
  expect(quantileText(1 - 1e-6)).toBe('99.9999 %');
});

test('what is pointed at', () => {
  const windows = [window(0, 1), window(2, 3)];
  expect(windowAt(windows, 0.5)).toBe(windows[0]);
  expect(windowAt(windows, 1.5)).toBeUndefined();
  expect(pointAt([{ q: 0.5, time: 1 }, { q: 0.9, time: 2 }], 0.9)?.time).toBe(2);
  expect(pointAt([{ q: 0.5, time: 1 }], 0.9)).toBeUndefined();
});
