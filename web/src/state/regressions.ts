// How many regressions there are, asked for now and then while it is shown.

import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { regressionSummary, type RegressionSummary } from '../api/regressions';

/** null while unknown; what fails is told by the page of regressions. */
export const summary = signal<RegressionSummary | null>(null);

/** How many are open in all services. */
export const openCount = computed(() => (summary.value?.services ?? []).reduce((sum, s) => sum + s.open, 0));

/** How many of a service are open. */
export const openIn = (service: string): number => summary.value?.services.find((s) => s.name === service)?.open ?? 0;

const EVERY = 60_000; // ms
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Asks now. */
export async function askSummary(): Promise<void> {
  try {
    summary.value = await regressionSummary();
  } catch {
    // What is known stays.
  }
}

/** Keeps the summary fresh while the component is there and the page is looked at. */
export function useSummary(): void {
  useEffect(() => {
    if (users++ === 0) {
      void askSummary();
      timer = setInterval(() => !document.hidden && void askSummary(), EVERY);
    }
    return () => {
      if (--users === 0) clearInterval(timer);
    };
  }, []);
}
