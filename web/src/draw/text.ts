// Widths of text without asking the browser for each label: with kerning off, a
// text is as wide as the sum of its letters.

export type Measure = (text: string) => number;

const ELLIPSIS = '…';

export class TextMeasurer {
  private readonly ascii = new Float64Array(128).fill(-1);
  private readonly others = new Map<string, number>();
  private readonly ellipsis: number;

  constructor(private readonly measure: Measure) {
    this.ellipsis = measure(ELLIPSIS);
  }

  width(text: string): number {
    let sum = 0;
    for (let i = 0; i < text.length; i++) sum += this.letter(text, i);
    return sum;
  }

  /** How many letters of a text, with an ellipsis after them, fit in; all of them if the text does; 0 if it is not worth it. */
  fit(text: string, room: number): number {
    let sum = 0;
    let keep = 0;
    for (let i = 0; i < text.length; i++) {
      sum += this.letter(text, i);
      if (sum > room) return keep < 2 ? 0 : keep;
      if (sum + this.ellipsis <= room) keep = i + 1;
    }
    return text.length;
  }

  private letter(text: string, i: number): number {
    const code = text.charCodeAt(i);
    if (code < 128) {
      let width = this.ascii[code]!;
      if (width < 0) this.ascii[code] = width = this.measure(text[i]!);
      return width;
    }
    if (code >= 0xdc00 && code < 0xe000) return 0; // the second half of what follows
    const letter = String.fromCodePoint(text.codePointAt(i)!);
    let width = this.others.get(letter);
    if (width === undefined) this.others.set(letter, (width = this.measure(letter)));
    return width;
  }
}

/** Cuts a text after some letters, never in the middle of one. */
export function cut(text: string, keep: number): string {
  if (keep >= text.length) return text;
  if (keep === 0) return '';
  const code = text.charCodeAt(keep - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? keep - 1 : keep) + ELLIPSIS;
}
