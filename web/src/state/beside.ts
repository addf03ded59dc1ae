// In a wide window, the table of functions is next to the flame graph, unless it was hidden.
// Its width, and whether a wide window has it, are kept in the browser. A link says only
// whether the table is shown.

import { computed, signal } from '@preact/signals';
import { setOwn, state } from './state';
import { keep, kept } from './taste';

const ROOM = matchMedia('(min-width: 75rem)'); // 1,200 px

/** Whether the window has room for both. */
export const roomy = signal(ROOM.matches);
ROOM.addEventListener('change', () => { roomy.value = ROOM.matches; });

const WIDE = matchMedia('(min-width: 100rem)'); // 1,600 px
const wide = signal(WIDE.matches);
WIDE.addEventListener('change', () => { wide.value = WIDE.matches; });

const AWAY_KEY = 'hone.table.away';
const away = signal(kept(AWAY_KEY) === '1');

/** Whether the table is beside the flame graph now. */
export const besideFlame = computed(() => {
  const { view, own } = state.value;
  return view === 'flame' && roomy.value && (own.beside ? own.beside === '1' : wide.value && !away.value);
});

/** Shows the table next to the flame graph, or hides it. In a wide window, this is remembered. */
export function toggleTable(): void {
  const on = !besideFlame.peek();
  if (wide.peek()) {
    away.value = !on;
    keep(AWAY_KEY, on ? null : '1');
  }
  setOwn('beside', on ? '1' : wide.peek() ? '0' : '');
}

const KEY = 'hone.table';
/** The table's share of the width, in percent. */
export const NARROWEST = 20, WIDEST = 70, USUAL = 40;

export const within = (percent: number): number => Math.min(WIDEST, Math.max(NARROWEST, Math.round(percent)));

function stored(): number {
  const value = kept(KEY);
  return value !== null && Number.isFinite(Number(value)) ? within(Number(value)) : USUAL;
}

export const tableShare = signal(stored());

tableShare.subscribe((value) => keep(KEY, value === USUAL ? null : String(value)));
