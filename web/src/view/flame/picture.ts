// The view as a picture, PNG or SVG: title, graph with all levels in view,
// legend, in the colours that are seen. A PNG has twice the size, so that it is
// sharp in a document.

import type { FlameAbout } from '../../model/model';
import { formatShare } from '../../model/units';
import { visible } from '../../model/visible';
import { matched } from '../../state/state';
import { dark } from '../../state/theme';
import { frameTheme, PLAIN, type ColorBy } from '../../theme/frames';
import { ROW } from '../../draw/painter';
import { SvgPen, type Pen } from '../../draw/svg';
import type { Controller } from './controller';
import { changeText } from './describe';
import { entriesOf, scaleOf } from './entries';

const RATIO = 2;
const MARGIN = 16;
const TITLE = 34;
const FOOT = 30;
const SWATCH = 10;
const SANS = 'system-ui, sans-serif';

export type PictureFormat = 'png' | 'svg';

/** What a picture is of: what the view shows. */
export interface Shown {
  graph: Controller;
  /** The graph above, where there is a pivot. */
  callers: Controller | null;
  /** '' for none. */
  pivot: string;
  title: string;
  colors: ColorBy;
  search: string;
}

/** Saves what a view shows as a picture. */
export async function savePicture(shown: Shown, format: PictureFormat): Promise<void> {
  const { graph, callers, pivot } = shown;
  const p: Picture = { ...shown, graphs: callers && pivot !== '' ? [callers, graph] : [graph], width: Math.max(graph.width, 900) };
  download(format === 'png' ? await png(p) : svg(p), `${shown.title}.${format}`);
}

interface Picture extends Shown {
  /** From the top down. */
  graphs: readonly Controller[];
  /** Of the graphs, in CSS pixels. */
  width: number;
}

const fullWidth = (p: Picture) => p.width + 2 * MARGIN;
const heightOf = (graph: Controller) => graph.levelsInView * ROW;
const graphHeight = (p: Picture) => p.graphs.reduce((sum, graph) => sum + heightOf(graph), 0);
const fullHeight = (p: Picture) => graphHeight(p) + TITLE + FOOT + MARGIN;

/** Draws each graph on a part of its own, which place puts where it belongs. */
function drawGraphs<T extends Pen>(p: Picture, ratio: number, part: () => T, place: (part: T, y: number) => void): void {
  let y = TITLE;
  for (const graph of p.graphs) {
    const height = heightOf(graph);
    if (height > 0) {
      const c = part();
      graph.drawOn(c, p.width, ratio);
      place(c, y);
    }
    y += height;
  }
}

function png(p: Picture): Promise<Blob> {
  const whole = document.createElement('canvas');
  whole.width = fullWidth(p) * RATIO;
  whole.height = fullHeight(p) * RATIO;
  const c = whole.getContext('2d')!;
  c.scale(RATIO, RATIO);
  drawFrame(c, p);
  const part = () => document.createElement('canvas').getContext('2d', { alpha: false })!;
  drawGraphs(p, RATIO, part, ({ canvas }, y) => c.drawImage(canvas, MARGIN, y, canvas.width / RATIO, canvas.height / RATIO));
  return new Promise((resolve, reject) => {
    whole.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser can’t make a picture of this size.'))), 'image/png');
  });
}

function svg(p: Picture): Blob {
  const measurer = document.createElement('canvas').getContext('2d')!;
  const measure = (text: string, font: string) => {
    measurer.font = font;
    measurer.fontKerning = 'none';
    return measurer.measureText(text).width;
  };
  const whole = new SvgPen(measure);
  whole.canvas.width = fullWidth(p);
  whole.canvas.height = fullHeight(p);
  drawFrame(whole, p);
  drawGraphs(p, 1, () => new SvgPen(measure), (part, y) => whole.place(part, MARGIN, y));
  return new Blob([whole.text()], { type: 'image/svg+xml' });
}

/** What is around the graphs. */
function drawFrame(c: Pen, p: Picture): void {
  const theme = frameTheme(dark.peek());
  const about = p.graph.whole.peek()?.about;
  c.fillStyle = theme.background;
  c.fillRect(0, 0, fullWidth(p), fullHeight(p));
  c.textBaseline = 'middle';
  c.font = `12px ${SANS}`;
  const found = cutTo(foundOf(p), p.width / 2, c);
  const foundWidth = c.measureText(found).width;
  c.fillStyle = theme.match;
  c.fillText(found, p.width + MARGIN - foundWidth, TITLE / 2);
  c.fillStyle = theme.text[0]!;
  c.font = `600 14px ${SANS}`;
  const title = cutTo(visible(p.title), p.width - foundWidth - 12, c);
  c.fillText(title, MARGIN, TITLE / 2);
  const after = MARGIN + c.measureText(title).width + 12;
  c.font = `12px ${SANS}`;
  c.fillStyle = theme.text[2]!;
  c.fillText(cutTo(visible(factsOf(p)), p.width + MARGIN - foundWidth - 12 - after, c), after, TITLE / 2);

  let x = MARGIN;
  const y = TITLE + graphHeight(p) + FOOT / 2 + 4;
  const swatch = (fill: number) => {
    c.fillStyle = theme.fills[PLAIN]![fill]!;
    c.fillRect(x, y - 5, SWATCH, SWATCH);
    x += SWATCH;
  };
  const say = (text: string) => {
    c.fillStyle = theme.text[2]!;
    c.fillText(text, x, y);
    x += c.measureText(text).width;
  };
  if (!about) return;
  const scale = scaleOf(p.colors);
  if (scale) {
    say(scale.little);
    x += 6;
    scale.fills.forEach(swatch);
    x += 6;
    say(scale.much);
    x += 16;
  }
  for (const e of entriesOf(about, p.colors)) {
    const text = visible(`${e.label} ${e.share}`);
    if (x + SWATCH + 6 + c.measureText(text).width + 16 > p.width + MARGIN) break;
    swatch(e.fill);
    x += 6;
    say(text);
    x += 16;
  }
  say(cutTo(marksOf(p, about), p.width + MARGIN - x, c));
}

/** What is drawn, and how much there is of it. */
function factsOf({ graph, pivot }: Picture): string {
  const about = graph.whole.peek()?.about;
  if (!about) return '';
  const what = pivot === '' ? graph.path.peek().at(-1)?.name ?? 'all' : `callers and callees of ${pivot}`;
  return `${about.type} · ${what} · ${totalsOf(about)}`;
}

/** What the search found, as its field says it. */
function foundOf({ search }: Picture): string {
  const found = matched.peek();
  if (search === '' || !found || 'error' in found) return '';
  const { percent, base, text, none, marks } = found;
  const what = visible(search);
  if (none) return `${what}: no match`;
  if (base) return `${what}: ${formatShare(base.percent)} → ${formatShare(percent)}`;
  return `${what}: ${formatShare(percent)} · ${text} · ${marks}`;
}

/** What there is in all, on both sides of a comparison. */
function totalsOf(about: FlameAbout): string {
  return about.diff ? changeText({ about, unit: 'auto', zoomed: null }, about.baseTotal, about.total) : about.totalText;
}

/** How frames look that are marked. */
function marksOf({ graphs, colors }: Picture, { diff, widths }: FlameAbout): string {
  const marks: string[] = [];
  if (diff) {
    if (colors === 'change') marks.push('grey: within noise');
    if (widths !== 'head') marks.push('hatched: gone');
    if (widths !== 'base') marks.push('with a bar: new');
  }
  if (graphs.some((graph) => graph.whole.peek()?.inlined.includes(1))) marks.push('with a line: inlined');
  return marks.join(' · ');
}

/** As much of a text as there is room for. */
function cutTo(text: string, room: number, c: Pen): string {
  if (c.measureText(text).width <= room) return text;
  let keep = text.length;
  while (keep > 0 && c.measureText(`${text.slice(0, keep)}…`).width > room) keep--;
  return keep > 0 ? `${text.slice(0, keep)}…` : '';
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
