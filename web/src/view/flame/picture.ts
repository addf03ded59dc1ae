// The view as a PNG: title, graph with all levels in view, legend. Twice the
// size, so that it is sharp in a document.

import { dark } from '../../state/theme';
import { frameTheme, PLAIN, type ColorBy } from '../../theme/frames';
import { ROW } from '../../draw/painter';
import type { Controller } from './controller';
import { entriesOf } from './Legend';

const RATIO = 2;
const MARGIN = 16;
const TITLE = 34;
const FOOT = 30;

interface Picture {
  title: string;
  facts: string;
  colors: ColorBy;
  dark: boolean;
  width: number;
}

/** Saves what a graph shows as a picture. */
export async function savePicture(graph: Controller, title: string, colors: ColorBy): Promise<void> {
  const about = graph.whole.peek()?.about;
  const facts = about ? `${about.type} · ${graph.path.peek().at(-1)?.name ?? 'all'} · ${about.totalText}` : '';
  download(await picture(graph, { title, facts, colors, dark: dark.peek(), width: Math.max(graph.width, 900) }), `${title}.png`);
}

async function picture(graph: Controller, p: Picture): Promise<Blob> {
  const height = graph.levelsInView * ROW;
  const whole = document.createElement('canvas');
  whole.width = (p.width + 2 * MARGIN) * RATIO;
  whole.height = (height + TITLE + FOOT + MARGIN) * RATIO;
  const c = whole.getContext('2d')!;
  const theme = frameTheme(p.dark);
  const sans = 'system-ui, sans-serif';
  c.fillStyle = theme.background;
  c.fillRect(0, 0, whole.width, whole.height);

  const part = document.createElement('canvas');
  graph.drawOn(part.getContext('2d', { alpha: false })!, p.width, RATIO);
  c.drawImage(part, MARGIN * RATIO, TITLE * RATIO);

  c.scale(RATIO, RATIO);
  c.textBaseline = 'middle';
  c.fillStyle = theme.text[0]!;
  c.font = `600 14px ${sans}`;
  c.fillText(p.title, MARGIN, TITLE / 2);
  const after = MARGIN + c.measureText(p.title).width + 12;
  c.font = `12px ${sans}`;
  c.fillStyle = theme.text[2]!;
  c.fillText(p.facts, after, TITLE / 2, Math.max(p.width - after, 1));

  const model = graph.whole.peek();
  let x = MARGIN;
  const y = TITLE + height + FOOT / 2 + 4;
  for (const e of model && (p.colors === 'package' || p.colors === 'module') ? entriesOf(model, p.colors) : []) {
    const text = `${e.label} ${e.share}`;
    const wide = 16 + c.measureText(text).width + 16;
    if (x + wide > p.width + MARGIN) break;
    c.fillStyle = theme.fills[PLAIN]![e.fill]!;
    c.fillRect(x, y - 5, 10, 10);
    c.fillStyle = theme.text[2]!;
    c.fillText(text, x + 16, y);
    x += wide;
  }
  return new Promise((resolve, reject) => {
    whole.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser could not make a picture of this size.'))), 'image/png');
  });
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
