import './report.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/client';
import type { Answer } from '../../api/types';
import type { Loading } from '../../state/report';
import { Button } from './Button';
import { Icon, type IconName } from './Icon';

interface ReportStateProps<T> {
  loading: Loading<T>;
  /** Shape of what is to come, so that nothing moves when it does. */
  skeleton?: 'rows' | 'area';
  /** What to show instead of an answer that has nothing in it; undefined if it has. */
  empty?: (answer: Answer<T>) => ComponentChildren | undefined;
  /** Instead of the usual text about a failure; undefined to leave it to that. */
  failure?: (error: ApiError) => ComponentChildren | undefined;
  /** The same warnings are told beside it. */
  quiet?: boolean;
  children: (answer: Answer<T>) => ComponentChildren;
}

/** What surrounds every report: waiting, failing, emptiness, warnings. It fills its parent. */
export function ReportState<T>({ loading, skeleton = 'rows', empty, failure, quiet, children }: ReportStateProps<T>) {
  const { answer, error, stale } = loading;
  const waiting = stale && !error;
  return (
    <div class="report-state" aria-busy={waiting}>
      {waiting && answer && <Progress />}
      {error
        ? (failure?.(error) ?? <Failure error={error} retry={loading.retry} />)
        : answer
          ? (
              <>
                {!quiet && <Warnings warnings={answer.warnings} />}
                <div class={`report-body${stale ? ' report-stale' : ''}`}>{empty?.(answer) ?? children(answer)}</div>
              </>
            )
          : loading.stopped ? <Stopped retry={loading.retry} /> : <Waiting shape={skeleton} stop={loading.stop} />}
    </div>
  );
}

/** A thin line at the top edge: more is on its way. */
export function Progress() {
  return <div class="report-progress" role="progressbar" aria-label="Loading" />;
}

const PATIENCE = 2; // seconds without a word

/** What is to come, and after a while, for how long it has been waited for. */
function Waiting({ shape, stop }: { shape: 'rows' | 'area'; stop: (() => void) | undefined }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const start = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - start) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <Skeleton shape={shape} />
      {seconds >= PATIENCE && (
        <div class="report-waiting">
          <span>hone is making this report … <span class="num">{seconds} s</span></span>
          {stop && <Button icon="close" onClick={stop}>Stop</Button>}
        </div>
      )}
    </>
  );
}

function Stopped({ retry }: { retry: (() => void) | undefined }) {
  return (
    <Empty title="Stopped">
      <p>This report wasn’t finished.</p>
      {retry && <Button icon="reset" onClick={retry}>Try again</Button>}
    </Empty>
  );
}

const widths = ['w7', 'w9', 'w5', 'w8', 'w4', 'w6', 'w9', 'w3', 'w7', 'w5', 'w6', 'w4'];

/** Shapes in place of what is to come; they appear only if it takes a while. */
export function Skeleton({ shape = 'rows' }: { shape?: 'rows' | 'area' }) {
  return (
    <div class={`skeleton skeleton-${shape}`} role="status">
      <span class="visually-hidden">Loading…</span>
      {widths.map((w, i) => <div key={i} class={`bone ${w}`} />)}
    </div>
  );
}

/** What a failure says, by the status of the answer: cause, then what to do. */
function explain(error: ApiError): { title: string; next: string } {
  if (error.status === 0) return {
    title: 'hone doesn’t respond', next: 'Restart it in the terminal, then retry. This page keeps its state.',
  };
  if (error.status === 404 && /^no profiles match/.test(error.message)) return {
    title: 'No profiles in this time range', next: 'Choose another time, or remove filters.',
  };
  if (error.status === 404) return {
    title: 'Not found', next: 'The profile may have been closed. Choose another one above, or open the file again.',
  };
  if (error.status === 400) {
    return error.param
      ? { title: `${error.param} is not valid`, next: `Correct ${error.param} in the bar above, or remove it.` }
      : { title: 'Invalid request', next: 'Reset the options above, or go back.' };
  }
  if (error.status === 422) return { title: 'Nothing to show', next: 'Change the options above, or remove a filter.' };
  return { title: 'The report failed', next: 'Retry. If it fails again, please report a bug.' };
}

export function Failure({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  const { title, next } = explain(error);
  return (
    <Message icon="warning" title={title} role="alert">
      <p class="state-cause">{error.message}</p>
      <p>{next}</p>
      {retry && <Button icon="reset" onClick={retry}>Retry</Button>}
    </Message>
  );
}

/** Nothing there, and why, and what to do about it. */
export function Empty({ title, icon = 'info', children }: { title: string; icon?: IconName; children?: ComponentChildren }) {
  return <Message icon={icon} title={title}>{children}</Message>;
}

function Message(props: { icon: IconName; title: string; role?: 'alert'; children?: ComponentChildren }) {
  return (
    <div class="state-message" role={props.role}>
      <Icon name={props.icon} />
      <div class="state-text">
        <h2>{props.title}</h2>
        {props.children}
      </div>
    </div>
  );
}

/** What the reader has to know about a report's numbers. */
export function Warnings({ warnings }: { warnings: readonly string[] | null | undefined }) {
  if (!warnings || warnings.length === 0) return null;
  const [first, ...more] = warnings;
  return (
    <div class="report-warnings" role="note" aria-label="Warnings">
      <Icon name="warning" />
      {more.length === 0 ? <span>{first}</span> : (
        <details>
          <summary>{first} <span class="soft">and {more.length} more</span></summary>
          <ul>{more.map((w) => <li key={w}>{w}</li>)}</ul>
        </details>
      )}
    </div>
  );
}
