import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as CommandModule from './command';
import type { State, ViewID } from './state';

let m: typeof CommandModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://h:1' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./command');
});

describe('shellQuote', () => {
  it.each([
    ['cpu.pb.gz', 'cpu.pb.gz'],
    ['-focus=json', '-focus=json'],
    ['a b', "'a b'"],
    ["it's", `'it'\\''s'`],
    ['$(rm -rf ~)', `'$(rm -rf ~)'`],
    ['`x`', "'`x`'"],
    ['a\nb', "$'a\\012b'"],
    ["\u001b[201~it's\r\\", "$'\\033[201~it\\'s\\015\\\\'"],
    ['right\u202eleft', "$'right\\342\\200\\256left'"],
    ['=ls', "'=ls'"],
    ['!x', "'!x'"],
    ['~root', "'~root'"],
    ['', "''"],
    ['http://h:1/p?seconds=5', "'http://h:1/p?seconds=5'"],
    ['^a$', "'^a$'"],
  ])('%j', (word, want) => {
    expect(m.shellQuote(word)).toBe(want);
  });
});

describe('withToken', () => {
  it('puts the token of the shell into addresses of this server, and nothing else', () => {
    const command = "hone top '-diff_base=http://h:1/api/v1/pprof?q=%7B%7D' 'http://h:1/api/v1/pprof?q=a' 'http://other/api/v1/x?'";
    expect(m.withToken(command)).toBe(
      `hone top '-diff_base=http://x:'"$HONE_TOKEN"'@h:1/api/v1/pprof?q=%7B%7D' 'http://x:'"$HONE_TOKEN"'@h:1/api/v1/pprof?q=a' `
      + "'http://other/api/v1/x?'",
    );
    expect(m.withToken('hone query -server=http://h:1 -history {}')).toBe('hone query -server=http://h:1 -history {}');
  });
});

describe('commandsOf', () => {
  const at = (view: ViewID, change: Partial<State> = {}): State => ({
    view, profile: ['1'], base: [], options: {}, fn: '', search: '', own: {}, ...change,
  });
  const cases: [string, State, string[], string[], string, string, string][] = [
    ['top', at('top'), ['cpu.pb.gz'], [], '', 'hone top cpu.pb.gz', 'go tool pprof -top cpu.pb.gz'],
    [
      'options',
      at('top', { options: {
        focus: 'a|b', noinlines: 'true', granularity: 'lines', trim: 'false', nodecount: '5', sample_index: 'alloc_space',
      } }),
      ['m.pb.gz'], [], '',
      "hone top -sample_index=alloc_space '-focus=a|b' -lines -noinlines -nodecount=5 -trim=false m.pb.gz",
      "go tool pprof -top -sample_index=alloc_space '-focus=a|b' -lines -noinlines -nodecount=5 -trim=false m.pb.gz",
    ],
    [
      'your code, which pprof knows nothing of', at('top', { options: { mine: 'true', focus: 'x' } }), ['c'], [], '',
      'hone top -focus=x -mine c', 'go tool pprof -top -focus=x c',
    ],
    [
      'source of what a function calls out to',
      at('source', { fn: 'main.f via sort.Slice', options: { mine: 'main|shop' } }), ['c'], [], '',
      "hone list '-mine=main|shop' '^main\\.f$' c", "go tool pprof '-list=^main\\.f$' c",
    ],
    [
      'a flame graph', at('flame', { own: { inverted: '1' } }), ['c'], [], '', 'hone flame -o flame.html -inverted c',
      'go tool pprof -http=localhost: c',
    ],
    [
      'source of the selected function', at('source', { fn: 'main.(*T).Run' }), ['c'], [], '', "hone list '^main\\.\\(\\*T\\)\\.Run$' c",
      "go tool pprof '-list=^main\\.\\(\\*T\\)\\.Run$' c",
    ],
    ['what the view asked for', at('peek', { fn: 'x' }), ['c'], [], 'json', 'hone peek json c', 'go tool pprof -peek=json c'],
    [
      'a comparison', at('top', { options: { normalize: 'true' } }), ['new'], ['old'], '', 'hone top -normalize -diff_base=old new',
      'go tool pprof -top -normalize -diff_base=old new',
    ],
    ['a table of changes', at('diff'), ['new'], ['old'], '', 'hone diff old new', 'go tool pprof -top -diff_base=old new'],
    [
      'runs', at('diff'), ['n1', 'n2'], ['o1', 'o2'], '', 'hone diff -base=o1 -base=o2 n1 n2',
      'go tool pprof -top -diff_base=o1 -diff_base=o2 n1 n2',
    ],
    [
      'a history, of all of the timeline',
      at('history', {
        profile: ['sel:q=cpu%7Bservice%3D%22api%22%7D&from=1790000060000&to=1790000120500&top=0.05'],
        options: { sort: 'cum', mine: 'true', nodecount: '5' }, own: { span: '1790000000000-1790000120000' },
      }),
      ['u'], [], '',
      "hone query -server=http://h:1 -history -from=2026-09-21T14:13:20Z -to=2026-09-21T14:15:20Z -weight=0.05 -mine -cum -points=60 "
        + "-limit=40 'cpu{service=\"api\"}'",
      'go tool pprof -top -nodecount=5 -cum u',
    ],
    [
      'single profiles, of what is selected',
      at('records', {
        profile: ['sel:q=cpu&from=1790000060000&to=1790000120500&sample_type=samples'], own: { span: '1790000000000-1790000120000' },
      }),
      ['u'], [], '',
      'hone query -server=http://h:1 -records -from=2026-09-21T14:14:20Z -to=2026-09-21T14:15:20.500Z -sample_index=samples '
        + '-limit=5000 cpu',
      'go tool pprof -top u',
    ],
    ['a graph', at('graph'), ['c'], [], '', 'hone svg -output=graph.svg c', 'go tool pprof -svg c'],
  ];
  it.each(cases)('%s', (_, s, sources, bases, match, hone, pprof) => {
    expect(m.commandsOf(s, sources, bases, match)).toEqual({ hone, pprof });
  });
});
