// One finding: what it costs, why, the rewrite, and what to do about it.

import './advice.css';
import type { Finding, Trial } from '../../api/advice';
import { findingState } from '../../state/advice';
import { go, href, type State } from '../../state/state';
import { follow } from '../link';
import { CommandText, copyText, IconButton } from '../parts';
import { percent } from './glance';
import { classes, dayOf, RunLink, StateBadge } from './words';

/** What hone fix does where no code is rewritten. */
const measures: Record<NonNullable<Finding['try']>, string> = {
  setting: 'measures settings of the garbage collector; changes no file',
  profile: 'measures benchmarks built with this profile, and keeps it as default.pgo if they are faster',
};

interface Props {
  finding: Finding;
  /** What became of rewrites, of this one too. */
  trials: readonly Trial[];
  /** Whether hone fix knows it; else the command that tells it. */
  kept: boolean;
  command: string;
  /** The view it is shown in, for links from there. */
  within?: State | undefined;
  /** Where it is shown beside its line, that is not told again. */
  inline?: boolean;
}

export function FindingBody({ finding: f, trials, kept, command, within, inline }: Props) {
  const tried = trials.filter((t) => t.finding === f.id);
  const callees = (f.evidence.callees ?? []).filter((c) => c.share >= 0.005).slice(0, 3);
  const elsewhere = (f.also ?? []).filter((a) => !a.title);
  const others = (f.evidence.subjects ?? []).filter((s) => s !== f.evidence.subject);
  return (
    <div class="finding-body">
      {!inline && f.text && <pre class="finding-line"><code>{f.text}</code></pre>}
      <p class="finding-why">{f.why}</p>
      <ul class="finding-facts">
        {(f.costs ?? []).map((c) => <li key={c}>{c.replaceAll(/(\d) %/g, '$1%')}</li>)}
        {callees.length > 0 && (
          <li>
            the whole line calls {callees.map((c, i) => (
              <span key={c.function}>{i > 0 && ', '}<span class="mono">{c.function}</span> {percent(c.share)}</span>
            ))}
          </li>
        )}
        {others.length > 0 && <li>also seen in {others.slice(0, 5).join(', ')}{others.length > 5 && ` and ${others.length - 5} more`}</li>}
        {(f.also ?? []).filter((a) => a.title).map((a) => <li key={a.id}>also: {a.title}{a.most && `, ${a.most}`} ({a.id})</li>)}
        {elsewhere.map((a) => (
          <li key={a.id} title={a.id}>also: line {a.line}{a.cost && `, ${a.cost.replaceAll(/(\d) %/g, '$1%')}`}</li>
        ))}
        {(f.facts ?? []).map((fact) => <li key={fact}>also known: {fact}</li>)}
        {(f.caveats ?? []).map((c) => <li key={c} class="finding-but"><b>but</b> {c}</li>)}
      </ul>
      {f.fix && <Diff text={f.fix.diff} />}
      {f.fix || f.try ? (
        <div class="finding-fix">
          <Command text={`hone fix ${f.id}`} />
          <span class="soft">
            {f.fix ? 'tests it, and keeps it if it is faster' : measures[f.try!]}
            {f.fix && f.class === 'B' && '; review the change'}
          </span>
          {!kept && (
            <p class="soft finding-first">
              First run <Command text={command} /> in the module’s folder, so that hone knows this finding.
            </p>
          )}
        </div>
      ) : <p class="soft">{classes[f.class === 'look' ? 'look' : 'C']}</p>}
      {tried.length > 0 && (
        <ul class="finding-tried" aria-label="Tried before">
          {tried.map((t) => (
            <li key={t.time}>
              <StateBadge state={t.state} /> {dayOf(t.time)}: {t.why}{t.caveat && ` But: ${t.caveat}.`} <RunLink run={t.run} />
            </li>
          ))}
        </ul>
      )}
      <FindingLinks finding={f} within={within} inline={inline} />
    </div>
  );
}

function FindingLinks({ finding, within, inline }: { finding: Finding; within: State | undefined; inline: boolean | undefined }) {
  const source = inline ? null : findingState(finding, 'source', within);
  const flame = findingState(finding, 'flame', within);
  const advice = inline && within ? { ...within, view: 'advice' as const, own: { ...within.own, finding: finding.id } } : null;
  const link = (to: State | null, text: string) => to && <a href={href(to)} onClick={follow(() => go(to))}>{text}</a>;
  return (
    <p class="finding-links">
      {link(source, 'Source line')}
      {link(flame, 'Flame graph of the function')}
      {link(advice, 'All advice')}
    </p>
  );
}

/** A command with the button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code><CommandText text={text} /></code>
      <IconButton
        icon="copy"
        label={`Copy ${text.length > 60 ? 'the command' : text}`}
        onClick={() => void copyText(text, 'Command copied')}
      />
    </span>
  );
}

/** A unified diff without the names of its files. */
function Diff({ text }: { text: string }) {
  const lines = text.replace(/\n$/, '').split('\n').filter((l) => !/^(---|\+\+\+) /.test(l));
  const kind = (l: string) => ({ '+': 'diff-add', '-': 'diff-del', '@': 'diff-at' })[l[0] ?? ''];
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label="The rewrite">
      {lines.map((l, i) => <span key={i} class={kind(l)}>{`${l}\n`}</span>)}
    </pre>
  );
}
