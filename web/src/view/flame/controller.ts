// One graph on the page: what is loaded, what part of it is shown and what moves.
// Components read its signals; input.ts and the toolbar call its methods; sizes and
// pixels are left to the surface.

import { batch, signal } from '@preact/signals';
import { ApiError } from '../../api/client';
import { forget, nextFrame } from '../../draw/scheduler';
import { paintOutline } from '../../draw/painter';
import type { Pen } from '../../draw/svg';
import { Scene, type Matcher } from '../../draw/scene';
import { between, clamp, easeOut, pan, reveal, zoomAbout, type Viewport } from '../../layout/viewport';
import { levelsIn, narrowestCovering, neighbour, nodeAt, nodeWithID, widestChild, type FlameModel } from '../../model/model';
import { frameTheme, type ColorBy, type FrameTheme } from '../../theme/frames';
import type { FlameSource } from './source';
import { follow, pathOf, spotOf, type Spot } from './spot';
import { Surface, type Elements } from './surface';
import { Windows } from './windows';

const MOTION = 180; // ms
const WELL_SEEN = 6; // CSS pixels of a frame out of a crowd
const MADE_OUT = 3; // and of one alone
const MATCH_SEEN = 60; // and of one that was searched for: room for its name

interface Motion {
  from: Viewport;
  to: Viewport;
  fromScroll: number;
  toScroll: number;
  began: number; // -1: with the next frame
}

export type Direction = 'up' | 'down' | 'left' | 'right';

export class Controller {
  /** Whole graph, as coarse as it was first drawn. */
  readonly whole = signal<FlameModel | null>(null);
  readonly error = signal<ApiError | null>(null);
  readonly warnings = signal<readonly string[]>([]);
  /** What is shown is not what was asked for, yet. */
  readonly stale = signal(true);
  /** Details are on their way. */
  readonly busy = signal(false);
  readonly view = signal<Viewport>({ from: 0, to: 1 });
  /** The same, but only once it is at rest. */
  readonly settled = signal<Viewport>({ from: 0, to: 1 });
  readonly hover = signal<Spot | null>(null);
  readonly focus = signal<Spot | null>(null);
  /** From the root to the frame that is zoomed to. */
  readonly path = signal<readonly Spot[]>([]);
  /** Frames in view's window that match the search. */
  readonly matched = signal(0);
  /** Something to tell the user once. */
  readonly note = signal('');

  /** Told when the user zooms: "id:name", '' for all. */
  onZoom: (zoom: string, how: 'push' | 'replace') => void = () => {};

  constructor(readonly source: FlameSource) {}

  private windows: Windows | null = null;
  private queryText: string | null = null;
  private readonly scenes = new WeakMap<FlameModel, Scene>();
  private colors: ColorBy = 'package';
  private matcher: Matcher | null = null;
  private selected = '';
  private isDark = false;
  private focusShown = false;

  private readonly surface = new Surface();
  private motion: Motion | null = null;
  private calm = matchMedia('(prefers-reduced-motion: reduce)');
  private shown: FlameModel | null = null;
  private baseDirty = true;

  // Loading

  setQuery(query: URLSearchParams, zoom: string): void {
    const text = query.toString();
    if (text === this.queryText) return;
    this.queryText = text;
    this.zoomAsked = zoom;
    this.stale.value = true;
    if (this.surface.width > 0) void this.open(); // else once its size is known
  }

  private zoomAsked = '';

  retry(): void {
    void this.open();
  }

  /** Asks again for what could not be had while the source was out of reach. */
  resume(): void {
    if (this.error.peek()?.status === 0) this.retry();
    else if (this.zoomLost !== '') this.applyZoom(this.zoomLost);
    else this.windows?.need(this.view.peek(), this.surface.width, false);
  }

  /** A zoom of a link whose place could not be asked for. */
  private zoomLost = '';

  private async open(): Promise<void> {
    const zoom = this.zoomAsked;
    this.windows?.close();
    this.busy.value = false;
    const query = new URLSearchParams(this.queryText!);
    const windows = new Windows(this.source, query, {
      changed: () => this.invalidate(),
      failed: (err) => this.miss(err),
      loading: (busy) => (this.busy.value = busy),
    });
    this.windows = windows;
    const before = this.path.peek();
    const inverted = this.whole.peek()?.about.inverted;
    try {
      const { model, warnings } = await windows.open(this.surface.width);
      if (windows !== this.windows) return;
      batch(() => {
        this.error.value = null;
        this.warnings.value = warnings;
        this.whole.value = model;
        this.view.value = { from: 0, to: model.about.width || 1 };
        this.settled.value = this.view.value;
        this.motion = null;
        this.hover.value = null;
        this.focus.value = null;
        this.path.value = [];
        this.stale.value = false;
      });
      this.fitHeight();
      this.surface.scrollToRoot();
      // The same place, if there is one in what is shown now; but a link that names another goes first.
      const stay = before.length > 1 && zoom === zoomText(before.at(-1)!);
      const same = stay && inverted === model.about.inverted ? follow(model, before.slice(1).map((s) => s.name)) : -1;
      if (same > 0) this.zoomToNode(model, same, 'replace', true);
      else if (stay) {
        this.fitHeight();
        this.onZoom('', 'replace');
      } else this.applyZoom(zoom, true);
      this.invalidate();
    } catch (err) {
      if (windows === this.windows) this.fail(err);
    }
  }

  private fail(err: unknown): void {
    this.error.value = asApiError(err);
    this.stale.value = false;
  }

  /** Without details what is drawn stays. */
  private miss(err: unknown): void {
    this.note.value = `Details couldn’t be loaded. ${asApiError(err).message}`;
  }

  // What is shown

  setColors(by: ColorBy): void {
    this.colors = by;
    this.refresh((scene) => scene.colorBy(by));
  }

  setMatcher(matcher: Matcher | null): void {
    this.matcher = matcher;
    this.refresh((scene) => {
      this.matched.value = scene.mark(matcher);
    });
  }

  /** Underlines a function wherever it is. */
  setSelected(name: string): void {
    this.selected = name;
    this.refresh((scene) => scene.select(name));
  }

  setDark(isDark: boolean): void {
    this.isDark = isDark;
    this.invalidate();
  }

  setFlip(flip: boolean): void {
    if (this.surface.flip === flip) return;
    this.surface.flip = flip;
    this.fitHeight();
    this.surface.scrollToRoot();
    this.invalidate();
  }

  /** Leaves levels at the root out, where another graph goes on from there. */
  setSkip(levels: number): void {
    this.surface.skip = levels;
    this.fitHeight();
    this.invalidate();
  }

  /** The ring around the focused frame is shown while the keyboard is at it. */
  showFocus(shown: boolean): void {
    this.focusShown = shown;
    this.invalidateOverlay();
  }

  private refresh(change: (scene: Scene) => void): void {
    // Windows out of view are done when they are shown: forget what was computed.
    this.shown = null;
    const model = this.current();
    if (model) change(this.sceneOf(model));
    this.invalidate();
  }

  private current(): FlameModel | null {
    return this.windows?.best(this.view.peek()) ?? this.whole.peek();
  }

  private sceneOf(model: FlameModel): Scene {
    let scene = this.scenes.get(model);
    if (!scene) this.scenes.set(model, (scene = new Scene(model)));
    return scene;
  }

  spot(model: FlameModel, node: number): Spot {
    return spotOf(model, node, this.sceneOf(model).stepOf(node));
  }

  /** Where positions end. */
  get end(): number {
    return this.whole.peek()?.about.width || 1;
  }

  // Zoom

  /** Shows a frame of a link, "id:name"; '' shows all. */
  applyZoom(zoom: string, atOnce = false): void {
    this.zoomLost = '';
    if (!this.whole.peek() || zoom === zoomText(this.path.peek().at(-1) ?? null)) {
      if (zoom === '' && this.whole.peek()) this.fitHeight();
      return;
    }
    if (zoom === '') {
      this.moveTo({ from: 0, to: this.end }, this.whole.peek()!, 0, atOnce);
      return;
    }
    const colon = zoom.indexOf(':');
    const id = Number(zoom.slice(0, colon));
    const name = zoom.slice(colon + 1);
    const found = (model: FlameModel): boolean => {
      const node = nodeWithID(model, id);
      if (node <= 0 || model.frames.name[model.frame[node]!] !== name) return false;
      this.zoomToNode(model, node, null, atOnce);
      return true;
    };
    const reject = () => {
      this.note.value = 'The link zooms to a frame that isn’t in this graph, so the whole graph is shown.';
      this.fitHeight();
      this.onZoom('', 'replace');
    };
    const model = this.current();
    if (colon < 1 || !Number.isInteger(id)) return reject();
    if (model && nodeWithID(model, id) >= 0) {
      if (!found(model)) reject();
      return;
    }
    const windows = this.windows!;
    windows.openNode(id, this.surface.width).then(
      (m) => {
        if (windows === this.windows && !found(m)) reject();
      },
      (err: unknown) => {
        if (windows !== this.windows) return;
        if (asApiError(err).status !== 0) return reject();
        this.zoomLost = zoom;
        this.miss(err);
      },
    );
  }

  /** Zooms to a frame by its place. */
  zoomTo(spot: Spot): void {
    const model = this.current();
    if (!model) return;
    if (spot.kind === 'rest') {
      // So far that the widest of them, on the left, can be made out.
      const seen = (spot.width / Math.max(spot.hidden, 1)) * (this.surface.width / WELL_SEEN);
      const span = Math.min(spot.width * 1.04, seen);
      this.showRange(spot.x - span * 0.02, spot.x + span);
      return;
    }
    const node = nodeAt(model, spot.depth, spot.x + spot.width / 2);
    if (node >= 0 && model.id[node] === spot.id) this.zoomToNode(model, node, 'push', false);
    else this.showRange(spot.x, spot.x + spot.width);
  }

  /** Zooms out to everything. */
  showAll(): void {
    const whole = this.whole.peek();
    if (whole) this.zoomToNode(whole, 0, 'push', false);
  }

  /** Zooms out by a frame. */
  zoomOut(): boolean {
    const path = this.path.peek();
    if (path.length < 2) {
      const v = this.view.peek();
      if (v.to - v.from >= this.end * 0.999999) return false;
      this.showAll();
      return true;
    }
    // Callers as wide as this one would look the same.
    const width = path.at(-1)!.width;
    const outer = path.slice(0, -1).findLast((s) => s.width > width) ?? path[0]!;
    this.zoomTo(outer);
    return true;
  }

  showRange(from: number, to: number): void {
    this.free(clamp({ from, to }, this.end), true);
  }

  private zoomToNode(model: FlameModel, node: number, how: 'push' | 'replace' | null, atOnce: boolean): void {
    const to = { from: model.x[node]!, to: model.x[node]! + (model.width[node]! || 1) };
    this.moveTo(to, model, node, atOnce);
    this.focus.value = node > 0 ? this.spot(model, node) : null;
    if (how) this.onZoom(zoomText(this.path.peek().at(-1) ?? null), how);
  }

  private moveTo(to: Viewport, model: FlameModel, node: number, atOnce: boolean): void {
    this.path.value = node > 0 ? pathOf(model, node).map((n) => this.spot(model, n)) : [];
    this.start(to, atOnce, model.depth[node]!);
  }

  private start(to: Viewport, atOnce: boolean, row: number): void {
    clearTimeout(this.settleTimer);
    const fromScroll = this.surface.scrollTop;
    this.fitHeight(to);
    const toScroll = this.surface.scrollFor(row);
    this.awaitedRow = this.windows?.need(to, this.surface.width, false) ? row : -1;
    if (atOnce || this.calm.matches) {
      this.motion = null;
      this.view.value = to;
      this.settled.value = to;
      this.surface.scrollTop = toScroll;
    } else {
      this.motion = { from: this.view.peek(), to, fromScroll, toScroll, began: -1 };
    }
    this.invalidate();
  }

  /** Row of a zoom whose details are on its way: levels they add may call for a scroll. */
  private awaitedRow = -1;

  private scrollToAwaited(): void {
    const fromScroll = this.surface.scrollTop;
    const toScroll = this.surface.scrollFor(this.awaitedRow);
    this.awaitedRow = -1;
    if (toScroll === fromScroll) return;
    const v = this.view.peek();
    if (this.calm.matches) this.surface.scrollTop = toScroll;
    else this.motion = { from: v, to: v, fromScroll, toScroll, began: -1 };
    nextFrame(this.tick);
  }

  // Free moves

  zoomBy(factor: number, share: number, smooth: boolean): void {
    const v = this.motion?.to ?? this.view.peek();
    this.free(zoomAbout(v, share, factor, this.end), smooth);
  }

  panBy(share: number, smooth: boolean): void {
    this.free(pan(this.motion?.to ?? this.view.peek(), share, this.end), smooth);
  }

  setView(v: Viewport): void {
    this.free(clamp(v, this.end), false);
  }

  scrollBy(pixels: number): void {
    this.awaitedRow = -1;
    this.surface.scrollTop += pixels;
  }

  private settleTimer: ReturnType<typeof setTimeout> | undefined;

  private free(to: Viewport, smooth: boolean): void {
    this.awaitedRow = -1;
    if (smooth && !this.calm.matches) {
      const top = this.surface.scrollTop;
      this.motion = { from: this.view.peek(), to, fromScroll: top, toScroll: top, began: -1 };
    } else {
      this.motion = null;
      this.view.value = to;
    }
    this.windows?.need(to, this.surface.width, true);
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => this.settle(to), 200);
    this.invalidate();
  }

  /** After free moves: the frame that fills the view is the one zoomed to. */
  private settle(v: Viewport): void {
    const model = this.windows?.best(v);
    if (!model) return;
    this.settled.value = v;
    this.fitHeight(v);
    const node = narrowestCovering(model, v.from, v.to);
    this.path.value = node > 0 ? pathOf(model, node).map((n) => this.spot(model, n)) : [];
    this.onZoom(zoomText(this.path.peek().at(-1) ?? null), 'replace');
    this.invalidate();
  }

  // Focus and hover

  /** The frame at a point of the canvas, in CSS pixels. */
  spotAt(x: number, y: number): Spot | null {
    const model = this.current();
    if (!model || this.surface.width === 0) return null;
    const v = this.view.peek();
    const position = v.from + (x / this.surface.width) * (v.to - v.from);
    const row = this.surface.rowAt(y);
    const node = row < this.surface.skip ? -1 : nodeAt(model, row, position);
    if (node < 0) return null;
    const same = this.hover.peek();
    if (same && same.depth === model.depth[node] && same.x === model.x[node] && same.width === model.width[node]) return same;
    return this.spot(model, node);
  }

  private pointer: { x: number; y: number } | null = null;

  /** The pointer is at a point of the canvas; null: not on it, or busy with something else. */
  point(at: { x: number; y: number } | null): Spot | null {
    this.pointer = at;
    const spot = at && !this.motion ? this.spotAt(at.x, at.y) : null;
    this.setHover(spot);
    return spot;
  }

  private setHover(spot: Spot | null): void {
    if (spot === this.hover.peek()) return;
    this.hover.value = spot;
    this.invalidateOverlay();
  }

  setFocus(spot: Spot | null): void {
    this.focus.value = spot;
    this.invalidateOverlay();
  }

  moveFocus(to: Direction): void {
    this.point(null); // a mouse that rests is not what is looked at now
    const model = this.current();
    if (!model) return;
    const v = this.view.peek();
    const at = this.focus.peek() ?? this.path.peek().at(-1) ?? null;
    let node = at ? nodeAt(model, at.depth, at.x + at.width / 2) : 0;
    if (at && node >= 0) {
      const inward = to === (this.surface.flip ? 'up' : 'down');
      if (to === 'left' || to === 'right') node = neighbour(model, node, to === 'left' ? -1 : 1);
      else if (inward) node = widestChild(model, node, v.from, v.to);
      else node = model.parent[node]!;
    }
    if (!at && this.surface.skip > 0) node = widestChild(model, 0, v.from, v.to);
    if (node < 0 || model.depth[node]! < this.surface.skip) return;
    const spot = this.spot(model, node);
    this.setFocus(spot);
    this.bringIntoView(spot);
  }

  /** Shows a frame, by as small a move as will do. */
  bringIntoView(spot: Spot): void {
    const v = this.motion?.to ?? this.view.peek();
    let to = reveal(v, spot.x, spot.x + spot.width, this.end);
    const pixels = (spot.width / (to.to - to.from)) * this.surface.width;
    if (pixels < MADE_OUT) {
      // Too narrow to be made out: as near as shows it and its surroundings.
      const span = spot.width * 8;
      to = clamp({ from: spot.x - span / 2, to: spot.x + spot.width + span / 2 }, this.end);
    }
    if (to.from !== v.from || to.to !== v.to) this.free(to, true);
    this.fitHeight(to);
    this.surface.revealRow(spot.depth);
  }

  /** Goes to a node the server named, which need not be loaded. */
  goTo(place: { id: number; depth: number; from: number; width: number; name: string }): void {
    const to = place.from + place.width;
    const wide = (place.width / (this.view.peek().to - this.view.peek().from)) * this.surface.width;
    const spot: Spot = {
      id: place.id, name: place.name, kind: 'frame', file: '', line: 0, otherFiles: 0, package: '', origin: 0, inlined: false,
      depth: place.depth, x: place.from, width: place.width, total: 0, self: 0, hidden: 0, children: 0, base: null,
      parentTotal: 0, parentBase: 0, step: 0,
    };
    this.point(null);
    this.setFocus(spot);
    this.focusShown = true;
    if (wide < MATCH_SEEN) {
      const margin = place.width;
      this.showRange(place.from - margin, to + margin);
    }
    this.bringIntoView(spot);
    this.pending = true;
    const model = this.current();
    if (model) this.completeFocus(model);
  }

  /** The focus is of a frame whose window is on its way. */
  private pending = false;

  private completeFocus(model: FlameModel): void {
    const at = this.focus.peek();
    if (!at) return;
    const node = nodeAt(model, at.depth, at.x + at.width / 2);
    if (node < 0 || model.id[node] !== at.id) return;
    this.pending = false;
    this.focus.value = this.spot(model, node);
  }

  /** The lower left corner of a frame, in CSS pixels of the canvas. */
  cornerOf(spot: Spot): { x: number; y: number } {
    const v = this.view.peek();
    const x = ((spot.x - v.from) / (v.to - v.from)) * this.surface.width;
    return { x: Math.max(x, 0), y: this.surface.bottomOf(spot.depth) };
  }

  // The page

  attach(elements: Elements): () => void {
    const detach = this.surface.attach(elements, { scrolled: () => this.invalidate(), resized: () => this.resized() });
    return () => {
      detach();
      clearTimeout(this.settleTimer);
      forget(this.tick);
      this.windows?.close();
      this.windows = null;
      this.queryText = null;
    };
  }

  private resized(): void {
    if (this.queryText !== null && !this.windows) void this.open();
    this.fitHeight();
    this.windows?.need(this.view.peek(), this.surface.width, true);
    // Now, not in the next frame: a resized canvas is empty until it is drawn.
    this.baseDirty = true;
    this.tick(performance.now());
  }

  private fitHeight(v: Viewport = this.motion?.to ?? this.view.peek()): void {
    const model = this.windows?.best(v) ?? this.whole.peek();
    if (model) this.surface.fit(levelsIn(model, v.from, v.to));
  }

  invalidate(): void {
    this.baseDirty = true;
    nextFrame(this.tick);
  }

  private invalidateOverlay(): void {
    nextFrame(this.tick);
  }

  private readonly tick = (now: number): void => {
    const { surface } = this;
    if (!surface.ready) return;
    this.move(now);
    const v = this.view.peek();
    const model = this.current();
    const theme = frameTheme(this.isDark);
    if (!model) return;
    if (this.baseDirty || surface.scrolled || model !== this.shown) {
      const scene = this.sceneOf(model);
      if (model !== this.shown) {
        this.shown = model;
        scene.colorBy(this.colors);
        this.matched.value = scene.mark(this.matcher);
        scene.select(this.selected);
        if (this.pending) this.completeFocus(model);
        this.fitHeight();
        if (this.awaitedRow >= 0 && !this.motion) this.scrollToAwaited();
      }
      surface.paint(scene, v, theme);
      this.baseDirty = false;
    }
    if (this.pointer) this.point(this.pointer); // by now another frame may be there
    surface.paintOverlay(v, theme, this.hover.peek(), this.focusShown ? this.focus.peek() : null);
  };

  private move(now: number): void {
    const { motion } = this;
    if (!motion) return;
    if (motion.began < 0) motion.began = now;
    const t = (now - motion.began) / MOTION;
    const eased = easeOut(t);
    this.view.value = between(motion.from, motion.to, eased);
    if (motion.fromScroll !== motion.toScroll) {
      this.surface.scrollTop = motion.fromScroll + (motion.toScroll - motion.fromScroll) * eased;
    }
    this.baseDirty = true;
    if (t < 1) {
      nextFrame(this.tick);
      return;
    }
    this.motion = null;
    this.settled.value = motion.to;
    if (this.awaitedRow >= 0 && !this.busy.peek()) this.scrollToAwaited(); // they came while it moved
  }

  /** Draws the current view elsewhere, for a picture. */
  drawOn(context: Pen, width: number, ratio: number): void {
    const model = this.current();
    if (!model) return;
    const scene = this.sceneOf(model);
    scene.colorBy(this.colors);
    this.surface.paintOn(context, width, ratio, scene, this.view.peek(), frameTheme(this.isDark));
  }

  /** Draws all of the graph small, without text. */
  drawOutline(canvas: HTMLCanvasElement, theme: FrameTheme, by: ColorBy): void {
    const model = this.whole.peek();
    if (!model) return;
    canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    paintOutline(canvas.getContext('2d')!, model, by, theme, this.surface.flip);
  }

  get width(): number {
    return this.surface.width;
  }

  get height(): number {
    return this.surface.height;
  }

  /** Levels in view, all of them, also those scrolled away. */
  get levelsInView(): number {
    return this.surface.levels;
  }
}

function asApiError(err: unknown): ApiError {
  return err instanceof ApiError ? err : new ApiError(0, err instanceof Error ? err.message : String(err));
}

/** A zoomed frame as it stands in a link. */
export function zoomText(spot: Spot | null): string {
  return spot && spot.depth > 0 ? `${spot.id}:${spot.name}` : '';
}
