import { compareRuns, listRuns, runInfo, type Comparison, type Revision } from '../../api/runs';
import { useAnswer } from '../../state/answer';
import { zoneText } from '../../state/selection';
import { goRuns, runsHref, setRuns, type RunsState } from '../../state/runs';
import { follow } from '../link';
import { Empty, IconButton, ReportState, Warnings } from '../parts';
import type { PageProps } from '../props';
import { sideNames } from '../vocabulary';
import { LoadPane, ShowPicker, showsLoad, type SideOf } from './LoadPane';
import { Sides } from './Sides';
import { Tools } from './RunPage';
import { whenAmong } from './words';

const sideOf = (run: string): SideOf['side'] => (run.endsWith(':base') ? 'base' : 'head');
const bare = (run: string) => run.replace(/:(base|head)$/, '');

/** Two runs, or sides of runs, compared. */
export function ComparePage({ state }: PageProps<RunsState>) {
  const [base, head] = state.run;
  const key = base !== undefined && head !== undefined ? `compare ${base} ${head}` : null;
  const loading = useAnswer(key, async (signal) => {
    const [comparison, of, against] = await Promise.all([
      compareRuns([base!, head!], signal), runInfo(bare(base!), signal), runInfo(bare(head!), signal),
    ]);
    return { comparison, base: of, head: against, warnings: comparison.warnings };
  });
  if (key === null) return (
    <Empty title="Choose two runs to compare" icon="compare">
      <p><a href={runsHref({ page: 'runs' })} onClick={follow(() => goRuns({ page: 'runs' }))}>Tick two in the list of runs</a>.</p>
    </Empty>
  );
  return (
    <section class="pane" aria-label="Comparison">
      <ReportState loading={loading} quiet>
        {({ report, warnings }) => (
          <>
            <div class="runs-head">
              <div class="runs-sides">
                <SideName
                  letter="A"
                  which={0}
                  state={state}
                  created={report.base.created}
                  revision={report.comparison.columns[0]?.revision}
                />
                <SideName
                  letter="B"
                  which={1}
                  state={state}
                  created={report.head.created}
                  revision={report.comparison.columns[1]?.revision}
                />
              </div>
              <span class="button-row">
                {report.base.load && report.head.load && <ShowPicker state={state} usual={false} load />}
                <IconButton icon="swap" label="Swap before and after" onClick={() => setRuns({ run: [head!, base!] })} />
                <Tools runs={state.run} command={report.comparison.command} />
              </span>
              <p class="runs-verdict">{summaryOf(report.comparison)}</p>
            </div>
            <Warnings warnings={warnings} />
            {report.base.load && report.head.load && showsLoad(state, false)
              ? <LoadPane state={state} of={[{ info: report.base, side: sideOf(base!) }, { info: report.head, side: sideOf(head!) }]} />
              : report.comparison.comparisons.length > 0
              ? <Sides state={state} comparison={report.comparison} base={report.base.profiles} head={report.head.profiles} />
              : <Empty title="Nothing to compare"><p>{report.comparison.notes?.join(' ') || 'Neither run has results.'}</p></Empty>}
          </>
        )}
      </ReportState>
    </section>
  );
}

function summaryOf(c: Comparison) {
  const first = c.comparisons[0];
  if (!first) return null;
  return <><b>{first.summary}</b> <span class="soft">{first.method}</span></>;
}

/** One side, with the other runs to choose from. */
function SideName({ letter, which, state, created, revision }: {
  letter: string; which: 0 | 1; state: RunsState; created: string; revision: Revision | undefined;
}) {
  const list = useAnswer('runs', listRuns).answer?.report.runs ?? [];
  const run = state.run[which]!;
  const named = revision ? [revision.name, revision.commit?.slice(0, 9)].filter(Boolean).join(' ') + (revision.dirty ? '+dirty' : '') : '';
  const label = which === 0 ? sideNames.base : sideNames.head;
  const choices = list.filter((r) => r.state !== 'corrupt');
  const at = whenAmong([...choices.map((r) => r.created), ...(choices.some((r) => r.id === run) ? [] : [created])]);
  const zoned = (iso: string) => `${at(iso)} ${zoneText(Date.parse(iso))}`;
  return (
    <>
      <span class="picker-side">{letter}</span>
      <label class="picklist runs-pick">
        <span class="runs-side">{label}</span>
        <select
          value={run}
          onChange={(e) => {
            const next = [...state.run];
            next[which] = e.currentTarget.value;
            setRuns({ run: next }, 'push');
          }}
        >
          {!choices.some((r) => r.id === run) && (
            <option value={run}>
              {[zoned(created), revision?.subject, named].filter(Boolean).join(' · ')}{/:base$/.test(run) ? ' (base)' : ''}
            </option>
          )}
          {choices.map((r) => (
            <option key={r.id} value={r.id}>{[zoned(r.created), r.head?.subject, r.revision].filter(Boolean).join(' · ')}</option>
          ))}
        </select>
      </label>
    </>
  );
}
