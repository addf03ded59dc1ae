// Where the page is. Nothing else touches the browser's location and history:
// what is shown is made of where, and goes elsewhere by visit.

import { signal, type ReadonlySignal } from '@preact/signals';

/** How links stand in the address; as what they are, unless keepInFragment says otherwise. */
let read = () => location.pathname + location.search;
let write = (link: string) => link;

const now = signal(read());

/** The link to what is shown: its path and query. */
export const where: ReadonlySignal<string> = now;

export type How = 'push' | 'replace';

/**
 * Shows what a link is to. A step the user would want to undo with the browser's
 * back button is pushed; with replace (typing, panning) it takes the last one's place.
 */
export function visit(link: string, how: How): void {
  if (link === now.peek()) return;
  try {
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', write(link));
  } catch {
    // Safari allows 100 changes in half a minute, and a page in a sandbox none: the address stays behind.
  }
  now.value = link;
}

/** Path and query of a link. */
export function cut(link: string): [string, string] {
  const at = link.indexOf('?');
  return at < 0 ? [link, ''] : [link.slice(0, at), link.slice(at + 1)];
}

addEventListener('popstate', () => {
  now.value = read();
});

/** Keeps links in the fragment, for a page whose path and query are those of a file. */
export function keepInFragment(linkOf: (fragment: string) => string, fragmentOf: (link: string) => string): void {
  read = () => linkOf(location.hash.slice(1));
  write = (link) => `#${fragmentOf(link)}`;
  now.value = read();
}

/** The whole address, to be given to others. */
export const address = (): string => location.href;

/** The server that the page is of. */
export const origin = (): string => location.origin;

export const reload = (): void => location.reload();

export const back = (): void => history.back();

/** Leaves for a page that is none of ours to draw. */
export const leave = (to: string): void => location.assign(to);
