import { describe, expect, it } from 'vitest';
import { keyScopes, match, registerKeys, type KeyBinding } from './keys';

const bind = (keys: string): KeyBinding => ({ keys, label: keys, run: () => {} });

describe('match', () => {
  const shell = { name: 'shell', bindings: [bind('/'), bind('g t'), bind('g g'), bind('Escape')] };
  const view = { name: 'view', bindings: [bind('n|ArrowRight'), bind('Escape'), bind('Space')] };
  const scopes = [shell, view];
  const found = (before: string, key: string) => match(scopes, before, key).complete.map((b) => b.keys);

  it('finds a key', () => expect(found('', '/')).toEqual(['/']));
  it('finds either way', () => expect([found('', 'n'), found('', 'ArrowRight')]).toEqual([['n|ArrowRight'], ['n|ArrowRight']]));
  it('finds one key after the other', () => expect(found('g', 't')).toEqual(['g t']));
  it('waits for the second key', () => {
    expect(found('', 'g')).toEqual([]);
    expect(match(scopes, '', 'g').begins).toBe(true);
    expect(match(scopes, '', '/').begins).toBe(false);
  });
  it('can have the same key twice', () => expect(found('g', 'g')).toEqual(['g g']));
  it('asks whoever came last first', () => {
    expect(match(scopes, '', 'Escape').complete).toEqual([view.bindings[1], shell.bindings[3]]);
  });
  it('finds nothing in a sequence for a single key', () => expect(found('g', '/')).toEqual([]));
});

describe('registerKeys', () => {
  it('takes away what it added', () => {
    const before = keyScopes.value;
    const remove = registerKeys('a', [bind('x')]);
    expect(keyScopes.value.at(-1)?.name).toBe('a');
    remove();
    expect(keyScopes.value).toEqual(before);
  });
});
