// Where a graph is drawn: two canvases that stick to a box that scrolls. It knows
// sizes, rows and pixels, and nothing of what is loaded.

import { Painter, paintOverlay, ROW, rowAt, rowTop, type Frame, type Place } from '../../draw/painter';
import type { Scene } from '../../draw/scene';
import type { Pen } from '../../draw/svg';
import type { Viewport } from '../../layout/viewport';
import type { FrameTheme } from '../../theme/frames';

export interface Elements {
  /** Scrolls; the canvases stick to it. */
  stage: HTMLElement;
  /** As high as all levels in view. */
  spacer: HTMLElement;
  base: HTMLCanvasElement;
  overlay: HTMLCanvasElement;
}

export class Surface {
  /** In CSS pixels; 0 until it is on the page. */
  width = 0;
  height = 0;
  row = ROW;
  /** In view, also those scrolled away, without those skipped. */
  levels = 1;

  private elements: Elements | null = null;
  private painter: Painter | null = null;
  private above: CanvasRenderingContext2D | null = null;
  private readonly frame: Frame = { ratio: 1, width: 0, height: 0, row: ROW, full: ROW, top: 0, flip: false, skip: 0 };

  /** Takes its place on the page; what it returns gives it up. */
  attach(elements: Elements, events: { scrolled(): void; resized(): void }): () => void {
    this.elements = elements;
    this.painter = new Painter(elements.base.getContext('2d', { alpha: false })!);
    elements.base.style.visibility = 'hidden'; // it is black until it is painted
    this.above = elements.overlay.getContext('2d')!;
    elements.stage.addEventListener('scroll', events.scrolled, { passive: true });
    const resize = () => {
      if (this.measure()) events.resized();
    };
    const observer = new ResizeObserver(resize);
    observer.observe(elements.stage);
    // A move to another screen, or the browser's zoom, changes the ratio alone.
    let ratio = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const ratioChanged = () => {
      ratio.removeEventListener('change', ratioChanged);
      ratio = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
      ratio.addEventListener('change', ratioChanged);
      resize();
    };
    ratio.addEventListener('change', ratioChanged);
    resize();
    return () => {
      elements.stage.removeEventListener('scroll', events.scrolled);
      ratio.removeEventListener('change', ratioChanged);
      observer.disconnect();
      this.elements = null;
      this.painter = null;
    };
  }

  private measure(): boolean {
    const { stage, base, overlay } = this.elements!;
    const { clientWidth: width, clientHeight: height } = stage;
    if (width === 0 || height === 0) return false;
    const ratio = devicePixelRatio || 1;
    const em = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
    const f = this.frame;
    f.ratio = ratio * em;
    f.width = Math.round(width * ratio);
    f.height = Math.round(height * ratio);
    f.row = Math.round(ROW * em * ratio);
    this.row = f.row / ratio;
    this.width = width;
    this.height = height;
    for (const canvas of [base, overlay]) {
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    return true;
  }

  get flip(): boolean {
    return this.frame.flip;
  }

  set flip(flip: boolean) {
    this.frame.flip = flip;
  }

  get skip(): number {
    return this.frame.skip;
  }

  set skip(levels: number) {
    this.frame.skip = levels;
  }

  // Rows and scrolling, in CSS pixels

  get scrollTop(): number {
    return this.elements?.stage.scrollTop ?? 0;
  }

  set scrollTop(top: number) {
    if (this.elements) this.elements.stage.scrollTop = top;
  }

  scrollToRoot(): void {
    this.scrollTop = this.flip ? this.full : 0;
  }

  private get full(): number {
    return Math.max(this.height, (this.levels + 1) * this.row);
  }

  /** Makes room for some levels, and keeps the root's end in place. */
  fit(levels: number): void {
    if (!this.elements) return;
    const before = this.full;
    const below = before - this.scrollTop;
    this.levels = levels - this.skip;
    const { full } = this;
    this.elements.spacer.style.height = `${full}px`;
    this.frame.full = Math.round((full * this.frame.height) / Math.max(this.height, 1));
    if (this.flip && full !== before) this.scrollTop = full - below;
  }

  private rowY(row: number): number {
    const level = row - this.skip;
    return this.flip ? this.full - (level + 1) * this.row : level * this.row;
  }

  /** Where to scroll so that a row has its callers and room for its callees around it; where it is, if it does. */
  scrollFor(row: number): number {
    const now = this.scrollTop;
    const y = this.rowY(row);
    const near = this.flip ? this.height * 0.6 : 0;
    const far = this.flip ? this.height - this.row : this.height * 0.4;
    const wanted = y - now < near ? y - near : y - now > far ? y - far : now;
    return Math.min(Math.max(wanted, 0), this.full - this.height);
  }

  /** Scrolls as little as shows a row. */
  revealRow(row: number): void {
    const y = this.rowY(row);
    if (y < this.scrollTop) this.scrollTop = y;
    else if (y + this.row > this.scrollTop + this.height) this.scrollTop = y + this.row - this.height;
  }

  /** The row at a height of the canvas; it may have nothing, or be one that is skipped. */
  rowAt(y: number): number {
    return rowAt(this.frame, (y * this.frame.height) / this.height);
  }

  /** The lower end of a row on the canvas. */
  bottomOf(row: number): number {
    return (rowTop(this.frame, row) / this.frame.height) * this.height + this.row;
  }

  // Drawing

  get ready(): boolean {
    return this.painter !== null && this.width > 0;
  }

  /** Whether it was scrolled since it was painted last. */
  get scrolled(): boolean {
    return this.deviceTop() !== this.frame.top;
  }

  private deviceTop(): number {
    return Math.round((this.scrollTop * this.frame.height) / this.height);
  }

  paint(scene: Scene, view: Viewport, theme: FrameTheme): void {
    this.frame.top = this.deviceTop();
    this.painter?.paint(scene, view, this.frame, theme);
    const { style } = this.elements?.base ?? {};
    if (style?.visibility) style.visibility = '';
  }

  paintOverlay(view: Viewport, theme: FrameTheme, hover: Place | null, focus: Place | null): void {
    if (this.above) paintOverlay(this.above, view, this.frame, theme, hover, focus);
  }

  /** Paints all levels in view onto another canvas. */
  paintOn(context: Pen, width: number, ratio: number, scene: Scene, view: Viewport, theme: FrameTheme): void {
    const row = Math.round(ROW * ratio);
    const height = this.levels * row;
    const { flip, skip } = this.frame;
    new Painter(context).paint(
      scene, view, { ratio, width: Math.round(width * ratio), height, row, full: height, top: 0, flip, skip }, theme,
    );
  }
}
