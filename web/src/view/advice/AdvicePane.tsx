// All findings of a run, a selection or a profile, ranked; what was tried; what could not be examined.

import '../table/pane.css';
import './advice.css';
import { useEffect, useRef } from 'preact/hooks';
import type { Advice, AdviceProgress, Finding, Trial } from '../../api/advice';
import type { Advising } from '../../state/advice';
import type { State } from '../../state/state';
import { follow } from '../link';
import { Button, CommandText, Empty, Failure, Icon, Progress, Skeleton } from '../parts';
import { plural } from '../table/format';
import { Command, FindingBody } from './FindingCard';
import { ceilingOf, costOf, mostText, percent, placeOf, type Glance } from './glance';
import { classes, classText, dayOf, RunLink, shownOf, StateBadge } from './words';

interface Props {
  advising: Advising;
  /** The command that gives the same in a terminal. */
  command: string;
  /** Ids of findings that are open: null is what is usual, the first. */
  open: string | null;
  onOpen: (id: string) => void;
  /** A link to a finding. */
  hrefOf: (id: string) => string;
  /** The view it is shown in, for links from there. */
  within?: State | undefined;
  /** Whether the search finds a text. */
  marked?: ((text: string) => boolean) | null | undefined;
}

export function AdvicePane({ advising, command, open, onOpen, hrefOf, within, marked }: Props) {
  const { answer, error, progress, stopped } = advising;
  if (error && error.status === 404) return <NoSource command={command} />;
  if (error) return <Failure error={error} retry={advising.again} />;
  if (stopped) {
    return (
      <Empty title="Stopped">
        <p>No advice yet.</p>
        <Button icon="reset" onClick={advising.again}>Try again</Button>
      </Empty>
    );
  }
  if (!answer) return <Making progress={progress} stop={advising.stop} />;
  return (
    <div class="advice" aria-busy={progress !== undefined}>
      {progress && <Progress />}
      <Found answer={answer} command={command} open={open} onOpen={onOpen} hrefOf={hrefOf} within={within} marked={marked} />
    </div>
  );
}

/** Where the server has no source: what to do there. */
export function NoSource({ command }: { command: string }) {
  return (
    <Empty title="No source here" icon="bulb">
      <p>
        Advice needs the source of the profiled program, and this server doesn’t have it. In the module’s folder:
      </p>
      <p><Command text={command} /></p>
      <p>
        To get it on this page, start <code>hone ui</code> in that folder, or
        {' '}<code><CommandText text="hone serve -module FOLDER" /></code>.
      </p>
    </Empty>
  );
}

function Making({ progress, stop }: { progress: AdviceProgress | undefined; stop: () => void }) {
  if (!progress) return <Skeleton />; // most often it is there already
  return (
    <div class="advice-making">
      <Progress />
      <Empty title="Looking for advice" icon="bulb">
        <p role="status">{sentence(progress.stage)} <span class="num soft">{Math.round(progress.elapsed / 1000)} s</span></p>
        <p>hone looks at hot lines in your source. This takes some seconds; you can use other views meanwhile.</p>
        <Button icon="close" onClick={stop}>Stop</Button>
      </Empty>
    </div>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)} …`;

function Found({ answer, command, open, onOpen, hrefOf, within, marked }: Omit<Props, 'advising'> & { answer: Advice }) {
  const { kept } = answer;
  const findings = shownOf(answer.findings);
  const left = answer.findings.length - findings.length;
  const history = answer.history ?? [];
  const packages = answer.packages ?? [];
  const fixes = findings.filter((f) => f.fix).length;
  const shown = open ?? findings[0]?.id ?? '';
  return (
    <>
      <div class="pane-bar">
        <h2>{findings.length === 0 ? 'No findings' : plural(findings.length, 'finding')}</h2>
        <span class="soft">
          {fixes > 0 && `${fixes} with a rewrite, `}in {plural(packages.length, 'package')}{answer.run && `, of run ${answer.run}`}
          {findings.length > 1 && '; ordered by the expected gain'}
        </span>
      </div>
      <div class="pane-scroll advice-scroll" tabIndex={0} role="region" aria-label="Findings">
        {findings.length === 0 ? <Nothing answer={answer} /> : (
          <>
            {findings.length > 1 && <Worth answer={answer} hrefOf={hrefOf} onOpen={onOpen} />}
            <div class="finding-columns" aria-hidden="true">
              <span /><span>Finding</span><span>Cost</span><span>Gain at most</span><span>Expected ▾</span>
              <span>Rewrite</span><span>Tried</span>
            </div>
            <ol class="findings">
              {findings.map((f) => (
                <Item
                  key={f.id}
                  finding={f}
                  open={f.id === shown}
                  asked={f.id === open}
                  marked={marked?.(`${f.title} ${f.place} ${f.function ?? ''}`) ?? false}
                  onToggle={() => onOpen(f.id === shown ? 'none' : f.id)}
                  body={() => <FindingBody finding={f} trials={history} kept={kept} command={command} within={within} />}
                />
              ))}
            </ol>
            <Together answer={answer} />
            {left > 0 && (
              <p class="advice-note soft">
                Not shown: {plural(left, 'finding')} on the same lines, or below 1 %.
                {' '}See all with <code><CommandText text="hone advise -all" /></code>.
              </p>
            )}
          </>
        )}
        <Unexamined sentences={answer.unexamined ?? []} />
        <History trials={history} />
      </div>
    </>
  );
}

const idOf = (finding: string) => `finding-${finding}`;

/** What is worth doing first, with links to the findings. */
function Worth({ answer, hrefOf, onOpen }: { answer: Advice } & Pick<Props, 'hrefOf' | 'onOpen'>) {
  const of = new Map(answer.findings.map((f) => [f.id, f]));
  const show = (id: string) => {
    onOpen(id);
    const head = document.getElementById(idOf(id));
    head?.focus({ preventScroll: true });
    head?.scrollIntoView({ block: 'start' });
  };
  return (
    <section class="advice-worth" aria-label="Worth doing">
      <p>{answer.summary.length > 0 ? 'Worth doing first' : answer.title}</p>
      {answer.summary.length > 0 && (
        <ol>
          {answer.summary.map(({ id, what, benchmark }) => {
            const f = of.get(id);
            const most = f && mostText(f);
            return (
              <li key={id}>
                <a href={hrefOf(id)} onClick={follow(() => show(id))}>{what}</a>{most && `: ${most}`}{benchmark && ` (${benchmark})`}
                {f && <span class="mono soft"> {placeOf(f)}</span>}
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

interface ItemProps {
  finding: Finding;
  open: boolean;
  /** The link says that it is open. */
  asked: boolean;
  marked: boolean;
  onToggle: () => void;
  body: () => preact.ComponentChildren;
}

function Item({ finding: f, open, asked, marked, onToggle, body }: ItemProps) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (asked) ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const cost = costOf(f);
  const ceiling = ceilingOf(f);
  const { worth = 0 } = f.bound;
  return (
    <li ref={ref} class={`finding${open ? ' open' : ''}${marked ? ' marked' : ''}`}>
      <h3>
        <button type="button" class="finding-head" id={idOf(f.id)} aria-expanded={open} onClick={onToggle}>
          <Icon name={open ? 'down' : 'right'} />
          <span class="finding-title">
            <b>{f.title}</b>
            <span class="mono soft">{placeOf(f)}{f.function && ` in ${f.function}`}</span>
          </span>
          <span class="finding-cost num">{cost && <Cell of={cost} />}</span>
          <span class="finding-most num">{ceiling && <><span class="visually-hidden">at most </span><Cell of={ceiling} /></>}</span>
          <span class="finding-worth num" title={EXPECTED}>
            {f.class !== 'look' && worth >= 0.0005 && <><span class="visually-hidden">expected </span>{percent(worth)}</>}
          </span>
          <span class="finding-class" title={classes[f.class]}>{classText[f.class]}</span>
          <span class="finding-state"><StateBadge state={f.state} /></span>
        </button>
      </h3>
      {open && body()}
    </li>
  );
}

const EXPECTED = 'The part of the time that is likely to be gained, on all lines named: findings are in the order of it';

const Cell = ({ of: { text, of, more } }: { of: Glance }) => <>{text}{of && <> <i>{of}</i></>}{more && <> <small>({more})</small></>}</>;

function Nothing({ answer }: { answer: Advice }) {
  const packages = answer.packages ?? [];
  return (
    <Empty title="No findings" icon="bulb">
      <p>
        {packages.length > 0
          ? `No hot line in ${packages.slice(0, 3).join(', ')}${packages.length > 3 ? ` and ${packages.length - 3} more` : ''} has a `
            + 'known slow pattern.'
          : `No package of the module in ${answer.module} is hot here.`}
      </p>
      <p>There may still be something to gain: look at the flame graph to see what takes the time.</p>
    </Empty>
  );
}

/** What findings cover together, where there are several. Facts about hot lines don't count. */
function Together({ answer }: { answer: Advice }) {
  const known = shownOf(answer.findings).filter((f) => f.class !== 'look');
  const subjects = Object.entries(answer.together ?? {})
    .filter(([name, share]) => share >= 0.01 && known.filter((f) => (f.evidence.subjects ?? ['']).includes(name)).length > 1)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3);
  if (subjects.length === 0) return null;
  return (
    <p class="advice-note soft">
      All findings together: {subjects.map(([name, share]) =>
        `${percent(share)} of the CPU time${name && ` of ${name}`}`).join(', ')}, apart from garbage collection.
    </p>
  );
}

function Unexamined({ sentences }: { sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <section class="advice-part" aria-label="Not examined">
      <h2>Not examined</h2>
      <ul>{sentences.map((s) => <li key={s}>{s}</li>)}</ul>
    </section>
  );
}

function History({ trials }: { trials: readonly Trial[] }) {
  if (trials.length === 0) return null;
  return (
    <section class="advice-part" aria-label="Tried before">
      <h2>Tried before</h2>
      <ul class="trials">
        {trials.map((t) => (
          <li key={`${t.finding} ${t.time}`}>
            <span class="num">{dayOf(t.time)}</span>
            <StateBadge state={t.state} />
            <span class="trial-what">
              <span class="mono">{t.finding}</span> <span class="soft">{t.file.replace(/^.*[/\\]/, '')}{t.kept && ', kept'}</span><br />
              {t.why} <RunLink run={t.run} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
