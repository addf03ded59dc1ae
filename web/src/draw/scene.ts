// What drawing needs to know of a model beyond its places: colours, marks of a
// search, labels. Computed when something changes, not when something moves.

import type { ChangeScale } from '../model/change';
import { changeStep } from '../model/change';
import { REST, ROOT, type FlameModel } from '../model/model';
import { formatCount, formatRate, rateOf } from '../model/units';
import { nameForms } from '../model/names';
import { visible } from '../model/visible';
import { REST_FILL, ROOT_FILL, changeFill, heatFill, originFill, packageFill, separateHues, type ColorBy } from '../theme/frames';
import { cut, type TextMeasurer } from './text';

/** Tells which frames match, by their names or, where a pattern is not one of JavaScript's, by ids of nodes. */
export interface Matcher {
  test?: (name: string) => boolean;
  ids?: ReadonlySet<number>;
}

/** Which sides of a comparison have a frame. */
export const BOTH = 0;
/** Only the base: it is gone. */
export const GONE = 1;
/** Only the head: it is new. */
export const NEW = 2;

/** How a node's label was made last: a form of its name, and how many letters of it. */
const FORMS = 4;
const LETTERS = 8192;

export class Scene {
  readonly color: Uint8Array;
  /** By node; null without a search. */
  marks: Uint8Array | null = null;

  /** By frame: whether it is the function selected; null if none here is. */
  selected: Uint8Array | null = null;

  /** By node; null without a comparison. */
  readonly sides: Uint8Array | null;

  private selectedName = '';
  private readonly names: (readonly string[] | undefined)[];
  /** By node where it is not the frame's name alone. */
  private readonly special = new Map<number, readonly string[]>();
  private readonly made: Int32Array;
  private readonly labels: string[];
  private readonly steps: Int8Array | null;

  constructor(readonly model: FlameModel) {
    this.color = new Uint8Array(model.count);
    this.names = new Array<readonly string[] | undefined>(model.frames.name.length);
    this.made = new Int32Array(model.count).fill(-1);
    this.labels = new Array<string>(model.count);
    this.steps = changeSteps(model);
    this.sides = sidesOf(model);
  }

  private coloredBy: ColorBy | null = null;

  colorBy(by: ColorBy): void {
    if (by === this.coloredBy) return;
    this.coloredBy = by;
    const { model: m, color } = this;
    const { frames } = m;
    const ofFrame = new Uint8Array(frames.name.length);
    const apart = separateHues(m.about.shares.wide ?? []);
    for (let f = 0; f < ofFrame.length; f++) {
      const origin = frames.origin[f]!;
      ofFrame[f] = by === 'module' ? originFill(origin) : packageFill(m.packages[frames.package[f]!] ?? '', origin, apart);
    }
    let hottest = 1;
    for (let n = 0; n < m.count; n++) hottest = Math.max(hottest, m.self[n]!);
    for (let n = 0; n < m.count; n++) {
      const frame = m.frame[n]!;
      if (frame === REST) color[n] = REST_FILL;
      else if (by === 'change' && this.steps) color[n] = changeFill(this.steps[n]!);
      else if (frame === ROOT) color[n] = ROOT_FILL;
      else if (by === 'self') color[n] = heatFill(m.self[n]! / hottest);
      else color[n] = ofFrame[frame]!;
    }
  }

  /** Marks what matches; returns how many nodes do. */
  mark(matcher: Matcher | null): number {
    if (matcher === this.matcher) return this.marked;
    this.matcher = matcher;
    this.marks = null;
    return (this.marked = matcher ? this.markBy(matcher) : 0);
  }

  private matcher: Matcher | null = null;
  private marked = 0;

  private markBy(matcher: Matcher): number {
    const { model: m } = this;
    const { test, ids } = matcher;
    const ofFrame = test ? Uint8Array.from(m.frames.name, (name) => (test(name) ? 1 : 0)) : null;
    const marks = (this.marks = new Uint8Array(m.count));
    let count = 0;
    for (let n = 0; n < m.count; n++) {
      const frame = m.frame[n]!;
      if (frame < 0) continue;
      const hit = ofFrame ? ofFrame[frame]! : ids?.has(m.id[n]!) ? 1 : 0;
      marks[n] = hit;
      count += hit;
    }
    return count;
  }

  select(name: string): void {
    if (name === this.selectedName) return;
    this.selectedName = name;
    const { name: names } = this.model.frames;
    this.selected = names.includes(name) ? Uint8Array.from(names, (n) => (n === name ? 1 : 0)) : null;
  }

  stepOf(node: number): number {
    return this.steps ? this.steps[node]! : 0;
  }

  /** The text in a box: the longest form of its name that fits, or what fits of the shortest. '' if nothing does. */
  label(node: number, room: number, text: TextMeasurer): string {
    const forms = this.forms(node);
    let form = 0;
    let keep = 0;
    for (; form < forms.length; form++) {
      keep = text.fit(forms[form]!, room);
      if (keep === forms[form]!.length) break;
    }
    if (form === forms.length) form--;
    const made = Math.min(keep, LETTERS - 1) * FORMS + form;
    if (this.made[node] === made) return this.labels[node]!;
    this.made[node] = made;
    return (this.labels[node] = cut(forms[form]!, keep));
  }

  /** Longest first. */
  private forms(node: number): readonly string[] {
    const frame = this.model.frame[node]!;
    if (frame >= 0 && this.stepOf(node) === 0) return (this.names[frame] ??= this.formsOf(frame));
    let forms = this.special.get(node);
    if (!forms) this.special.set(node, (forms = this.specialForms(node)));
    return forms;
  }

  private specialForms(node: number): readonly string[] {
    const { model: m } = this;
    const frame = m.frame[node]!;
    if (frame === REST) return [this.restLabel(node), '…'];
    const names = frame === ROOT ? this.rootForms() : this.formsOf(frame);
    const step = this.stepOf(node);
    if (step === 0 || !m.baseTotal) return names;
    // Colour is not alone: the arrow says more or less, too.
    const base = m.baseTotal[node]! * m.about.baseScale;
    const relative = base === 0 ? 'new'
      : m.total[node] === 0 ? 'gone'
      : `${Math.round((Math.abs(m.total[node]! - base) / base) * 100)}%`;
    const arrow = step > 0 ? '▲' : '▼';
    return [`${names[0]!}  ${arrow} ${relative}`, ...names.slice(1).map((name) => `${arrow} ${name}`)];
  }

  private formsOf(frame: number): readonly string[] {
    const { name, origin } = this.model.frames;
    return nameForms(name[frame]!, origin[frame]!).map(visible);
  }

  /** Rates are those of an instance on average: others on the page are of all. */
  private rootForms(): readonly string[] {
    const all = `all · ${this.totals()}`;
    return this.model.about.perSecond ? [`${all} per instance`, all] : [all];
  }

  private totals(): string {
    const { about } = this.model;
    if (!about.diff) return about.totalText;
    const base = formatRate(about.baseTotal * about.baseScale, about.unit, 'auto', rateOf(about));
    return `${base} → ${about.totalText}`;
  }

  private restLabel(node: number): string {
    const { model: m } = this;
    const parent = m.parent[node]!;
    // Of a caller that reaches out of the window, some are only out of sight.
    const inside = m.x[parent]! >= m.from && m.x[parent]! + m.width[parent]! <= m.to;
    return inside ? `${formatCount(m.hidden[parent]!)} narrower frames` : 'narrower frames';
  }
}

function sidesOf({ count, frame, total, baseTotal }: FlameModel): Uint8Array | null {
  if (!baseTotal) return null;
  const sides = new Uint8Array(count);
  for (let n = 0; n < count; n++) {
    if (frame[n]! < 0) continue;
    if (total[n] === 0) sides[n] = GONE;
    else if (baseTotal[n] === 0) sides[n] = NEW;
  }
  return sides;
}

function changeSteps(m: FlameModel): Int8Array | null {
  if (!m.baseTotal) return null;
  const { about } = m;
  const scale: ChangeScale = {
    total: Math.max(about.total, about.baseTotal * about.baseScale),
    event: about.event,
    baseEvent: about.baseEvent,
    baseScale: about.baseScale,
  };
  const steps = new Int8Array(m.count);
  for (let n = 0; n < m.count; n++) {
    const frame = m.frame[n]!;
    if (frame === REST) continue;
    const [head, base] = frame === ROOT ? m.frames.rootSpread : [m.frames.spread[frame], m.frames.baseSpread[frame]];
    const spreads = { base: base ?? 0, head: head ?? 0 };
    steps[n] = changeStep(m.total[n]!, m.baseTotal[n]!, scale, spreads);
  }
  return steps;
}
