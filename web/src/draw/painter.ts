// Draws a scene onto a canvas. All sizes are device pixels, so that every edge
// falls on one and text is sharp at any pixel ratio.

import { Boxes, layOut } from '../layout/boxes';
import type { Viewport } from '../layout/viewport';
import { levelsOf, REST, type FlameModel } from '../model/model';
import { ABOVE, FADED, FILLS, PLAIN, TONES, type ColorBy, type FrameTheme } from '../theme/frames';
import { GONE, NEW, Scene } from './scene';
import type { Pen } from './svg';
import { TextMeasurer } from './text';

/** In CSS pixels. */
export const ROW = 20;
const FONT_SIZE = 12;
const PADDING = 5;
const LEAST_TEXT = 26;
const LEAST_INLINED = 12;
const HATCH = 6; // from line to line
const BAR = 3; // at the left of what is new
const LEAST_BAR = 8;
const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** A drawing and the part of it that is seen, in device pixels. */
export interface Frame {
  ratio: number;
  width: number;
  height: number;
  row: number;
  /** Of the whole drawing, all levels. */
  full: number;
  /** What is above of what is seen. */
  top: number;
  /** Root at the bottom. */
  flip: boolean;
  /** Levels at the root that are not drawn. */
  skip: number;
}

export function rowTop(f: Frame, row: number): number {
  const level = row - f.skip;
  return (f.flip ? f.full - (level + 1) * f.row : level * f.row) - f.top;
}

export function rowAt(f: Frame, y: number): number {
  return f.skip + Math.floor((f.flip ? f.full - (y + f.top) - 1 : y + f.top) / f.row);
}

/** A place that stands out: the frame under the pointer, the one with the focus. */
export interface Place {
  x: number;
  width: number;
  depth: number;
}

export class Painter {
  readonly boxes = new Boxes();
  private order = new Int32Array(4096);
  private tone = new Uint8Array(4096);
  private readonly starts = new Int32Array(FILLS * TONES + 1);
  private measurer: TextMeasurer | null = null;
  private measuredAt = '';

  constructor(private readonly context: Pen) {}

  paint(scene: Scene, view: Viewport, f: Frame, theme: FrameTheme): void {
    const c = this.context;
    const { canvas } = c;
    if (canvas.width !== f.width || canvas.height !== f.height) {
      canvas.width = f.width;
      canvas.height = f.height;
    }
    c.fillStyle = theme.background;
    c.fillRect(0, 0, f.width, f.height);
    const a = rowAt(f, 0);
    const b = rowAt(f, f.height - 1);
    layOut(scene.model, view, f.width, Math.max(Math.min(a, b), f.skip), Math.max(a, b) + 1, this.boxes);
    this.sort(scene, view);
    this.fill(scene, f, theme);
    this.decorate(scene, f, theme);
    this.write(scene, f, theme);
  }

  /** Groups boxes by colour, since changing it costs more than drawing a box. */
  private sort(scene: Scene, view: Viewport): void {
    const { boxes, starts } = this;
    const { model: m, marks, color } = scene;
    if (this.order.length < boxes.node.length) {
      this.order = new Int32Array(boxes.node.length);
      this.tone = new Uint8Array(boxes.node.length);
    }
    const { order, tone } = this;
    starts.fill(0);
    const slack = (view.to - view.from) * 1e-6;
    for (let i = 0; i < boxes.count; i++) {
      const n = boxes.node[i]!;
      let t = PLAIN;
      if (marks) t = marks[n] ? PLAIN : FADED;
      else if (m.x[n]! <= view.from + slack
        && m.width[n]! > view.to - view.from + slack && m.x[n]! + m.width[n]! >= view.to - slack) t = ABOVE;
      tone[i] = t;
      starts[color[n]! * TONES + t + 1]!++;
    }
    for (let k = 0; k < starts.length - 1; k++) starts[k + 1]! += starts[k]!;
    for (let i = 0; i < boxes.count; i++) order[starts[color[boxes.node[i]!]! * TONES + tone[i]!]!++] = i;
  }

  private fill(scene: Scene, f: Frame, theme: FrameTheme): void {
    const { context: c, boxes, order, starts } = this;
    const depth = scene.model.depth;
    const line = Math.max(1, Math.round(f.ratio * 0.75));
    const high = f.row - line;
    let next = 0;
    for (let k = 0; k < FILLS * TONES; k++) {
      const end = starts[k]!; // by now where the next colour starts
      if (next === end) continue;
      c.fillStyle = theme.fills[k % TONES]![(k / TONES) | 0]!;
      for (; next < end; next++) {
        const i = order[next]!;
        const left = boxes.left[i]!;
        const wide = boxes.right[i]! - left;
        c.fillRect(left, rowTop(f, depth[boxes.node[i]!]!), wide > 3 * line ? wide - line : wide, high);
      }
    }
  }

  /**
   * Inlined calls have a thin line inside, matches and the function selected a thick one; what is too narrow to draw looks it. In a
   * comparison, what is gone is hatched and what is new begins with a bar.
   */
  private decorate(scene: Scene, f: Frame, theme: FrameTheme): void {
    const { context: c, boxes } = this;
    const { model: m, marks } = scene;
    const line = Math.max(1, Math.round(f.ratio * 0.75));
    const inset = Math.round(2 * f.ratio);
    c.fillStyle = theme.inlined;
    for (let i = 0; i < boxes.count; i++) {
      const n = boxes.node[i]!;
      const wide = boxes.right[i]! - boxes.left[i]! - line - 2 * inset;
      if (m.inlined[n] === 0 || wide < LEAST_INLINED * f.ratio) continue;
      // On the side of the caller it is inlined into.
      c.fillRect(boxes.left[i]! + inset, rowTop(f, m.depth[n]!) + (f.flip ? f.row - 2 * line - inset : inset), wide, line);
    }
    if (scene.sides) this.markSides(scene, scene.sides, f, theme);
    c.fillStyle = theme.rest;
    const step = Math.round(4 * f.ratio);
    for (let i = 0; i < boxes.count; i++) {
      const n = boxes.node[i]!;
      if (m.frame[n] !== REST) continue;
      const top = rowTop(f, m.depth[n]!);
      for (let x = boxes.left[i]! + step - line; x < boxes.right[i]! - line; x += step) c.fillRect(x, top, line, f.row - line);
    }
    const { selected } = scene;
    if (selected) {
      for (let i = 0; i < boxes.count; i++) {
        const frame = m.frame[boxes.node[i]!]!;
        if (frame >= 0 && selected[frame] === 1) this.ring(i, m, f, theme);
      }
    }
    if (marks) {
      c.fillStyle = theme.match;
      for (let i = 0; i < boxes.count; i++) if (marks[boxes.node[i]!] === 1) this.underline(i, m, f);
    }
  }

  /** A ring around a box, in the strongest colour there is, with a gap to the box's own. */
  private ring(i: number, m: FlameModel, f: Frame, theme: FrameTheme): void {
    const { context: c, boxes } = this;
    const line = Math.max(1, Math.round(f.ratio * 0.75));
    const thick = Math.max(2, Math.round(2 * f.ratio));
    const left = boxes.left[i]!;
    const wide = Math.max(boxes.right[i]! - left - line, thick);
    const top = rowTop(f, m.depth[boxes.node[i]!]!);
    const high = f.row - line;
    c.fillStyle = theme.selected;
    if (wide <= 4 * thick) {
      c.fillRect(left, top, wide, high);
      return;
    }
    c.fillRect(left, top, wide, thick);
    c.fillRect(left, top + high - thick, wide, thick);
    c.fillRect(left, top, thick, high);
    c.fillRect(left + wide - thick, top, thick, high);
  }

  private markSides(scene: Scene, sides: Uint8Array, f: Frame, theme: FrameTheme): void {
    const { context: c, boxes } = this;
    const { depth } = scene.model;
    const line = Math.max(1, Math.round(f.ratio * 0.75));
    const high = f.row - line;
    const step = HATCH * f.ratio;
    c.strokeStyle = theme.gone;
    c.lineWidth = 1.25 * f.ratio;
    c.beginPath();
    for (let i = 0; i < boxes.count; i++) {
      const n = boxes.node[i]!;
      const left = boxes.left[i]!;
      const top = rowTop(f, depth[n]!);
      const wide = boxes.right[i]! - left - line;
      if (sides[n] === GONE) {
        // Lines x + y = k, from the box's left or lower edge to its upper or right one.
        for (let k = step / 2; k < wide + high; k += step) {
          c.moveTo(left + Math.max(0, k - high), top + Math.min(k, high));
          c.lineTo(left + Math.min(k, wide), top + Math.max(0, k - wide));
        }
      } else if (sides[n] === NEW && wide >= LEAST_BAR * f.ratio) {
        c.fillStyle = scene.stepOf(n) === 0 ? theme.gone : theme.fresh; // noise stays grey
        c.fillRect(left, top, Math.round(BAR * f.ratio), high);
      }
    }
    c.stroke();
  }

  private underline(box: number, m: FlameModel, f: Frame): void {
    const { left, right, node } = this.boxes;
    const line = Math.max(1, Math.round(f.ratio * 0.75));
    const thick = Math.round(2.5 * f.ratio);
    const wide = right[box]! - left[box]!;
    const y = rowTop(f, m.depth[node[box]!]!) + f.row - line - thick;
    this.context.fillRect(left[box]!, y, wide > 3 * line ? wide - line : wide, thick);
  }

  private write(scene: Scene, f: Frame, theme: FrameTheme): void {
    const { context: c, boxes, tone } = this;
    const { depth, frame } = scene.model;
    const text = this.text(f.ratio);
    const padding = Math.round(PADDING * f.ratio);
    const least = LEAST_TEXT * f.ratio;
    const middle = Math.round(f.row / 2);
    let last = -1;
    for (let i = 0; i < boxes.count; i++) {
      const wide = boxes.right[i]! - boxes.left[i]!;
      if (wide < least) continue;
      const n = boxes.node[i]!;
      const label = scene.label(n, wide - 2 * padding, text);
      if (label === '') continue;
      const t = frame[n] === REST ? FADED : tone[i]!;
      if (t !== last) c.fillStyle = theme.text[(last = t)]!;
      c.fillText(label, boxes.left[i]! + padding, rowTop(f, depth[n]!) + middle);
    }
  }

  /** Sets the font, which a canvas forgets when its size changes. */
  private text(ratio: number): TextMeasurer {
    const c = this.context;
    const font = `${FONT_SIZE * ratio}px ${FAMILY}`;
    if (this.measuredAt !== font || !this.measurer) {
      this.measuredAt = font;
      c.font = font;
      c.fontKerning = 'none';
      this.measurer = new TextMeasurer((s) => c.measureText(s).width);
    }
    if (c.textBaseline !== 'middle') {
      c.font = font;
      c.fontKerning = 'none';
      c.textBaseline = 'middle';
    }
    return this.measurer;
  }
}

/** Draws what changes with the pointer and the focus onto a canvas of its own, above. */
export function paintOverlay(
  c: CanvasRenderingContext2D, view: Viewport, f: Frame, theme: FrameTheme, hover: Place | null, focus: Place | null,
): void {
  const { canvas } = c;
  if (canvas.width !== f.width || canvas.height !== f.height) {
    canvas.width = f.width;
    canvas.height = f.height;
  } else {
    c.clearRect(0, 0, f.width, f.height);
  }
  if (hover) outline(c, view, f, hover, theme.hover, Math.max(1, Math.round(f.ratio)));
  if (focus) outline(c, view, f, focus, theme.focus, Math.max(2, Math.round(2 * f.ratio)));
}

function outline(c: CanvasRenderingContext2D, view: Viewport, f: Frame, at: Place, color: string, thick: number): void {
  const scale = f.width / (view.to - view.from);
  const left = Math.max(Math.round((at.x - view.from) * scale), 0);
  const right = Math.min(Math.round((at.x + at.width - view.from) * scale), f.width);
  if (right < 0 || left > f.width) return;
  const line = Math.max(1, Math.round(f.ratio * 0.75));
  const wide = Math.max(right - left - (right - left > 3 * line ? line : 0), 2 * thick);
  c.strokeStyle = color;
  c.lineWidth = thick;
  c.strokeRect(left + thick / 2, rowTop(f, at.depth) + thick / 2, wide - thick, f.row - line - thick);
}

/** Fills a small canvas with the shape of all of a graph. */
export function paintOutline(c: CanvasRenderingContext2D, model: FlameModel, by: ColorBy, theme: FrameTheme, flip: boolean): void {
  const { width, height } = c.canvas;
  const levels = levelsOf(model);
  const high = Math.min(height / levels, height / 6);
  const scene = new Scene(model);
  scene.colorBy(by);
  const boxes = new Boxes();
  layOut(model, { from: 0, to: model.about.width || 1 }, width, 0, levels, boxes);
  c.fillStyle = theme.background;
  c.fillRect(0, 0, width, height);
  let last = -1;
  for (let i = 0; i < boxes.count; i++) {
    const n = boxes.node[i]!;
    const row = model.depth[n]!;
    const top = Math.round(row * high);
    const tall = Math.max(Math.round((row + 1) * high) - top, 1);
    const fill = scene.color[n]!;
    if (fill !== last) c.fillStyle = theme.fills[PLAIN]![(last = fill)]!;
    c.fillRect(boxes.left[i]!, flip ? height - top - tall : top, boxes.right[i]! - boxes.left[i]!, tall);
  }
}
