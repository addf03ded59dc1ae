import { useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import { useStable, type Step } from './useSearch';

/**
 * Steps through the rows that a search has marked within an element: each is brought into sight, and what can be
 * pressed in it gets the focus.
 */
export function useMarked(box: RefObject<HTMLElement | null>): Step {
  const last = useRef<Element | null>(null);
  return useStable((direction) => {
    const all = [...(box.current?.querySelectorAll('.marked') ?? [])];
    const at = last.current ? all.indexOf(last.current) : -1;
    const next = all.at(at < 0 ? (direction > 0 ? 0 : -1) : (at + direction) % all.length);
    if (!next) return;
    last.current = next;
    next.scrollIntoView({ block: 'center' });
    const pressed = next.matches('button, a') ? next as HTMLElement : next.querySelector<HTMLElement>('button, a');
    pressed?.focus({ preventScroll: true });
  });
}
