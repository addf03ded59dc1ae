// Patterns are the server's: Go's regular expressions, found anywhere in a name,
// as those of focus. Most mean the same here, so that matches can be marked
// without asking; those that may not are left to the server.

/** What one of both kinds does not know, or reads in another way. */
const DIFFERENT = /\\[ACGQEapPzZx]|\[\[:|\(\?[^:P)]|\\[1-9]|\(\?P[^<]|[*+?}]\+|(^|[^\\])\{[^0-9]/;

/** A test of names by a pattern of Go's; null if only the server can tell. */
export function tester(pattern: string): ((name: string) => boolean) | null {
  let body = pattern;
  let flags = '';
  const leading = /^\(\?([is]*)(?:-[is]+)?\)/.exec(pattern);
  if (leading) {
    flags = [...new Set(leading[1])].join('');
    body = pattern.slice(leading[0].length);
  }
  if (DIFFERENT.test(body)) return null;
  try {
    const re = new RegExp(body.replaceAll('(?P<', '(?<'), flags);
    return (name) => re.test(name);
  } catch {
    return null;
  }
}
