import { useMemo } from 'preact/hooks';
import { listRuns, runVerdicts, type ListedRun, type RunVerdict } from '../../api/runs';
import { useAnswer } from '../../state/answer';
import { finder } from '../../state/pattern';
import { goRuns, runsHref, setRuns, type RunsState } from '../../state/runs';
import { follow } from '../link';
import { Button, CommandText, copyText, Empty, ReportState, tip, useMedia } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, type Column } from '../table/Table';
import type { PageProps } from '../props';
import { lengthText, zoneText } from '../../state/selection';
import { machineOf, Marks, revisionIn, when, whenAmong } from './words';

/** Where a run's commit and command are below its time: see runs.css. */
const NARROW = '(width < 42rem)';

/** All runs, to look at one or compare two. */
export function RunList({ state }: PageProps<RunsState>) {
  const loading = useAnswer('runs', listRuns);
  const verdicts = useAnswer('verdicts', async (signal) => ({ ...await runVerdicts(signal), warnings: [] })).answer?.report.verdicts;
  const chosen = state.run; // to compare
  const toggle = (id: string) => setRuns({ run: chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen.slice(-1), id] });
  const all = loading.answer?.report.runs ?? [];
  const narrow = useMedia(NARROW);
  const order = parseOrder(state.order) ?? { column: 'time', descending: true };
  const rows = useMemo(() => {
    const finds = finder(state.find);
    const found = all.filter((r) => finds?.(textOf(r)) ?? true);
    return sorted(found, keyOf(order.column), order.descending);
  }, [all, state.find, order.column, order.descending]);
  const at = useMemo(() => whenAmong(all.map((r) => r.created)), [all]);
  const columns = useMemo(() => columnsOf(chosen, toggle, verdicts ?? {}, at), [chosen, verdicts, at]);
  // The older one is the base, in whichever order they were ticked.
  const [base, head] = [...chosen].sort((a, b) => timeOf(all, a) - timeOf(all, b));
  const whenOf = (id: string) => at(all.find((r) => r.id === id)?.created ?? '');
  const open = (r: ListedRun) => r.state !== 'corrupt' && goRuns({ page: 'run', run: [r.id] });
  return (
    <section class="pane" aria-label="Runs">
      <div class="pane-bar">
        <Find label="Find runs" value={state.find} onChange={(find) => setRuns({ find })} />
        <span class="grow" />
        {head && <span class="soft runs-before" role="status">Before: {whenOf(base!)}, after: {whenOf(head)}</span>}
        <Button
          icon="compare"
          kind={head ? 'primary' : 'quiet'}
          disabled={!base || !head}
          onClick={() => goRuns({ page: 'compare', run: [base!, head!] })}
          {...tip(head ? `${head} against ${base}` : 'Select two runs')}
        >
          Compare
        </Button>
        <Button icon="download" disabled={rows.length === 0} onClick={() => saveTable('runs.csv', [...columns, stateColumn], rows)}>
          CSV
        </Button>
      </div>
      <ReportState
        loading={loading}
        empty={({ report }) => (report.runs.length > 0 ? undefined : <NoRuns dir={report.dir} />)}
        failure={(error) => (error.status === 404 ? <NoRuns /> : undefined)}
      >
        {({ report }) => (
          <>
            <Table<ListedRun>
              label="Runs"
              columns={columns}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(r) => r.dir}
              rowRem={narrow ? 5.25 : 4}
              order={order}
              onOrder={(column) =>
                setRuns({ order: orderText({ column, descending: order.column === column ? !order.descending : column === 'time' }) })}
              onOpen={open}
              dim={(r) => r.state === 'corrupt'}
              empty={`No run matches “${state.find}”.`}
            />
            <div class="pane-facts">
              <span>{plural(rows.length, 'run')}</span>
              <span class="mono">{report.dir}</span>
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

const timeOf = (all: readonly ListedRun[], id: string) => Date.parse(all.find((r) => r.id === id)?.created ?? '') || 0;

function textOf(r: ListedRun): string {
  const marks = [r.state, r.head?.dirty ? 'uncommitted dirty' : '', r.base ? 'with base against' : ''];
  return [
    r.id, when(r.created), r.revision, r.head?.branch, r.head?.subject, ...r.packages, ...r.names, r.environment?.go,
    machineOf(r.environment), ...marks,
    ...(r.command ?? []),
  ].join(' ');
}

function keyOf(column: string): (r: ListedRun) => string | number {
  switch (column) {
    case 'revision': return (r) => r.revision;
    case 'for': return (r) => r.line;
    case 'took': return (r) => r.took ?? -1;
    case 'packages': return (r) => r.packages.join(' ');
    case 'benchmarks': return (r) => r.benchmarks;
    case 'go': return (r) => r.environment?.go ?? '';
    case 'machine': return (r) => machineOf(r.environment);
    default: return (r) => Date.parse(r.created);
  }
}

/** How a verdict is coloured: by what is worse, for that is to be looked at. */
const verdictKind = (v: RunVerdict | undefined): string => (!v ? '' : v.worse > 0 ? 'more' : v.better > 0 ? 'less' : 'soft');

function columnsOf(
  chosen: readonly string[], toggle: (id: string) => void, verdicts: Readonly<Record<string, RunVerdict>>,
  at: (iso: string) => string,
): readonly Column<ListedRun>[] {
  return [
    {
      id: 'choose', title: '', about: 'Select two to compare them', width: '2.25rem',
      cell: (r) => r.state !== 'corrupt' && (
        <input
          type="checkbox"
          class="runs-tick"
          tabIndex={-1}
          aria-label={`Compare ${r.id}`}
          checked={chosen.includes(r.id)}
          onClick={(e) => e.stopPropagation()}
          onChange={() => toggle(r.id)}
        />
      ),
    },
    {
      id: 'time', title: `Run, ${zoneText(Date.now())}`, order: 'descending', width: 'minmax(12.5rem, 15rem)',
      cell: (r) => (
        <div class="runs-two">
          <span class="runs-when">
            {r.state === 'corrupt' ? <span>{at(r.created)}</span> : (
              <a
                class="runs-open"
                tabIndex={-1}
                href={runsHref({ page: 'run', run: [r.id] })}
                onClick={follow(() => goRuns({ page: 'run', run: [r.id] }))}
              >
                <When text={at(r.created)} />
              </a>
            )}
            <Marks run={r} />
          </span>
          <span class="runs-under cut soft">{[r.head?.subject, revisionIn(r)].filter(Boolean).join(' · ')}</span>
          <span class="runs-under cut soft">{[r.took ? tookText(r.took) : '', commandOf(r)].filter(Boolean).join(' · ')}</span>
        </div>
      ),
      text: (r) => r.created,
    },
    { id: 'id', title: 'Id', width: '12rem', from: 104, kind: () => 'soft mono', cell: (r) => r.id, text: (r) => r.id },
    {
      id: 'revision', title: 'Commit', order: 'ascending', width: 'minmax(8rem, 2.5fr)', from: 40, cell: (r) => <Commit run={r} />,
      text: (r) => r.revision,
    },
    {
      id: 'for', title: 'Measured by', about: 'The command that measured it', order: 'ascending', width: 'minmax(8rem, 3fr)', from: 56,
      cell: (r) => (
        <div class="runs-two">
          <code class="runs-lines" title={r.line}>
            <CommandText text={commandOf(r)} />
          </code>
          <span class="cut soft">{r.packages.join(', ') || r.names.join(', ')}</span>
        </div>
      ),
      text: (r) => r.line,
    },
    {
      id: 'verdict', title: 'Verdict', about: 'The result compared with the version before', width: 'minmax(6rem, 2fr)',
      kind: (r) => verdictKind(verdicts[r.id]),
      cell: (r) => {
        if (r.error) return <span class="runs-error cut" title={r.error}>{r.error}</span>;
        const v = verdicts[r.id];
        if (v) return <span class="runs-lines" title={v.summary}>{v.changed || v.summary}</span>;
        return !r.base && r.state !== 'corrupt' && <span class="soft">not compared</span>;
      },
      text: (r) => r.error ?? verdicts[r.id]?.summary ?? '',
    },
    {
      id: 'packages', title: 'Packages', order: 'ascending', width: 'minmax(8rem, 2fr)', from: 112,
      cell: (r) => (
        <span class="cut" title={[...r.packages, '', ...r.names].join('\n')}>{r.packages.join(', ') || r.names.join(', ')}</span>
      ),
      text: (r) => r.packages.join(' '),
    },
    {
      id: 'took', title: 'Took', about: 'How long the measurement took', order: 'descending', width: '4.5rem', from: 34, align: 'right',
      cell: (r) => (r.took ? tookText(r.took) : ''), text: (r) => String(r.took ?? ''),
    },
    {
      id: 'benchmarks', title: 'Benchmarks', order: 'descending', width: '7rem', from: 64, align: 'right', cell: (r) => r.benchmarks || '',
      text: (r) => String(r.benchmarks),
    },
    {
      id: 'go', title: 'Go', order: 'descending', width: '6rem', from: 80, kind: () => 'soft',
      cell: (r) => r.environment?.go?.replace(/^go/, '') ?? '', text: (r) => r.environment?.go ?? '',
    },
    {
      id: 'machine', title: 'Machine', order: 'ascending', width: '16rem', from: 96, kind: () => 'soft',
      cell: (r) => <span class="cut" title={machineOf(r.environment)}>{machineOf(r.environment)}</span>,
      text: (r) => machineOf(r.environment),
    },
  ];
}

/** A time whose year goes where there is little room. */
const When = ({ text }: { text: string }) => <><span class="runs-year">{text.slice(0, 5)}</span>{text.slice(5)}</>;

const commandOf = (r: ListedRun): string => r.line.replace(/^\S*hone /, '');

const tookText = (seconds: number): string => (seconds < 9.95 ? `${seconds.toFixed(1)} s` : lengthText(1000 * seconds));

/** What was measured: the commit's subject, its branch and its revision. */
function Commit({ run: r }: { run: ListedRun }) {
  const subject = r.head?.subject;
  return (
    <div class="runs-two">
      {subject && <span class="cut" title={subject}>{subject}</span>}
      <span class={`mono ${subject ? 'cut soft' : 'runs-lines'}`} title={r.revision}>
        {revisionIn(r)}
      </span>
    </div>
  );
}

/** The marks, for files. */
const stateColumn: Column<ListedRun> = {
  id: 'state', title: 'State', cell: () => null, text: (r) => [r.state, r.head?.dirty ? 'dirty' : ''].filter(Boolean).join(' '),
};

/** dir: where they are kept; none if the server wasn't told. */
function NoRuns({ dir }: { dir?: string }) {
  const command = 'hone bench ./...';
  return (
    <Empty title="No runs yet">
      <p>
        A run is what <code>hone bench</code> measured: benchmarks, their profiles, and the machine.{' '}
        {dir
          ? <>They are kept in <code>{dir}</code>.</>
          : <>To see those of a folder, start <code><CommandText text="hone ui -runs DIR" /></code>.</>}
      </p>
      <p><code>{command}</code></p>
      <Button icon="copy" onClick={() => void copyText(command, 'Command copied')}>Copy the command</Button>
    </Empty>
  );
}
