import { beforeAll, expect, test, vi } from 'vitest';
import type * as Profiles from './profiles';
import type * as StateModule from './state';

let m: typeof Profiles;
let s: typeof StateModule;
beforeAll(async () => {
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
