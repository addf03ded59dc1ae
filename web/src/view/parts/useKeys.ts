import { useLayoutEffect, useRef } from 'preact/hooks';
import { registerKeys, type KeyBinding } from '../../state/keys';

/**
 * Listens to keys while the component is there; scope is their heading in the
 * help. What run does may change with every rendering; keys and labels stay.
 */
export function useKeys(scope: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useLayoutEffect( // a key may come as soon as the page is seen
    () => registerKeys(scope, latest.current.map((b, i) => ({ ...b, run: (e) => latest.current[i]!.run(e) }))),
    [scope, bindings.map((b) => b.keys).join(' ')],
  );
}
