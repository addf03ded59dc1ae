import { signal } from '@preact/signals';

/** Whether the next drag on the timeline chooses the base of a comparison. */
export const picking = signal(false);
