// Regular expressions of the server's kind (Go's), made from names and from what
// is typed to find something.

import { tester } from '../model/pattern';

/** The text of a name as a pattern that matches it alone, without anchors. */
export function quote(name: string): string {
  return name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

/** A pattern that matches exactly this name. */
export function exactly(name: string): string {
  return `^${quote(name)}$`;
}

/**
 * The function whose source has what a frame stands for: of what a function of yours
 * spends in code that is not, "main.f via sort.Slice", the caller. '' for work that no function
 * of yours asked for. The server makes such names where the option mine is set.
 */
export function writtenIn(frame: string): string {
  return /^(runtime|library): /.test(frame) ? '' : frame.replace(/ via .*/s, '');
}

/** What either of two patterns matches. */
export function either(pattern: string, more: string): string {
  if (pattern === '') return more;
  return `|${pattern}|`.includes(`|${more}|`) ? pattern : `${pattern}|${more}`;
}

/** The name an exact pattern was made from, undefined for any other pattern. */
export function exactName(pattern: string): string | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined;
  const body = pattern.slice(1, -1).replace(/\\([\\.+*?()|[\]{}^$])/g, '$1');
  return exactly(body) === pattern ? body : undefined;
}

const NOTHING_REPEATED = /(?:^|[(|])[*+?]/; // in both; ^* and \b+ are fine in Go

/**
 * Why the server is sure to refuse a pattern, as one that is still being typed;
 * '' if it is fine or if only the server can tell. Most of Go's syntax is
 * JavaScript's too: what differs is taken out or left to the server.
 */
export function fault(pattern: string): string {
  if (/(?<!\\)\(\?<?[=!]/.test(pattern)) return 'lookaround is not supported';
  if (/\\Q|\[\^?\]/.test(pattern)) return '';
  const common = pattern
    .replace(/\(\?(?:[imsU]+(?:-[imsU]+)?|-[imsU]+)\)/g, '')
    .replace(/\(\?(?:[imsU]+(?:-[imsU]+)?|-[imsU]+):/g, '(?:')
    .replaceAll('(?P<', '(?<');
  try {
    new RegExp(common);
    return '';
  } catch (err) {
    const message = err instanceof Error ? err.message : String(err);
    if (/nothing to repeat/i.test(message) && !NOTHING_REPEATED.test(common)) return '';
    return inWords(message);
  }
}

/** Browsers say it each in their own way. */
function inWords(message: string): string {
  if (/unterminated (group|parenthetical)|missing \)/i.test(message)) return 'missing )';
  if (/character class/i.test(message)) return 'missing ]';
  if (/unmatched/i.test(message)) return 'unexpected )';
  if (/\\ at end/i.test(message)) return 'nothing after \\';
  if (/nothing to repeat/i.test(message)) return 'nothing to repeat';
  return message.slice(message.lastIndexOf(': ') + 1).trim().toLowerCase();
}

/**
 * What is typed to find something, as a pattern. There is one syntax everywhere: a
 * regular expression, found anywhere; what can't be one, such as (*T).Read, is the
 * text itself. In small letters it finds capitals too, but for a name as a whole.
 */
export function patternOf(text: string): string {
  if (exactName(text) !== undefined) return text;
  const pattern = fault(text) === '' ? text : quote(text);
  const letters = pattern.replace(/\\(?:[pP]\{[^}]*\}|[pP]?.)/gu, ''); // \S and \pL are no capitals of a name
  return /^\(\?|\p{Lu}/u.test(letters) || !/\p{L}/u.test(letters) ? pattern : `(?i)${pattern}`;
}

/** A test for what is typed, null for nothing. What only the server understands is looked for as text. */
export function finder(text: string): ((name: string) => boolean) | null {
  if (text === '') return null;
  return tester(patternOf(text)) ?? ((name) => name.includes(text));
}
