// Light or dark: taste, which belongs to the browser and not to a link.

import { signal } from '@preact/signals';
import { keep, kept } from './taste';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'hone.theme';

function stored(): Theme {
  const value = kept(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export const theme = signal<Theme>(stored());

theme.subscribe((value) => {
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  keep(KEY, value === 'system' ? null : value);
});

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark now; canvases are drawn by it. */
export const dark = signal(isDark());
function isDark(): boolean {
  return theme.peek() === 'dark' || (theme.peek() === 'system' && systemDark.matches);
}
theme.subscribe(() => { dark.value = isDark(); });
systemDark.addEventListener('change', () => { dark.value = isDark(); });
