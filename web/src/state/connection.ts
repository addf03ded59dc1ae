// Whether the server answers. When it stops, the page asks now and then until it
// is back; reports that failed meanwhile are asked for again.

import { signal } from '@preact/signals';
import { onReach, ping } from '../api/client';

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
