import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as PermalinkModule from './permalink';
import type * as StateModule from './state';

let m: typeof PermalinkModule;
let state: typeof StateModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://h:1' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./permalink');
  state = await import('./state');
});

const NOW = 1_700_000_000_000;
const sel = (query: string) => `sel:${query}`;

describe('permalink', () => {
  const cases: [string, string, string][] = [
    ['a time in words becomes absolute', 'q=cpu&from=-1h&to=now', `q=cpu&from=${NOW - 3_600_000}&to=${NOW}`],
    ['no end ends now', 'q=cpu&from=1000', `q=cpu&from=1000&to=${NOW}`],
    ['an end in the future ends now', `q=cpu&from=1000&to=${NOW + 5000}`, `q=cpu&from=1000&to=${NOW}`],
    ['the past stays', 'q=cpu&from=1000&to=2000&per=second', 'q=cpu&from=1000&to=2000&per=second'],
    ['a single profile stays', 'id=abc', 'id=abc'],
  ];
  it.each(cases)('%s', (_, given, want) => {
    const link = `http://h:1/top?profile=${encodeURIComponent(sel(given))}&base=${encodeURIComponent(sel(given))}&live=1h&by=zone&focus=x`;
    const url = new URL(m.permalink(link, true, NOW));
    expect(url.origin + url.pathname).toBe('http://h:1/top');
    expect(url.searchParams.get('profile')).toBe(sel(want));
    expect(url.searchParams.get('base')).toBe(sel(want));
    expect([url.searchParams.get('live'), url.searchParams.get('by'), url.searchParams.get('focus')]).toEqual([null, 'zone', 'x']);
  });

  it('leaves files and other pages alone', () => {
    const file = 'http://h:1/source?profile=0123abcd&fn=main.f&at=12';
    expect(state.parse(new URL(m.permalink(file, true, NOW)).search)).toEqual(state.parse(new URL(file).search));
    expect(m.permalink('http://h:1/runs?find=a', false, NOW)).toBe('http://h:1/runs?find=a');
  });
});
