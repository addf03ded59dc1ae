// The windows of one graph that are loaded: all of it, coarse, and those that
// were looked into. Drawing takes the best one at hand; what is missing is asked
// for, and until it comes the coarser one stays.

import type { Viewport } from '../../layout/viewport';
import { firstEndingAfter, levelsOf, REST, type FlameModel } from '../../model/model';
import type { FlameSource, Loaded, Part } from './source';

interface LoadedWindow {
  model: FlameModel;
  /** Values per pixel it was asked for. */
  grain: number;
}

const KEPT = 8; // windows beside the whole
const SETTLED = 90; // ms without a move before asking
const TOLERANCE = 1.3; // how much coarser than wished is good enough
const WIDEST = 65_000; // pixels the server answers for
const WIDTH_STEP = 200; // pixels: so that a small change of the page asks for nothing new

export interface WindowsEvents {
  changed(): void;
  failed(err: unknown): void;
  loading(busy: boolean): void;
}

export class Windows {
  private whole: LoadedWindow | null = null;
  private parts: LoadedWindow[] = [];
  private abort: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted: { from: number; to: number; grain: number } | null = null;
  private readonly closed = new AbortController();

  constructor(
    private readonly source: FlameSource,
    private readonly query: URLSearchParams,
    private readonly events: WindowsEvents,
  ) {}

  async open(width: number): Promise<Loaded> {
    const pixels = rounded(width);
    const loaded = await this.load({ width: pixels }, this.closed.signal);
    this.whole = loadedAt(loaded.model, pixels);
    return loaded;
  }

  close(): void {
    this.closed.abort();
    this.abort?.abort();
    clearTimeout(this.timer);
  }

  get base(): FlameModel | null {
    return this.whole?.model ?? null;
  }

  /** The finest model that has all of a viewport. */
  best(v: Viewport): FlameModel | null {
    return this.bestLoaded(v)?.model ?? null;
  }

  private bestLoaded(v: Viewport): LoadedWindow | null {
    let best = this.whole;
    for (const part of this.parts) {
      const { model, grain } = part;
      if (model.from <= v.from && model.to >= v.to && (!best || grain < best.grain)) best = part;
    }
    return best;
  }

  /** Asks for what a viewport needs beyond what is there; soon, if it may still be moving. Tells whether something is to come. */
  need(v: Viewport, width: number, moving: boolean): boolean {
    const best = this.bestLoaded(v);
    if (!best || !this.whole) return false;
    const grain = (v.to - v.from) / width;
    if (best.grain <= grain * TOLERANCE || !lacks(best.model, v)) {
      clearTimeout(this.timer);
      return false;
    }
    const { wanted } = this;
    if (wanted && wanted.from <= v.from && wanted.to >= v.to && wanted.grain <= grain * TOLERANCE) return true; // on its way
    clearTimeout(this.timer);
    const span = v.to - v.from;
    const { width: all } = this.whole.model.about;
    // Its neighbourhood as well, so that panning shows something.
    const from = Math.max(Math.floor(v.from - span), 0);
    const to = Math.min(Math.ceil(v.to + span), all);
    const ask = () => void this.ask(from, to, rounded(((to - from) / span) * width));
    if (moving) this.timer = setTimeout(ask, SETTLED);
    else ask();
    return true;
  }

  private async ask(from: number, to: number, width: number): Promise<void> {
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    this.wanted = { from, to, grain: (to - from) / width };
    this.events.loading(true);
    try {
      const { model } = await this.load({ from, to, width }, abort.signal);
      this.keep(loadedAt(model, width));
      this.events.changed();
    } catch (err) {
      this.events.failed(err);
    }
    if (this.abort === abort) {
      this.wanted = null;
      this.events.loading(false);
    }
  }

  /** Loads the window that a node fills. */
  async openNode(id: number, width: number): Promise<FlameModel> {
    const pixels = rounded(width);
    const { model } = await this.load({ node: id, width: pixels }, this.closed.signal);
    this.keep(loadedAt(model, pixels));
    return model;
  }

  private keep(part: LoadedWindow): void {
    this.parts = [part, ...this.parts].slice(0, KEPT);
  }

  private load(part: Part, signal: AbortSignal): Promise<Loaded> {
    return this.source.window(this.query, part, signal);
  }
}

function loadedAt(model: FlameModel, width: number): LoadedWindow {
  return { model, grain: (model.to - model.from) / width };
}

function rounded(width: number): number {
  return Math.min(Math.max(Math.ceil(width / WIDTH_STEP), 1) * WIDTH_STEP, WIDEST);
}

/** Whether something in a viewport was left out of a model. */
function lacks(m: FlameModel, v: Viewport): boolean {
  if (m.complete) return false;
  for (let row = 1; row < levelsOf(m); row++) {
    const end = m.rows[row + 1]!;
    for (let n = firstEndingAfter(m, row, v.from); n < end && m.x[n]! < v.to; n++) {
      if (m.frame[n] === REST) return true;
    }
  }
  return false;
}
