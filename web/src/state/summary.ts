// Whether the strip above the views is folded: taste, which belongs to the browser and not to a link.

import { signal } from '@preact/signals';
import { keep, kept } from './taste';

const KEY = 'hone.summary';

export const collapsed = signal(kept(KEY) === 'folded');

export function setCollapsed(value: boolean): void {
  collapsed.value = value;
  keep(KEY, value ? 'folded' : null);
}
