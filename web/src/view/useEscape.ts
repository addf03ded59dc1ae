import { useEffect } from 'preact/hooks';
import type { Signal } from '@preact/signals';

/** Ends a drag, whose state is a signal, when Escape is pressed. Nothing else gets that key. */
export function useEscape<T>(dragging: Signal<T | null>): void {
  const on = dragging.value !== null;
  useEffect(() => {
    if (!on) return;
    const cancel = (e: KeyboardEvent) => {
      if (e.key !== 'Escape') return;
      e.stopPropagation();
      e.preventDefault();
      dragging.value = null;
    };
    document.addEventListener('keydown', cancel, true);
    return () => document.removeEventListener('keydown', cancel, true);
  }, [on]);
}
