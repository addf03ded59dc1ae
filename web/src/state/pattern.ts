// Regular expressions of the server's kind (Go's) made from names.

/** The text of a name as a pattern that matches it alone, without anchors. */
export function quote(name: string): string {
  return name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

/** A pattern that matches exactly this name. */
export function exactly(name: string): string {
  return `^${quote(name)}$`;
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
