// What is shown, as a command for a terminal.

import { origin } from './address';
import { HISTORY, historyOptions, MOST_ENDPOINTS, MOST_RECORDS, optionSpecs } from './options';
import { mineAsked } from './mine';
import { exactly, writtenIn } from './pattern';
import { isSelection, parseSelection, parseSpan } from './selection';
import { OPTIONS, type State } from './state';

/** A word as a shell takes it literally. */
export function shellQuote(word: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  // A terminal acts on pasted control characters, even inside quotes. Characters that change the direction of text hide what it says.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word)) return `$'${[...word].map(escaped).join('')}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A character between $' and ', as bash, zsh and ksh read it. */
function escaped(c: string): string {
  if (c === "'" || c === '\\') return `\\${c}`;
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(c)) return c;
  return [...new TextEncoder().encode(c)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

export interface Commands {
  hone: string;
  pprof: string;
}

/**
 * The commands that print what a view shows. profiles and bases are the names of
 * its profiles; match is the pattern that source, disassembly and peek ask for.
 */
export function commandsOf(s: State, profiles: readonly string[], bases: readonly string[], match = ''): Commands {
  const file = (name: string) => (/^-./.test(name) ? `./${name}` : name); // not a flag
  const sources = profiles.map(file);
  const fn = s.view === 'source' || s.view === 'disasm' ? writtenIn(s.fn) : s.fn;
  const pattern = match || (fn ? exactly(fn) : '.');
  const mine = mineAsked(s).replace('auto', 'true');
  const flags = flagsOf({ ...s.options, mine });
  const diff = bases.map((b) => `-diff_base=${b}`);
  const { mine: _, ...theirs } = s.options; // which pprof has not
  const tool = (verb: string) => words('go', 'tool', 'pprof', verb, ...flagsOf(theirs), ...diff, ...sources);
  switch (s.view) {
    case 'flame': {
      const own = ['inverted', 'collapse'].filter((name) => s.own[name] === '1').map((name) => `-${name}`);
      const out = bases.length > 0 ? 'diff.html' : 'flame.html';
      return { hone: words('hone', 'flame', '-o', out, ...own, ...flags, ...diff, ...sources), pprof: tool('-http=localhost:') };
    }
    case 'diff':
      return {
        hone: words(
          'hone', 'diff', ...flags, ...(bases.length === 1 && sources.length === 1 ? bases.map(file) : bases.map((b) => `-base=${b}`)),
          ...sources,
        ),
        pprof: tool('-top'),
      };
    case 'source':
      return { hone: words('hone', 'list', ...flags, ...diff, pattern, ...sources), pprof: tool(`-list=${pattern}`) };
    case 'disasm':
      return { hone: words('hone', 'disasm', ...flags, ...diff, pattern, ...sources), pprof: tool(`-disasm=${pattern}`) };
    case 'peek':
    case 'sandwich':
      return { hone: words('hone', 'peek', ...flags, ...diff, pattern, ...sources), pprof: tool(`-peek=${pattern}`) };
    case 'graph':
      return { hone: words('hone', 'svg', '-output=graph.svg', ...flags, ...diff, ...sources), pprof: tool('-svg') };
    case 'advice':
      return { hone: words('hone', 'advise', ...sources), pprof: tool('-top') };
    case 'growth':
      return { hone: queryCommand(s, 'history') ?? words('hone', 'top', '-lines', ...flags, ...sources), pprof: tool('-lines') };
    case 'history':
    case 'endpoints':
    case 'records':
      return { hone: queryCommand(s, s.view) ?? words('hone', 'top', ...flags, ...diff, ...sources), pprof: tool('-top') };
    case 'top':
    case 'traces':
    case 'tags':
    case 'raw':
      return { hone: words('hone', s.view, ...flags, ...diff, ...sources), pprof: tool(`-${s.view}`) };
  }
}

/** A command that reads this server's profiles as one who may: their addresses get the token of the shell's HONE_TOKEN. */
export function withToken(command: string): string {
  const [scheme, host] = origin().split('://') as [string, string];
  return command.replaceAll(`${scheme}://${host}/api/v1/`, `${scheme}://x:'"$HONE_TOKEN"'@${host}/api/v1/`); // addresses are in quotes
}

/** What prints a table that only selections have; null for other profiles. */
function queryCommand({ profile: [id], base, options, own }: State, view: 'history' | 'endpoints' | 'records'): string | null {
  if (!isSelection(id)) return null;
  const sel = parseSelection(id, Date.now());
  // A history is of all of the timeline, and so are the profiles around a single one.
  const span = (view === 'history' || sel.id ? parseSpan(own.span) : null) ?? sel;
  const time = (name: string, t: number) => (t ? [`-${name}=${new Date(t).toISOString().replace('.000Z', 'Z')}`] : []);
  const heeded = { sort: options.sort ?? '', ...historyOptions({ base, options }, true) };
  const flags = view === 'history'
    ? [...flagsOf(heeded), `-points=${HISTORY.points}`, `-limit=${HISTORY.rows}`]
    : [`-limit=${view === 'records' ? MOST_RECORDS : MOST_ENDPOINTS}`];
  const type = options.sample_index ?? sel.sampleType;
  return words(
    'hone', 'query', `-server=${origin()}`, `-${view}`, ...time('from', span.from), ...time('to', span.to),
    ...(sel.top && sel.top !== '1' ? [`-weight=${sel.top}`] : []), ...(type ? [`-sample_index=${type}`] : []), ...flags, sel.q || '{}',
  );
}

function words(...all: string[]): string {
  return all.map(shellQuote).join(' ');
}

/** Options as flags. Of a choice, each value is a flag of its own, in both tools. */
function flagsOf(options: State['options']): string[] {
  const flags: string[] = [];
  for (const name of OPTIONS) {
    const value = options[name];
    if (value === undefined || value === '' || name === 'base_total') continue; // which no command has
    const kind = name === 'normalize' || name === 'mine' ? 'flag' : optionSpecs.find((o) => o.name === name)?.kind;
    if (kind === 'choice') flags.push(`-${value}`);
    else if (kind === 'flag' && /^(1|true|t|yes|y)$/i.test(value)) flags.push(`-${name}`);
    else flags.push(`-${name}=${value}`);
  }
  return flags;
}
