// The length of a note. Pure.

const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** How many characters at the end of a text are too many for so many bytes. */
export function tooMany(text: string, most: number): number {
  let over = bytes(text) - most;
  let characters = 0;
  for (const c of [...text].reverse()) {
    if (over <= 0) break;
    over -= bytes(c);
    characters++;
  }
  return characters;
}
