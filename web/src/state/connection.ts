// Whether the server answers. When it stops, the page asks now and then until it
// is back; reports that failed meanwhile are asked for again.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onLogin, onReach, ping } from '../api/client';
import { leave, where } from './address';

export const connection = signal<'up' | 'down'>('up');

const PATIENCE = [1000, 2000, 4000, 8000]; // ms between attempts, the last for good
let timer: ReturnType<typeof setTimeout> | undefined;
let attempts = 0;

function wait(): void {
  clearTimeout(timer);
  timer = setTimeout(tryAgain, PATIENCE[Math.min(attempts++, PATIENCE.length - 1)]);
}

/** Asks whether the server is there, now. */
export async function tryAgain(): Promise<void> {
  clearTimeout(timer);
  if (!(await ping())) wait();
}

onReach((reached) => {
  if (reached) {
    attempts = 0;
    clearTimeout(timer);
    connection.value = 'up';
  } else if (connection.peek() === 'up') {
    connection.value = 'down';
    wait();
  }
});

/** Leads to where one logs in, and from there back to here. */
onLogin(() => leave(`/login?to=${encodeURIComponent(where.peek())}`));

/** Asks again, once the server is back, for what was lost because it was away. */
export function useReturn(lost: boolean, retry: () => void): void {
  const up = connection.value === 'up';
  useEffect(() => {
    if (lost && up) retry();
  }, [lost, up]);
}
