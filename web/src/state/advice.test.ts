import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Finding } from '../api/advice';
import type * as AdviceModule from './advice';
import type * as StateModule from './state';

let m: typeof AdviceModule;
let s: typeof StateModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://localhost:4600' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('history', { pushState: () => {}, replaceState: () => {} });
  s = await import('./state');
  m = await import('./advice');
});

const finding: Finding = {
  id: 'x-1', rule: 'x', class: 'B', state: 'bounded', title: 'slow', why: '', symbol: 'm/p.(*T).F', file: '/src/m/p/f.go', line: 7,
  evidence: {}, bound: { time: 0 }, place: 'p/f.go:7', costs: [], profile: 'r:B/cpu',
};
const cpu = { value: 1, unit: 'nanoseconds', share: 0.5, samples: 1 };

describe('findings stand at lines of functions', () => {
  const places: [string, Parameters<typeof AdviceModule.findingsIn>[1], number][] = [
    ['the file itself', { name: 'm/p.G', file: '/src/m/p/f.go' }, 1],
    ['a file that was read in its place', { name: 'm/p.G', file: '/build/p/f.go', path: '/src/m/p/f.go' }, 1],
    ['the function, by another path', { name: 'm/p.(*T).F', file: 'm/p/f.go' }, 1],
    ['another function by another path', { name: 'm/p.G', file: 'm/p/f.go' }, 0],
    ['another file', { name: 'm/p.(*T).F', file: '/src/m/p/g.go' }, 0],
    ['Windows', { name: 'm/p.G', file: String.raw`\src\m\p\f.go` }, 1],
    ['no file', { name: 'm/p.G' }, 0],
  ];
  for (const [name, fn, count] of places) {
    test(name, () => expect(m.findingsIn([finding, { ...finding, file: '' }], fn).get(7)?.length ?? 0).toBe(count));
  }
});

describe('links of findings', () => {
  test('to the line, and to the stacks', () => {
    const source = m.findingState(finding, 'source')!;
    expect(source).toMatchObject({ view: 'source', profile: ['r:B/cpu'], fn: 'm/p.(*T).F', options: {}, own: { finding: 'x-1' } });
    const flame = m.findingState(finding, 'flame')!;
    expect(flame).toMatchObject({ options: { focus: String.raw`^m/p\.\(\*T\)\.F$` }, own: {} });
  });
  test('memory is what was allocated, or what is in use', () => {
    expect(m.findingState({ ...finding, evidence: { live: cpu } }, 'source')!.options).toEqual({ sample_index: 'inuse_space' });
    expect(m.findingState({ ...finding, evidence: { bytes: cpu } }, 'source')!.options).toEqual({ sample_index: 'alloc_space' });
    expect(m.findingState({ ...finding, evidence: { objects: cpu } }, 'source')!.options).toEqual({ sample_index: 'alloc_objects' });
    expect(m.findingState({ ...finding, evidence: { cpu, bytes: cpu } }, 'source')!.options).toEqual({});
  });
  test('a selection keeps its timeline', () => {
    const within = s.parse('/advice?profile=sel%3Aq%3Dcpu&by=version&zoom=7');
    const to = m.findingState({ ...finding, profile: 'sel:q=allocs' }, 'flame', within)!;
    expect(to.own).toEqual({ by: 'version' });
    expect(to.profile).toEqual(['sel:q=allocs']);
  });
  test('of no function there is none', () => expect(m.findingState({ ...finding, symbol: '' }, 'source')).toBe(null));
});

describe('the same advice in a terminal', () => {
  const now = Date.UTC(2026, 10, 23, 12);
  beforeAll(() => void vi.useFakeTimers({ now }));
  afterAll(() => void vi.useRealTimers());
  const selection = (from: number, to: number) => `sel:${new URLSearchParams({
    q: 'cpu{service="api", version="2"}', from: String(from), to: String(to),
  })}`;
  test('of a run and its profiles', () => {
    expect(m.adviceCommand({ run: 'latest' })).toBe('hone advise latest');
    expect(m.adviceCommand({ profiles: ['20261121-093000-00bb:Hash-2/cpu'] })).toBe('hone advise 20261121-093000-00bb');
  });
  test('of a selection up to now', () => {
    expect(m.adviceCommand({ profiles: [selection(now - 3_600_000, now)] }))
      .toBe(`hone advise -server http://localhost:4600 -service '{service="api", version="2"}' -last 60m`);
  });
  test('of a day that ended some minutes ago, as long as it is', () => {
    expect(m.adviceCommand({ profiles: [selection(now - 86_520_000, now - 120_000)] })).toMatch(/ -last 24h$/);
  });
  test('of one that ended', () => {
    const command = m.adviceCommand({ profiles: [selection(now - 7_200_000, now - 3_600_000)] });
    expect(command).toMatch(/^hone advise 'http:\/\/localhost:4600\/api\/v1\/pprof\?/);
  });
});

test('a question names all profiles', () => expect(m.adviceOnProfiles(['a', 'sel:q=b'])).toBe('profile=a&profile=sel%3Aq%3Db'));
