import { beforeAll, expect, test, vi } from 'vitest';
import type * as Profiles from './profiles';
import type * as StateModule from './state';

let m: typeof Profiles;
let s: typeof StateModule;
beforeAll(async () => {
  vi.stubEnv('TZ', 'UTC');
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('history', { pushState: () => {}, replaceState: () => {} });
  vi.stubGlobal('fetch', async (url: string) => {
    const types = url.endsWith('/heap') ? ['alloc_space', 'inuse_space'] : url.endsWith('/cpu') ? ['samples', 'cpu'] : [];
    const profile = { sampleTypes: types.map((type) => ({ type, unit: '' })), defaultSampleType: 1 };
    return Response.json(
      types.length > 0 ? { profile, warnings: [] } : { error: { message: 'gone' } }, { status: types.length > 0 ? 200 : 404 },
    );
  });
  m = await import('./profiles');
  s = await import('./state');
});

test.each([
  ['heap', 'inuse_space', 'inuse_space'],
  ['cpu', 'inuse_space', undefined],
  ['cpu', 'cpu', 'cpu'],
  ['cpu', undefined, undefined],
  ['nothing', 'inuse_space', 'inuse_space'],
])('of %s with the sample type %s chosen %s is left', async (id, before, after) => {
  const options: Record<string, string> = before === undefined ? { focus: 'x' } : { focus: 'x', sample_index: before };
  s.go({ profile: ['old'], options });
  await m.choose('profile', [id]);
  expect(s.state.peek().profile).toEqual([id]);
  expect(s.state.peek().options).toEqual(after === undefined ? { focus: 'x' } : { focus: 'x', sample_index: after });
});

test.each([
  [['a/cpu.pb.gz', 'b/heap.pb.gz'], ['cpu.pb.gz', 'heap.pb.gz']],
  [['x/a/cpu.pb.gz', 'x/b/cpu.pb.gz'], ['a/cpu.pb.gz', 'b/cpu.pb.gz']],
  [['x/a/cpu.pb.gz', 'y/a/cpu.pb.gz', 'cpu.pb.gz'], ['x/a/cpu.pb.gz', 'y/a/cpu.pb.gz', 'cpu.pb.gz']],
  [['/a/cpu.pb.gz', '/b/mycpu.pb.gz'], ['cpu.pb.gz', 'mycpu.pb.gz']],
  [['/cpu.pb.gz', 'x/cpu.pb.gz'], ['/cpu.pb.gz', 'x/cpu.pb.gz']],
  [['C:\\a\\cpu.pb.gz', 'C:\\b\\cpu.pb.gz'], ['a\\cpu.pb.gz', 'b\\cpu.pb.gz']],
  [['cpu.pb.gz', 'cpu.pb.gz'], ['cpu.pb.gz · 00000000', 'cpu.pb.gz · 11111111']],
  [
    ['20261129-115203-ae2c:Count-2/cpu', '20261129-115231-b674:Count-2/cpu'],
    ['11:52:03 Count-2/cpu, 29 Nov', '11:52:31 Count-2/cpu, 29 Nov'],
  ],
  [['http://a:1/debug/pprof/heap', 'http://b:1/debug/pprof/heap'], ['a:1 heap', 'b:1 heap']],
])('%j are told apart', (names, shown) => {
  const ids = names.map((_, i) => String(i).repeat(40));
  m.profiles.value = names.map((name, i) => ({ id: ids[i]!, name, state: 'ready', merged: 1 }) as never);
  expect(ids.map((id) => m.distinctName(id))).toEqual(shown);
});

test('profiles of two runs are told apart by their commits, if these differ', () => {
  const [a, b] = ['20261129-115203-ae2c:Count-2/cpu', '20261129-115231-b674:Count-2/cpu'] as const;
  m.profiles.value = [];
  s.go({ base: [a], profile: [b] });
  m.commits.value = { '20261129-115203-ae2c': 'a9cb548', '20261129-115231-b674': 'a9cb548+dirty' };
  expect([a, b].map(m.distinctName)).toEqual(['a9cb548 Count-2/cpu, 29 Nov 11:52:03', 'a9cb548+dirty Count-2/cpu, 29 Nov 11:52:31']);
  expect(m.shownName([a])).toBe('a9cb548 Count-2/cpu, 29 Nov 11:52:03');
  m.commits.value = { '20261129-115203-ae2c': 'a9cb548', '20261129-115231-b674': 'a9cb548' };
  expect(m.distinctName(a)).toBe('11:52:03 Count-2/cpu, 29 Nov');
  // Both sides of one run.
  s.go({ base: [b.replace(':', ':base/')], profile: [b] });
  m.commits.value = { '20261129-115231-b674 base': 'a9cb548', '20261129-115231-b674': '1234567' };
  expect(m.distinctName(b.replace(':', ':base/'))).toBe('a9cb548 Count-2/cpu, 29 Nov 11:52:31');
});
