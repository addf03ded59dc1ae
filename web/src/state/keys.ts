// The keyboard: who listens to which key, and for the help, why. Views come and
// go with theirs; whoever came last goes first.

import { signal } from '@preact/signals';

export interface KeyBinding {
  /**
   * As KeyboardEvent.key names it, so Shift is in it ("?", "G"); space is "Space".
   * "g t" is one key after the other, "n|ArrowRight" are two ways.
   */
  keys: string;
  /** What it does, for the help. */
  label: string;
  /** false: not for this one, let it pass. */
  run: (e: KeyboardEvent) => void | boolean;
}

export interface KeyScope {
  name: string;
  bindings: readonly KeyBinding[];
}

/** All that listen, in the order they came. The help lists them. */
export const keyScopes = signal<readonly KeyScope[]>([]);

export function registerKeys(name: string, bindings: readonly KeyBinding[]): () => void {
  const scope = { name, bindings };
  keyScopes.value = [...keyScopes.peek(), scope];
  return () => {
    keyScopes.value = keyScopes.peek().filter((s) => s !== scope);
  };
}

const SEQUENCE = 1200; // ms in which the second key has to follow

/** Finds the bindings that a key completes, given the one before it, the newest scope first. */
export function match(scopes: readonly KeyScope[], before: string, key: string): { complete: KeyBinding[]; begins: boolean } {
  const complete: KeyBinding[] = [];
  let begins = false;
  for (const scope of scopes.toReversed()) {
    for (const binding of scope.bindings) {
      for (const way of binding.keys.split('|')) {
        const wanted = way.split(' ');
        if (before === '' && wanted.length === 1 && wanted[0] === key) complete.push(binding);
        else if (before !== '' && wanted.length === 2 && wanted[0] === before && wanted[1] === key) complete.push(binding);
        else if (before === '' && wanted.length === 2 && wanted[0] === key) begins = true;
      }
    }
  }
  return { complete, begins };
}

/** Whether an element takes letters itself, so that no key may be taken from it. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type);
}

/** Enter and Space belong to whatever can be pressed. */
function takesPress(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a[href], summary, input, [role^=menuitem], [role=option]') !== null;
}

let before = '';
let beforeAt = 0;

export function onKeyDown(e: KeyboardEvent): void {
  // With a modifier it is the browser's or the system's.
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const key = e.key === ' ' ? 'Space' : e.key;
  if (key !== 'Escape' && takesText(e.target)) return;
  if ((key === 'Enter' || key === 'Space') && takesPress(e.target)) return;
  if (document.querySelector('dialog[open]')) return;
  const first = performance.now() - beforeAt < SEQUENCE ? before : '';
  before = '';
  let found = match(keyScopes.peek(), first, key);
  if (first !== '' && found.complete.length === 0) found = match(keyScopes.peek(), '', key);
  for (const binding of found.complete) {
    if (binding.run(e) === false) continue;
    e.preventDefault();
    return;
  }
  if (found.begins) {
    before = key;
    beforeAt = performance.now();
    e.preventDefault();
  }
}
