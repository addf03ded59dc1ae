// Go source in colours: comments, strings and keywords, no more. Pure.

export type TokenKind = '' | 'comment' | 'string' | 'keyword';

export interface Token {
  kind: TokenKind;
  text: string;
}

/** What a line begins inside of: nothing, a block comment, a raw string. */
export type Inside = '' | '*' | '`';

const KEYWORDS = new Set(
  ('break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var').split(' '),
);

const TOKEN = /\/\/.*|\/\*|`|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[\p{L}_][\p{L}\p{N}_]*/gu;

/** The tokens of a line, and what the next one begins inside of. */
export function tokens(line: string, inside: Inside): { tokens: Token[]; inside: Inside } {
  const out: Token[] = [];
  let at = 0;
  const push = (kind: TokenKind, end: number) => {
    if (end <= at) return;
    const text = line.slice(at, end);
    const last = out[out.length - 1];
    if (last?.kind === kind) last.text += text;
    else out.push({ kind, text });
    at = end;
  };
  /** Takes what lasts until its closing; true if that is on this line. */
  const close = (kind: TokenKind, mark: string, from: number): boolean => {
    const end = line.indexOf(mark, from);
    push(kind, end < 0 ? line.length : end + mark.length);
    return end >= 0;
  };

  let state: Inside = inside;
  if (state === '*' && close('comment', '*/', 0)) state = '';
  else if (state === '`' && close('string', '`', 0)) state = '';
  while (state === '' && at < line.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(line);
    if (!found) break;
    push('', found.index);
    const text = found[0];
    const end = found.index + text.length;
    if (text === '/*') state = close('comment', '*/', end) ? '' : '*';
    else if (text === '`') state = close('string', '`', end) ? '' : '`';
    else if (text.startsWith('//')) push('comment', end);
    else if (text[0] === '"' || text[0] === "'") push('string', end);
    else push(KEYWORDS.has(text) ? 'keyword' : '', end);
  }
  push('', line.length);
  return { tokens: out, inside: state };
}
