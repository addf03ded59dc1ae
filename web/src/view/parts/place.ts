// Where a floating box goes: pure, so that it can be tested.

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Size {
  width: number;
  height: number;
}

const GAP = 4; // pixels between an anchor and what hangs on it
const EDGE = 8; // pixels kept free at the window's edges

const LEAST = 240; // pixels of height that are worth scrolling in

/**
 * Below the anchor if there is room, else above it; if it fits neither way, in
 * the larger part, no higher than that. Its left edge is at the anchor's, or the right
 * edges are together with end. Never outside the window.
 */
export function place(anchor: Box, size: Size, window: Size, align: 'start' | 'end' = 'start'): { x: number; y: number; height: number } {
  const wanted = align === 'start' ? anchor.left : anchor.right - size.width;
  const x = Math.max(EDGE, Math.min(wanted, window.width - size.width - EDGE));
  const below = window.height - EDGE - anchor.bottom - GAP;
  const above = anchor.top - GAP - EDGE;
  const at = (room: number, y: (height: number) => number) => {
    const height = Math.min(size.height, room);
    return { x, y: y(height), height };
  };
  const point = anchor.left === anchor.right; // it may cover that
  if (point && size.height > Math.max(above, below) && size.height <= window.height - 2 * EDGE) {
    return { x, y: window.height - EDGE - size.height, height: size.height };
  }
  if (size.height <= below || (below >= above && below >= LEAST)) return at(below, () => anchor.bottom + GAP);
  if (size.height <= above || above >= LEAST) return at(above, (height) => anchor.top - GAP - height);
  return at(window.height - 2 * EDGE, (height) => window.height - EDGE - height);
}

/** The anchor a context menu hangs on: a point. */
export function pointBox(x: number, y: number): Box {
  return { left: x, top: y - GAP, right: x, bottom: y - GAP };
}
