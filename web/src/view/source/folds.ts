// Which lines of a long function are shown at first. Pure.

export interface Part {
  /** Indexes of lines, end is behind the last. */
  first: number;
  end: number;
  folded: boolean;
}

const AROUND = 6; // lines shown before and after one with samples
const LEAST = 12; // fewer are not worth folding

/** Cuts lines into those shown and those folded away: long stretches far from any that cost. */
export function folds(count: number, hot: (index: number) => boolean): Part[] {
  const near = new Uint8Array(count);
  near.fill(1, 0, Math.min(count, 2)); // where the function begins
  for (let i = 0; i < count; i++) {
    if (hot(i)) near.fill(1, Math.max(0, i - AROUND), Math.min(count, i + AROUND + 1));
  }
  const parts: Part[] = [];
  const add = (first: number, end: number, folded: boolean) => {
    const last = parts[parts.length - 1];
    const fold = folded && end - first >= LEAST;
    if (last && !last.folded && !fold) last.end = end;
    else parts.push({ first, end, folded: fold });
  };
  for (let i = 0; i < count; ) {
    let end = i + 1;
    while (end < count && near[end] === near[i]) end++;
    add(i, end, near[i] === 0);
    i = end;
  }
  return parts;
}
