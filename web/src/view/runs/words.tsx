// What the pages of runs say in the same words.

import { zoneText } from '../../state/selection';
import type { Environment, Revision, Run, Verdict } from '../../api/runs';

/** The branch and the revision of a run, the branch once. */
export function revisionIn({ head, revision }: { head?: Pick<Revision, 'branch' | 'name'>; revision: string }): string {
  return head?.branch && head.branch !== head.name ? `${head.branch} · ${revision}` : revision;
}

/** When a run was measured, by the page's clock; where it stands alone, with its zone. */
export const whenIn = (iso: string): string => `${when(iso)} ${zoneText(Date.parse(iso))}`;

export function when(iso: string): string {
  const d = new Date(iso);
  return `${d.toLocaleDateString('en-CA')} ${d.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
}

/** When each of some runs was measured, with seconds for runs of the same minute. */
export function whenAmong(isos: readonly string[]): (iso: string) => string {
  const count = new Map<string, number>();
  for (const text of isos.map(when)) count.set(text, (count.get(text) ?? 0) + 1);
  return (iso) => {
    const text = when(iso);
    return (count.get(text) ?? 0) > 1 ? `${text}:${String(new Date(iso).getSeconds()).padStart(2, '0')}` : text;
  };
}

/** The day alone, where there is little room. */
export const dayText = (iso: string): string => new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });

export function machineOf(env: Environment | undefined): string {
  if (!env) return '';
  return [env.cpu, `${env.goos}/${env.goarch}`, env.cores === 1 ? 'one core' : `${env.cores} cores`].filter(Boolean).join(', ');
}

export function factsOf(env: Environment): [string, string][] {
  const all: [string, string | undefined][] = [
    ['CPU', env.cpu], ['System', `${env.goos}/${env.goarch}`], ['Cores', String(env.cores)], ['Go', env.go], ['Governor', env.governor],
    ['Load', env.load], ['GOMAXPROCS', env.gomaxprocs], ['GOGC', env.gogc], ['GOMEMLIMIT', env.gomemlimit], ['GODEBUG', env.godebug],
    ['GOFLAGS', env.goflags],
  ];
  return all.filter((f): f is [string, string] => !!f[1]);
}

/** What is to be known of a run at a glance. */
export function Marks({ run }: { run: Pick<Run, 'state' | 'head' | 'base'> }) {
  return (
    <>
      {run.state !== 'complete' && <span class="badge badge-bad">{run.state}</span>}
      {run.head?.dirty && <span class="badge" title="Measured with uncommitted changes">uncommitted</span>}
      {run.base && <span class="badge" title="Measured interleaved with a base">with base</span>}
    </>
  );
}

/** The class of a verdict's colour, and the sign beside a change that is one. */
export const verdicts: Record<Verdict, { kind: string; sign: string }> = {
  worse: { kind: 'more', sign: '▲' },
  better: { kind: 'less', sign: '▼' },
  differs: { kind: '', sign: '≠' },
  'no change': { kind: 'soft', sign: '' },
  'within budget': { kind: 'soft', sign: '' },
  'other clock': { kind: 'soft', sign: '' },
  inconclusive: { kind: 'soft', sign: '' },
  'one side only': { kind: 'soft', sign: '' },
  'same code': { kind: 'soft', sign: '' },
};

/** A verdict in words that say what to do; others are as in a terminal. */
export function verdictText(verdict: Verdict, words: string): string {
  if (verdict === 'inconclusive') return 'too few samples: measure more';
  return verdict === 'same code' ? 'not affected by the change' : words;
}

/** Direction of a change with its verdict: worse may be up or down. */
export function signOf(verdict: Verdict, change: number | null, neutral: number): string {
  if (change === null || (verdict !== 'worse' && verdict !== 'better' && verdict !== 'differs')) return verdicts[verdict].sign;
  return change > neutral ? '▲' : '▼';
}

/** A change as a row has it: nothing where there is none to tell. */
export function rowChange(change: string, verdict: Verdict): string {
  if (/^[-~]?$/.test(change)) return '';
  return changed(verdict) ? change : change.replace(/^[-+−]0(\.0+)?%$/, '0%');
}

/** A change with its verdict. One that says which way has no sign: "83.9% faster". */
export function judgedText(verdict: Verdict, shown: { change: string; verdict: string }): string {
  const [change, words] = [rowChange(shown.change, verdict), verdictText(verdict, shown.verdict)];
  return `${/^(faster|slower)\b/.test(words) ? change.replace(/^[-+−]/, '') : change} ${words}`.trim();
}

export const changed = (v: Verdict): boolean => v === 'better' || v === 'worse' || v === 'differs';
