// Selectors of profiles in the store, as text and as conditions that chips show:
// cpu{service="api", version=~"v1.*"}. The server's reading of them decides
// (internal/store/selector.go); what can't be read here is shown as it is. Pure.

export type Op = '=' | '!=' | '=~' | '!~';

export interface Matcher {
  name: string;
  op: Op;
  value: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]*/;
const QUOTED = /^("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)/;
const ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '"': '"', "'": "'" };

/** The conditions of a selector, null if it can't be read. */
export function parseSelector(text: string): Matcher[] | null {
  let rest = text.trim();
  const all: Matcher[] = [];
  const kind = NAME.exec(rest)?.[0];
  if (kind !== undefined) {
    all.push({ name: 'kind', op: '=', value: kind });
    rest = rest.slice(kind.length).trimStart();
  }
  if (rest === '') return all;
  if (!rest.startsWith('{')) return null;
  rest = rest.slice(1).trimStart();
  while (!rest.startsWith('}')) {
    const named = NAME.exec(rest)?.[0] ?? QUOTED.exec(rest)?.[0];
    if (named === undefined) return null;
    const name = NAME.test(named) ? named : unquote(named);
    if (!name) return null;
    rest = rest.slice(named.length).trimStart();
    const op = /^(=~|!~|!=|=)/.exec(rest)?.[0] as Op | undefined;
    if (!op) return null;
    rest = rest.slice(op.length).trimStart();
    const quoted = QUOTED.exec(rest)?.[0];
    if (quoted === undefined) return null;
    const value = unquote(quoted);
    if (value === null) return null;
    all.push({ name, op, value });
    rest = rest.slice(quoted.length).trimStart();
    if (rest.startsWith(',')) rest = rest.slice(1).trimStart();
    else if (!rest.startsWith('}')) return null;
  }
  return rest.slice(1).trim() === '' ? all : null;
}

function unquote(text: string): string | null {
  const inside = text.slice(1, -1);
  if (text.startsWith('`')) return inside;
  let bad = false;
  const value = inside.replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-7][0-9a-fA-F])|(.))/g, (
    _, u?: string, long?: string, x?: string, one?: string,
  ) => {
    const code = u ?? long ?? x;
    if (code !== undefined) {
      const point = parseInt(code, 16);
      if (point <= 0x10ffff) return String.fromCodePoint(point);
    }
    const known = one === undefined ? undefined : ESCAPES[one];
    if (known === undefined) bad = true;
    return known ?? '';
  });
  return bad ? null : value;
}

/** Whether a selector can have a name without quotes. */
function isPlain(name: string): boolean {
  return NAME.exec(name)?.[0] === name;
}

/** The selector of conditions, as the server writes it. */
export function formatSelector(matchers: readonly Matcher[]): string {
  const [first, ...others] = matchers;
  const word = first?.name === 'kind' && first.op === '=' && isPlain(first.value) ? first.value : '';
  const rest = word ? others : matchers;
  if (word && rest.length === 0) return word;
  return `${word}{${rest.map((m) => `${isPlain(m.name) ? m.name : JSON.stringify(m.name)}${m.op}${JSON.stringify(m.value)}`).join(', ')}}`;
}

/** The values that a condition is for (or against), null if it is a pattern of another kind. */
export function valuesOf({ op, value }: Matcher): string[] | null {
  if (op === '=' || op === '!=') return [value];
  const values: string[] = [''];
  for (let i = 0; i < value.length; i++) {
    const c = value[i]!;
    if (c === '|') values.push('');
    else if (c === '\\' && i + 1 < value.length && /[^A-Za-z0-9]/.test(value[i + 1]!)) values[values.length - 1] += value[++i]!;
    else if (/[\\.+*?()[\]{}^$]/.test(c)) return null;
    else values[values.length - 1] += c;
  }
  return values;
}

/** The condition that a label has one of some values, or none of them. */
export function matcherOf(name: string, values: readonly string[], not = false): Matcher {
  if (values.length === 1) return { name, op: not ? '!=' : '=', value: values[0]! };
  return { name, op: not ? '!~' : '=~', value: values.map((v) => v.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&')).join('|') };
}

/** Puts a condition in the place of those on its label; null takes those away. */
export function withMatcher(matchers: readonly Matcher[], name: string, matcher: Matcher | null): Matcher[] {
  const at = matchers.findIndex((m) => m.name === name);
  const rest = matchers.filter((m) => m.name !== name);
  if (!matcher) return rest;
  if (name === 'kind') return [matcher, ...rest];
  return at < 0 ? [...rest, matcher] : [...rest.slice(0, at), matcher, ...rest.slice(at)];
}

/** The one value a label has to have; undefined if there is no such condition. */
export function valueOf(matchers: readonly Matcher[], name: string): string | undefined {
  return matchers.find((m) => m.name === name && m.op === '=')?.value;
}

/** A condition as a chip says it. */
export function matcherText(m: Matcher): string {
  const values = valuesOf(m);
  if (!values) return `${m.op === '!~' ? 'not ' : ''}${m.value}`;
  const not = m.op === '!=' || m.op === '!~';
  return `${not ? 'not ' : ''}${values.map((v) => v || 'none').join(', ')}`;
}
