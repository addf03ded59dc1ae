// Whether the strip above the views is folded: taste, which belongs to the browser and not to a link.

import { signal } from '@preact/signals';

const KEY = 'hone.summary';

function stored(): boolean {
  try {
    return localStorage.getItem(KEY) === 'folded';
  } catch {
    return false; // storage may be forbidden
  }
}

export const collapsed = signal(stored());

export function setCollapsed(value: boolean): void {
  collapsed.value = value;
  try {
    if (value) localStorage.setItem(KEY, 'folded');
    else localStorage.removeItem(KEY);
  } catch {
    // Then it holds for this page only.
  }
}
