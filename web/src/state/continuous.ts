// What the server says of itself, asked for now and then while it is shown.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { status as ask, type Status } from '../api/continuous';
import { ApiError } from '../api/client';

export const status = signal<Status | null>(null);
export const statusError = signal<ApiError | null>(null);

/** Whether the server asks for a login. */
export const guarded = (): boolean => status.peek() !== null && status.peek()!.user.by !== 'none';

/** Increases with each change of markers, of which notes are some: what shows them asks again. */
export const markersRound = signal(0);
export const markersChanged = (): void => { markersRound.value++; };

const EVERY = 20_000; // ms
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Asks now. */
export async function askStatus(): Promise<void> {
  try {
    status.value = await ask();
    statusError.value = null;
  } catch (err) {
    statusError.value = err instanceof ApiError ? err : new ApiError(0, String(err));
  }
}

/** Keeps the status fresh while the component is there and the page is looked at. */
export function useStatus(): void {
  useEffect(() => {
    if (users++ === 0) {
      void askStatus();
      timer = setInterval(() => !document.hidden && void askStatus(), EVERY);
    }
    return () => {
      if (--users === 0) clearInterval(timer);
    };
  }, []);
}
