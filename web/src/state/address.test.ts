import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type * as AddressModule from './address';
import type * as PagesModule from './pages';
import type * as StateModule from './state';

/** A browser's address and history, as much of them as pages use. */
class Browser {
  links: string[];
  at = 0;
  pop = () => {};
  location = { pathname: '', search: '', hash: '' };

  constructor(link: string) {
    this.links = [link];
    this.show();
    vi.stubGlobal('location', this.location);
    vi.stubGlobal('history', {
      pushState: (_: unknown, __: string, to: string) => {
        this.links = [...this.links.slice(0, ++this.at), to];
        this.show();
      },
      replaceState: (_: unknown, __: string, to: string) => {
        this.links[this.at] = to;
        this.show();
      },
    });
    vi.stubGlobal('addEventListener', (_: string, listener: () => void) => {
      this.pop = listener;
    });
  }

  show(): void {
    const { pathname, search, hash } = new URL(this.links[this.at]!, 'http://hone/file.html');
    Object.assign(this.location, { pathname, search, hash });
  }

  walk(by: number): void {
    this.at += by;
    this.show();
    this.pop();
  }
}

let a: typeof AddressModule;
let pages: typeof PagesModule;
let views: typeof StateModule;

async function open(link: string): Promise<Browser> {
  const browser = new Browser(link);
  a = await import('./address');
  views = await import('./state');
  pages = await import('./pages');
  return browser;
}
beforeEach(() => vi.resetModules());

test('what is shown follows the address, back and forth', async () => {
  const browser = await open('/top?profile=a');
  views.go({ fn: 'f' });
  views.go({ search: 'x' }, 'replace');
  pages.goPage({ page: 'services' });
  pages.setPage({ find: 'shop' });
  expect(browser.links).toEqual(['/top?profile=a', '/top?profile=a&fn=f&q=x', '/services?find=shop']);
  browser.walk(-1);
  expect(pages.pageState.value).toBeNull();
  expect(views.state.value).toMatchObject({ view: 'top', fn: 'f', search: 'x' });
  browser.walk(-1);
  expect(views.state.value).toMatchObject({ view: 'top', fn: '', search: '' });
  browser.walk(2);
  expect(pages.pageState.value).toMatchObject({ page: 'services', find: 'shop', order: '' });
});

test('what views show outlives the pages beside them', async () => {
  const browser = await open('/top?profile=a&focus=x');
  pages.goPage({ page: 'status' });
  expect(views.state.value).toMatchObject({ view: 'top', profile: ['a'] });
  views.go({}); // back to it, by a link of the page
  expect(browser.links).toEqual(['/top?profile=a&focus=x', '/status', '/top?profile=a&focus=x']);
});

test('what is shown already is no step', async () => {
  const browser = await open('/top?focus=x&profile=a');
  views.go({ view: 'top' }); // whose link has the profile first
  a.visit('/top?focus=x&profile=a', 'push');
  expect(browser.links).toHaveLength(1);
});

test('a question mark is part of a text', async () => {
  await open('/services?find=a?b');
  expect(pages.pageState.value?.find).toBe('a?b');
});

test('an address that can not be changed stays behind', async () => {
  await open('/top');
  vi.stubGlobal('history', { pushState: () => { throw new Error('too often'); } });
  views.go({ fn: 'f' });
  expect(views.state.value.fn).toBe('f');
});

test('of a file, the fragment is what is shown', async () => {
  const browser = await open('/file.html');
  a.keepInFragment((fragment) => `/flame?${fragment || 'inverted=1'}`, (link) => link.split('?')[1] ?? 'inverted=0');
  expect(views.state.value).toMatchObject({ view: 'flame', own: { inverted: '1' } });
  views.setOwn('inverted', '');
  views.selectFunction('f', 'push');
  expect(browser.links).toEqual(['/file.html', '#inverted=0', '#fn=f']);
  browser.walk(-2);
  expect(views.state.value).toMatchObject({ fn: '', own: { inverted: '1' } });
});

test('no other module touches the address or the history of the browser', () => {
  const src = join(import.meta.dirname, '..');
  const touched = new RegExp(
    String.raw`\b(pushState|replaceState|popstate|hashchange)\b`
    + String.raw`|(?<![\w.'"-])((window|document|globalThis|self)\.)?(location\b|history(?=[.[]))`,
  );
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts') && name !== join('state', 'address.ts'));
  const others = modules.flatMap((name) => readFileSync(join(src, name), 'utf8').split('\n')
    .flatMap((line, i) => (touched.test(line.replace(/^\s*(\/\/|\/?\*).*/, '')) ? [`${name}:${i + 1}`] : [])));
  expect(others).toEqual([]);
});
