// Figures as pages print them. The server's are those of a terminal, which go tool
// pprof's are, too: µs are us there, and thousands are not told apart.

/** Between thousands: thin, and no line ends there. */
export const THIN = '\u202f';

/** Separates the thousands of digits. */
export const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, THIN);

/** A figure of the server, a number with its unit: 1234us is 1 234µs. */
export function figureText(text: string): string {
  const [, sign, whole, rest] = /^([-+−]?)(\d+)(.*)$/.exec(text) ?? [];
  return whole === undefined ? text : sign + grouped(whole) + rest!.replace(/^((?:\.\d+)?)us\b/, '$1µs');
}

/** A text without what separates thousands, for other programs. */
export const ungrouped = (text: string): string => text.replace(/(\d)\u202f(?=\d)/g, '$1');

// A value's text stands behind it, and others end in Text: no source line or name is either.
const FIGURE = /("value":\s*-?\d+,\s*"text":\s*|"\w+Text":\s*)"([-+−]?\d[^"\\]*)"/g;

/** An answer with its figures as pages print them. */
export function parseFigures<T>(json: string): T {
  return JSON.parse(json.replace(FIGURE, (_, key: string, text: string) => `${key}"${figureText(text)}"`)) as T;
}
