// Pointer, wheel and touch, turned into moves of the graph.
//
//   wheel                 scrolls through the levels
//   Ctrl or ⌘ with wheel, pinch    zooms at the pointer
//   Shift with wheel, sideways     pans
//   drag                  pans and scrolls
//   click                 zooms to a frame; double click shows all
//   tap                   tells about a frame; double tap zooms to it
//   long press            opens its menu, as a right click does

import type { Controller } from './controller';
import type { Spot } from './spot';

export interface InputEvents {
  /** The mouse moved to a point of the window, or away from the graph. */
  point(at: { x: number; y: number } | null): void;
  menu(spot: Spot, x: number, y: number): void;
  /** A frame was clicked or tapped. */
  select(spot: Spot): void;
}

const CLICK_SLACK = 4; // pixels a click may move
const DOUBLE_TAP = 320; // ms
const ZOOM_PER_PIXEL = 0.0022;
const PINCH_ZOOM_PER_PIXEL = 0.012; // a pinch on a trackpad comes as a wheel with Ctrl and small steps

interface Finger {
  x: number;
  y: number;
}

export function listen(canvas: HTMLElement, graph: Controller, events: InputEvents): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const fingers = new Map<number, Finger>();
  let pressed: { x: number; y: number; dragging: boolean; touch: boolean } | null = null;
  let pinched = false;
  let touched = -Infinity;
  let lastTap = { at: -DOUBLE_TAP, x: 0, y: 0 };

  const local = (e: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top, width: box.width || 1, height: box.height || 1 };
  };

  canvas.addEventListener('wheel', (e) => {
    const unit = e.deltaMode === 1 ? 20 : e.deltaMode === 2 ? canvas.clientHeight : 1;
    const { x, width } = local(e);
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      const steps = Math.abs(e.deltaY * unit) >= 50;
      const factor = Math.exp(e.deltaY * unit * (steps ? ZOOM_PER_PIXEL : PINCH_ZOOM_PER_PIXEL));
      graph.zoomBy(factor, x / width, steps);
      return;
    }
    const sideways = e.shiftKey && e.deltaX === 0 ? e.deltaY : e.deltaX;
    if (Math.abs(sideways) > Math.abs(e.shiftKey ? 0 : e.deltaY)) {
      e.preventDefault();
      graph.panBy((sideways * unit) / width, false);
    }
  }, { passive: false, signal });

  canvas.addEventListener('pointerdown', (e) => {
    if (e.button !== 0) return;
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    pinched = fingers.size > 1;
    pressed = { x: e.clientX, y: e.clientY, dragging: pinched, touch: e.pointerType !== 'mouse' };
    graph.showFocus(false);
  }, { signal });

  canvas.addEventListener('pointermove', (e) => {
    const finger = fingers.get(e.pointerId);
    const at = local(e);
    if (!finger || !pressed) {
      if (e.pointerType !== 'mouse') return;
      const spot = graph.point(at);
      canvas.classList.toggle('over-frame', spot !== null);
      events.point({ x: e.clientX, y: e.clientY });
      return;
    }
    if (fingers.size === 2) {
      pinch(finger, e, at.width);
      return;
    }
    if (!pressed.dragging && Math.hypot(e.clientX - pressed.x, e.clientY - pressed.y) > CLICK_SLACK) {
      pressed.dragging = true;
      canvas.setPointerCapture(e.pointerId);
      canvas.classList.add('dragged');
      graph.point(null);
      events.point(null);
    }
    if (pressed.dragging) {
      if (e.clientX !== finger.x) graph.panBy((finger.x - e.clientX) / at.width, false);
      graph.scrollBy(finger.y - e.clientY);
      finger.x = e.clientX;
      finger.y = e.clientY;
    }
  }, { signal });

  /** What was between the fingers stays there. */
  function pinch(moved: Finger, e: PointerEvent, width: number): void {
    const other = [...fingers.values()].find((f) => f !== moved)!;
    const box = canvas.getBoundingClientRect();
    const before = Math.max(Math.hypot(moved.x - other.x, moved.y - other.y), 12);
    const after = Math.max(Math.hypot(e.clientX - other.x, e.clientY - other.y), 12);
    const middle = (moved.x + other.x) / 2 - box.left;
    const shift = (e.clientX - moved.x) / 2;
    graph.zoomBy(before / after, middle / width, false);
    if (shift !== 0) graph.panBy(-shift / width, false);
    graph.scrollBy((moved.y - e.clientY) / 2);
    moved.x = e.clientX;
    moved.y = e.clientY;
  }

  const released = (e: PointerEvent) => {
    const was = pressed;
    fingers.delete(e.pointerId);
    canvas.classList.remove('dragged');
    if (fingers.size > 0) return; // the rest of a pinch
    pressed = null;
    if (!was || was.dragging || pinched || e.type === 'pointercancel') return;
    const { x, y } = local(e);
    const spot = graph.spotAt(x, y);
    if (!was.touch) {
      if (spot && e.detail < 2) click(spot);
      return;
    }
    touched = performance.now();
    const double = e.timeStamp - lastTap.at < DOUBLE_TAP && Math.hypot(x - lastTap.x, y - lastTap.y) < 30;
    lastTap = { at: double ? -DOUBLE_TAP : e.timeStamp, x, y };
    if (!spot) {
      graph.setFocus(null);
      return;
    }
    events.select(spot);
    if (double) {
      graph.zoomTo(spot);
    } else {
      graph.setFocus(spot);
      graph.showFocus(true);
    }
  };
  canvas.addEventListener('pointerup', released, { signal });
  canvas.addEventListener('pointercancel', released, { signal });

  let clicked = -Infinity;
  function click(spot: Spot): void {
    const now = performance.now();
    const double = now - clicked < DOUBLE_TAP;
    clicked = now;
    if (double) return; // dblclick comes
    events.select(spot);
    graph.zoomTo(spot);
  }
  canvas.addEventListener('dblclick', () => {
    if (performance.now() - touched > 2 * DOUBLE_TAP) graph.showAll(); // a double tap has its own meaning
  }, { signal });

  canvas.addEventListener('pointerleave', () => {
    graph.point(null);
    events.point(null);
  }, { signal });

  canvas.addEventListener('contextmenu', (e) => {
    const { x, y } = local(e);
    const spot = graph.spotAt(x, y) ?? null;
    if (!spot || spot.kind !== 'frame') return;
    e.preventDefault();
    if (pressed?.touch) pressed = null; // a long press isn't a tap
    graph.setFocus(spot);
    graph.point(null);
    events.menu(spot, e.clientX, e.clientY);
  }, { signal });

  return () => abort.abort();
}
