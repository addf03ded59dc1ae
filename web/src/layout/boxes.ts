// Which boxes a viewport shows, in device pixels. Called for every frame of an
// animation: it allocates nothing once the lists are long enough.

import { REST, firstEndingAfter, levelsOf, type FlameModel } from '../model/model';
import type { Viewport } from './viewport';

export class Boxes {
  count = 0;
  node = new Int32Array(4096);
  /** Edges in device pixels, cut off at the drawing's. */
  left = new Int32Array(4096);
  right = new Int32Array(4096);

  push(node: number, left: number, right: number): void {
    if (this.count === this.node.length) this.grow();
    this.node[this.count] = node;
    this.left[this.count] = left;
    this.right[this.count] = right;
    this.count++;
  }

  private grow(): void {
    for (const key of ['node', 'left', 'right'] as const) {
      const longer = new Int32Array(this[key].length * 2);
      longer.set(this[key]);
      this[key] = longer;
    }
  }
}

/** What was not sent is drawn where it is at least that wide, in device pixels. */
const LEAST_REST = 2;

/** Lists the boxes of rows firstRow up to endRow in a drawing of some device pixels. */
export function layOut(
  m: FlameModel, view: Viewport, width: number, firstRow: number, endRow: number, out: Boxes,
): void {
  out.count = 0;
  const scale = width / (view.to - view.from);
  const end = Math.min(endRow, levelsOf(m));
  for (let row = Math.max(firstRow, 0); row < end; row++) {
    const rowEnd = m.rows[row + 1]!;
    let free = 0; // the first pixel of the row that has no box
    for (let n = firstEndingAfter(m, row, view.from); n < rowEnd; n++) {
      const x = m.x[n]!;
      if (x >= view.to) break;
      let left = Math.round((x - view.from) * scale);
      let right = Math.round((x + m.width[n]! - view.from) * scale);
      if (left < 0) left = 0;
      if (right > width) right = width;
      if (m.frame[n] === REST) {
        if (right - left >= LEAST_REST) out.push(n, left, right);
        continue;
      }
      if (right <= left) right = left + 1;
      if (right <= free || left >= width) continue; // shares its pixel with a neighbour
      free = right;
      out.push(n, left, right);
    }
  }
}
