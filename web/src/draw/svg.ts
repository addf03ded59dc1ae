// What is drawn on it, as SVG: the part of a canvas' interface that painters use.

/** What painters need of a canvas to draw on it. */
export interface Pen {
  readonly canvas: { width: number; height: number };
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  font: string;
  fontKerning: CanvasFontKerning;
  textBaseline: CanvasTextBaseline;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  stroke(): void;
  measureText(text: string): { width: number };
}

/** Texts are measured where the picture is made, and stay as wide where another font stands in. */
export class SvgPen implements Pen {
  readonly canvas = { width: 0, height: 0 };
  fillStyle = '#000000';
  strokeStyle = '#000000';
  lineWidth = 1;
  font = '';
  fontKerning: CanvasFontKerning = 'none';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  private readonly parts: string[] = [];
  private path: string[] = [];

  /** measure tells the width of a text in a font, as a canvas does. */
  constructor(private readonly measure: (text: string, font: string) => number) {}

  fillRect(x: number, y: number, width: number, height: number): void {
    if (width <= 0 || height <= 0) return;
    this.parts.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${escape(this.fillStyle)}"/>`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    if (text === '') return;
    const at = this.textBaseline === 'middle' ? ' dominant-baseline="central"' : '';
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" textLength="${short(this.measureText(text).width)}" lengthAdjust="spacingAndGlyphs"`
      + `${at} fill="${escape(this.fillStyle)}" style="font:${escape(this.font)}">${escape(text)}</text>`,
    );
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`);
  }

  stroke(): void {
    if (this.path.length === 0) return;
    this.parts.push(
      `<path d="${this.path.join('')}" fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"/>`,
    );
  }

  measureText(text: string): { width: number } {
    return { width: this.measure(text, this.font) };
  }

  /** Puts another drawing at a place. */
  place(other: SvgPen, x: number, y: number): void {
    this.parts.push(
      `<svg x="${short(x)}" y="${short(y)}" width="${other.canvas.width}" height="${other.canvas.height}">`, ...other.parts, '</svg>',
    );
  }

  /** The file. */
  text(): string {
    const { width, height } = this.canvas;
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
      ...this.parts,
      '</svg>\n',
    ].join('\n');
  }
}

const short = (n: number) => String(Math.round(n * 100) / 100);

/** Text and attributes; characters that XML has no place for become blanks. */
function escape(text: string): string {
  return text
    // eslint-disable-next-line no-control-regex
    .replaceAll(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, ' ',
    )
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
