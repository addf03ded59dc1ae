import { signal } from '@preact/signals';

/** Whether the choice of what to compare with is open. */
export const choosing = signal(false);

/** Whether the next drag on the timeline chooses the base of a comparison. */
export const picking = signal(false);

/** Whether the form of the time is open. */
export const timing = signal(false);
