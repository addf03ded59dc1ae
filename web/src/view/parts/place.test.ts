import { describe, expect, it } from 'vitest';
import { place, pointBox } from './place';

const window = { width: 1000, height: 800 };
const anchor = (left: number, top: number) => ({ left, top, right: left + 100, bottom: top + 30 });
const size = { width: 200, height: 300 };

describe('place', () => {
  it('hangs below, left edges together', () => expect(place(anchor(50, 100), size, window)).toEqual({ x: 50, y: 134, height: 300 }));
  it('hangs with right edges together', () => expect(place(anchor(500, 100), size, window, 'end').x).toBe(400));
  it('stays inside on the right', () => expect(place(anchor(950, 100), size, window).x).toBe(792));
  it('stays inside on the left', () => expect(place(anchor(0, 100), size, window, 'end').x).toBe(8));
  it('stands above where there is no room below', () =>
    expect(place(anchor(50, 700), size, window)).toEqual({ x: 50, y: 396, height: 300 }));
  it('is cut where it fits neither way', () => {
    expect(place(anchor(50, 100), { width: 200, height: 2000 }, window)).toEqual({ x: 50, y: 134, height: 658 });
    expect(place(anchor(50, 600), { width: 200, height: 2000 }, window)).toEqual({ x: 50, y: 8, height: 588 });
  });
  it('covers the point it is of rather than be cut', () =>
    expect(place(pointBox(50, 330), { width: 200, height: 600 }, window)).toEqual({ x: 50, y: 192, height: 600 }));
  it('uses the window where both parts are small', () => {
    expect(place({ left: 0, top: 150, right: 9, bottom: 180 }, size, { width: 1000, height: 330 })).toEqual({ x: 8, y: 22, height: 300 });
  });
});
