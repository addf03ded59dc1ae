import { describe, expect, test } from 'vitest';
import { between, clamp, easeOut, pan, reveal, zoomAbout } from './viewport';

const total = 1000;

describe('zoomAbout', () => {
  test('keeps what is under the pointer in place', () => {
    const v = zoomAbout({ from: 0, to: 1000 }, 0.25, 0.5, total);
    expect(v).toEqual({ from: 125, to: 625 });
    expect(v.from + 0.25 * (v.to - v.from)).toBe(250);
  });
  test('never leaves the graph', () => {
    expect(zoomAbout({ from: 900, to: 1000 }, 0, 4, total)).toEqual({ from: 600, to: 1000 });
    expect(zoomAbout({ from: 400, to: 600 }, 0.5, 100, total)).toEqual({ from: 0, to: 1000 });
  });
  test('stops at a value of 1', () => {
    const v = zoomAbout({ from: 500, to: 502 }, 0.5, 1e-9, total);
    expect(v.to - v.from).toBe(1);
  });
  test('in and out again is where it was', () => {
    let v = { from: 100, to: 300 };
    for (let i = 0; i < 20; i++) v = zoomAbout(v, 0.3, 0.8, 1e12);
    for (let i = 0; i < 20; i++) v = zoomAbout(v, 0.3, 1.25, 1e12);
    expect(v.from).toBeCloseTo(100, 6);
    expect(v.to).toBeCloseTo(300, 6);
  });
});

test('pan stops at the ends', () => {
  expect(pan({ from: 100, to: 200 }, 0.5, total)).toEqual({ from: 150, to: 250 });
  expect(pan({ from: 100, to: 200 }, -5, total)).toEqual({ from: 0, to: 100 });
  expect(pan({ from: 850, to: 950 }, 5, total)).toEqual({ from: 900, to: 1000 });
  expect(clamp({ from: -5, to: 2000 }, total)).toEqual({ from: 0, to: 1000 });
});

describe('between', () => {
  const a = { from: 0, to: 1e12 };
  const b = { from: 4e11, to: 4e11 + 100 };
  test('begins and ends where it should', () => {
    expect(between(a, b, 0)).toEqual(a);
    expect(between(a, b, 1)).toEqual(b);
  });
  test('stays inside of the outer one and around the inner one', () => {
    for (let t = 0; t <= 1; t += 0.01) {
      const v = between(a, b, t);
      expect(v.from).toBeGreaterThanOrEqual(a.from);
      expect(v.from).toBeLessThanOrEqual(b.from + 1e-3);
      expect(v.to).toBeGreaterThanOrEqual(b.to - 1e-3);
    }
  });
  test('of equal widths it is a pan', () => {
    expect(between({ from: 0, to: 10 }, { from: 20, to: 30 }, 0.5)).toEqual({ from: 10, to: 20 });
  });
});

test('easeOut runs from 0 to 1 and stays there', () => {
  expect([easeOut(-1), easeOut(0), easeOut(1), easeOut(9)]).toEqual([0, 0, 1, 1]);
});

describe('reveal', () => {
  const v = { from: 100, to: 200 };
  test('leaves alone what is in view', () => {
    expect(reveal(v, 120, 130, total)).toBe(v);
    expect(reveal(v, 50, 400, total)).toBe(v);
  });
  test('moves no more than it has to', () => {
    expect(reveal(v, 90, 110, total)).toEqual({ from: 90, to: 190 });
    expect(reveal(v, 240, 250, total)).toEqual({ from: 150, to: 250 });
  });
  test('widens for what does not fit', () => {
    expect(reveal(v, 300, 600, total)).toEqual({ from: 300, to: 600 });
  });
});
