// What advice says in the same words.

import '../table/table.css';
import type { Class, Finding, FindingState } from '../../api/advice';
import { hasRuns } from '../../state/profiles';
import { goRuns, runsHref } from '../../state/runs';
import { follow } from '../link';

export const classes: Record<Class, string> = {
  A: 'The rewrite never changes what the program does.',
  B: 'The rewrite does the same as far as the rule can tell. Review it.',
  C: 'Advice only: it needs a decision, or isn’t safe to automate.',
  look: 'What is known about a hot line. No rule has a pattern for it.',
};

/** The same in a word or two. */
export const classText: Record<Class, string> = { A: 'safe', B: 'review it', C: 'by hand', look: 'none' };

/** States by their names in files and in a terminal. */
const states: Record<FindingState, { text: string; kind: string; about: string }> = {
  hinted: { text: 'cost unknown', kind: '', about: 'No profile shows its cost' },
  bounded: { text: 'not tried', kind: '', about: 'Profiles show its cost; not tried yet' },
  patched: { text: 'not measured', kind: '', about: 'The rewrite builds and passes the tests, but no benchmark executes it' },
  confirmed: { text: 'better', kind: 'badge-good', about: 'Measured: it is better' },
  refuted: { text: 'not better', kind: 'badge-bad', about: 'Tests fail with the rewrite, or it isn’t better' },
  inconclusive: { text: 'too noisy', kind: '', about: 'Too much noise to tell' },
};

export function StateBadge({ state }: { state: FindingState }) {
  const { text, kind, about } = states[state] ?? { text: state, kind: '', about: '' };
  return <span class={`badge ${kind}`} title={`${about} (${state})`}>{text}</span>;
}

export function dayOf(iso: string): string {
  const d = new Date(iso);
  return Number.isNaN(d.getTime()) ? '' : d.toLocaleDateString('en-CA');
}

/** The measurement of a trial, where runs can be looked at. */
export function RunLink({ run }: { run: string | undefined }) {
  if (!run) return null;
  if (!hasRuns.value) return <code>hone compare {run}</code>;
  return <a href={runsHref({ page: 'run', run: [run] })} onClick={follow(() => goRuns({ page: 'run', run: [run] }))}>Measurement</a>;
}

/** The findings that are shown if not everything is asked for. */
export const shownOf = (all: readonly Finding[]): Finding[] => all.filter((f) => !f.folded && !f.little);
