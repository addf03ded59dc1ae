// Where there is room, the table of functions stands beside the flame graph. How wide
// it is is taste, which belongs to the browser and not to a link.

import { computed, signal } from '@preact/signals';
import { state } from './state';
import { keep, kept } from './taste';

const ROOM = matchMedia('(min-width: 75rem)'); // 1,200 px

/** Whether the window has room for both. */
export const roomy = signal(ROOM.matches);
ROOM.addEventListener('change', () => { roomy.value = ROOM.matches; });

/** Whether the table is beside the flame graph now. */
export const besideFlame = computed(() => state.value.view === 'flame' && state.value.own.beside === '1' && roomy.value);

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
