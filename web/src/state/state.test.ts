import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as StateModule from './state';

// The state reads the address when it is loaded.
let m: typeof StateModule;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('history', { pushState: () => {}, replaceState: () => {} });
  m = await import('./state');
});

describe('links', () => {
  const links = [
    '/flame',
    '/top?profile=abc',
    '/flame?profile=a&profile=b&base=c',
    '/top?profile=a&focus=%5Eruntime%5C.mallocgc%24&hide=a%7Cb&nodecount=5',
    '/source?profile=a&fn=main.%28*T%29.Run%5Bgo.shape.int%5D',
    '/flame?profile=a&q=json%26x%3D1&zoom=17&inverted=1',
    '/diff?profile=a&base=b&normalize=true&order=-delta',
  ];
  it.each(links)('%s is what its state links to', (link) => {
    const s = m.parse(link);
    expect(m.parse(m.href(s))).toEqual(s);
    expect(m.href(s)).toBe(link);
  });

  it('leaves out what is at its default', () => {
    expect(m.href(m.parse('/top?focus=&q=&fn='))).toBe('/top');
  });

  it('takes an unknown path for the first view, and drops unknown parameters', () => {
    expect(m.parse('/nowhere?x=1&profile=a')).toMatchObject({ view: 'flame', profile: ['a'], options: {}, own: {} });
  });

  it('sends reports no settings of the page', () => {
    const s = m.parse('/flame?profile=a&base=b&focus=x&fn=f&q=g&zoom=3');
    expect(m.queryOf(s).toString()).toBe('profile=a&base=b&focus=x&mine=auto');
  });
});

describe('go', () => {
  it('changes only what it is given, and an option to its default by removing it', () => {
    m.go({ view: 'top', profile: ['a'] });
    m.setOption('focus', 'x');
    m.setOption('nodecount', '3');
    m.setOption('focus', '');
    expect(m.state.value).toMatchObject({ view: 'top', profile: ['a'], options: { nodecount: '3' } });
    expect(m.state.value.options).not.toHaveProperty('focus');
  });

  it('takes to another view only what means something there', () => {
    m.go({ view: 'top', profile: ['a'], fn: 'f', options: { focus: 'x' }, own: { find: 'y', order: 'name', zoom: '3' } });
    m.go({ view: 'diff' });
    expect(m.href(m.state.value)).toBe('/diff?profile=a&focus=x&fn=f&zoom=3');
    expect(m.inView(m.state.value, 'diff')).toBe(m.state.value);
  });
});
