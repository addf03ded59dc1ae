// Characters that nobody sees but that turn the text around them, so that a name
// reads as another: "gnp.exe" as "exe.png". They are shown as what they are.

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text with such characters as escapes. */
export function visible(text: string): string {
  return text.replaceAll(TURNS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
