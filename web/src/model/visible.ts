// Characters that nobody sees but that turn the text around them, so that a name
// reads as another: "gnp.exe" as "exe.png". They are shown as what they are. Which
// they are, Unicode says; package report asks it, too.

const TURNS = /\p{Bidi_Control}/gu;

/** A text with such characters as escapes. */
export function visible(text: string): string {
  return text.replaceAll(TURNS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
