// The view as a picture, PNG or SVG: title, graph with all levels in view,
// legend, in the colours that are seen. A PNG has twice the size, so that it is
// sharp in a document.

import type { FlameAbout } from '../../model/model';
import { dark } from '../../state/theme';
import { frameTheme, PLAIN, type ColorBy } from '../../theme/frames';
import { ROW } from '../../draw/painter';
import { SvgPen, type Pen } from '../../draw/svg';
import type { Controller } from './controller';
import { changeText } from './describe';
import { entriesOf } from './entries';

const RATIO = 2;
const MARGIN = 16;
const TITLE = 34;
const FOOT = 30;
const SANS = 'system-ui, sans-serif';

export type PictureFormat = 'png' | 'svg';

/** Saves what a graph shows as a picture. */
export async function savePicture(graph: Controller, title: string, colors: ColorBy, format: PictureFormat): Promise<void> {
  const p: Picture = { graph, title, colors, width: Math.max(graph.width, 900) };
  download(format === 'png' ? await png(p) : svg(p), `${title}.${format}`);
}

interface Picture {
  graph: Controller;
  title: string;
  colors: ColorBy;
  /** Of the graph, in CSS pixels. */
  width: number;
}

const fullWidth = (p: Picture) => p.width + 2 * MARGIN;
const graphHeight = (p: Picture) => p.graph.levelsInView * ROW;
const fullHeight = (p: Picture) => graphHeight(p) + TITLE + FOOT + MARGIN;

function png(p: Picture): Promise<Blob> {
  const part = document.createElement('canvas');
  p.graph.drawOn(part.getContext('2d', { alpha: false })!, p.width, RATIO);
  const whole = document.createElement('canvas');
  whole.width = fullWidth(p) * RATIO;
  whole.height = fullHeight(p) * RATIO;
  const c = whole.getContext('2d')!;
  c.scale(RATIO, RATIO);
  drawFrame(c, p);
  c.drawImage(part, MARGIN, TITLE, part.width / RATIO, part.height / RATIO);
  return new Promise((resolve, reject) => {
    whole.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser could not make a picture of this size.'))), 'image/png');
  });
}

function svg(p: Picture): Blob {
  const measurer = document.createElement('canvas').getContext('2d')!;
  const measure = (text: string, font: string) => {
    measurer.font = font;
    measurer.fontKerning = 'none';
    return measurer.measureText(text).width;
  };
  const part = new SvgPen(measure);
  p.graph.drawOn(part, p.width, 1);
  const whole = new SvgPen(measure);
  whole.canvas.width = fullWidth(p);
  whole.canvas.height = fullHeight(p);
  drawFrame(whole, p);
  whole.place(part, MARGIN, TITLE);
  return new Blob([whole.text()], { type: 'image/svg+xml' });
}

/** What is around the graph. */
function drawFrame(c: Pen, p: Picture): void {
  const theme = frameTheme(dark.peek());
  const about = p.graph.whole.peek()?.about;
  const facts = about ? `${about.type} · ${p.graph.path.peek().at(-1)?.name ?? 'all'} · ${totalsOf(about)}` : '';
  c.fillStyle = theme.background;
  c.fillRect(0, 0, fullWidth(p), fullHeight(p));
  c.textBaseline = 'middle';
  c.fillStyle = theme.text[0]!;
  c.font = `600 14px ${SANS}`;
  c.fillText(p.title, MARGIN, TITLE / 2);
  const after = MARGIN + c.measureText(p.title).width + 12;
  c.font = `12px ${SANS}`;
  c.fillStyle = theme.text[2]!;
  c.fillText(cutTo(facts, p.width - after, c), after, TITLE / 2);

  let x = MARGIN;
  const y = TITLE + graphHeight(p) + FOOT / 2 + 4;
  for (const e of about ? entriesOf(about, p.colors) : []) {
    const text = `${e.label} ${e.share}`;
    const wide = 16 + c.measureText(text).width + 16;
    if (x + wide > p.width + MARGIN) break;
    c.fillStyle = theme.fills[PLAIN]![e.fill]!;
    c.fillRect(x, y - 5, 10, 10);
    c.fillStyle = theme.text[2]!;
    c.fillText(text, x + 16, y);
    x += wide;
  }
  if (about?.diff) {
    c.fillStyle = theme.text[2]!;
    c.fillText(cutTo(marksOf(about, p.colors), p.width + MARGIN - x, c), x, y);
  }
}

/** What there is in all, on both sides of a comparison. */
function totalsOf(about: FlameAbout): string {
  return about.diff ? changeText({ about, unit: 'auto', zoomed: null }, about.baseTotal, about.total) : about.totalText;
}

/** How frames of a comparison look. */
function marksOf({ widths }: FlameAbout, by: ColorBy): string {
  const marks = by === 'change' ? ['red: more', 'blue: less', 'grey: within noise'] : [];
  if (widths !== 'head') marks.push('hatched: gone');
  if (widths !== 'base') marks.push('with a bar: new');
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
