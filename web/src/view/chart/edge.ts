// Where plots of the same time that are below each other begin.

import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

const needs = signal<ReadonlyMap<string, number>>(new Map());

/**
 * The left edge of a plot in px: it says how much room its values need, and gets as much as the one that needs most, so that a time is
 * at the same place in all. '' is alone.
 */
export function useEdge(name: 'timeline' | 'chart' | '', need: number): number {
  useLayoutEffect(() => {
    if (!name) return;
    needs.value = new Map(needs.peek()).set(name, need);
    return () => {
      const rest = new Map(needs.peek());
      rest.delete(name);
      needs.value = rest;
    };
  }, [name, need]);
  return name ? Math.max(need, ...needs.value.values()) : need;
}
