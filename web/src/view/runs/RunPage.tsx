import { compareRuns, comparisonFile, runInfo, type RunInfo } from '../../api/runs';
import { address } from '../../state/address';
import { adviceCommand, adviceOnRun, useAdvice } from '../../state/advice';
import { useAnswer } from '../../state/answer';
import { hasSource } from '../../state/profiles';
import { Button, CommandText, copyText, Empty, Menu, Popover, ReportState, Warnings } from '../parts';
import { runsHref, setRuns, type RunsState } from '../../state/runs';
import { AdvicePane, NoSource } from '../advice/AdvicePane';
import type { PageProps } from '../props';
import { LoadPane, ShowPicker, showsLoad } from './LoadPane';
import { Results } from './Results';
import { Sides } from './Sides';
import { factsOf, machineOf, Marks, revisionIn, whenIn } from './words';

/** One run: its results, or what it found against its base; profiles; the machine. */
export function RunPageView({ state }: PageProps<RunsState>) {
  const id = state.run[0] ?? 'latest';
  const loading = useAnswer(`run ${id}`, async (signal) => {
    const [info, comparison] = await Promise.all([runInfo(id, signal), compareRuns([id], signal).catch((err: Error) => err)]);
    // A run without results still has facts to show.
    if (comparison instanceof Error && info.benchmarks > 0) throw comparison;
    return {
      info, comparison: comparison instanceof Error ? undefined : comparison,
      warnings: [...new Set([...info.problems, ...(info.warnings ?? []), ...(comparison instanceof Error ? [] : comparison.warnings)])],
    };
  });
  return (
    <section class="pane" aria-label="Run">
      <ReportState loading={loading} quiet>
        {({ report: { info, comparison }, warnings }) => (
          <>
            <RunHead info={info} summary={comparison?.comparisons[0]?.summary} id={id} state={state} />
            <Warnings warnings={warnings} />
            {state.show === 'advice'
              ? <RunAdvice state={state} id={info.id} />
              : info.load && showsLoad(state, !info.base)
              ? <LoadPane state={state} of={info.base ? [{ info, side: 'base' }, { info, side: 'head' }] : [{ info, side: 'head' }]} />
              : !comparison || comparison.tables.length === 0
              ? (
                <Empty title="Nothing was measured">
                  <p>{info.notes.join(' ') || info.problems.join(' ') || 'This run has no results.'}</p>
                </Empty>
              )
              : comparison.comparisons.length > 0
                ? <Sides state={state} comparison={comparison} base={info.profiles} head={info.profiles} />
                : <Results state={state} comparison={comparison} info={info} />}
          </>
        )}
      </ReportState>
    </section>
  );
}

/** What to change, by all profiles of the run. */
function RunAdvice({ state, id }: { state: RunsState; id: string }) {
  const has = hasSource.value;
  const advising = useAdvice(has ? adviceOnRun(id) : null);
  const command = adviceCommand({ run: id });
  if (has === false) return <NoSource command={command} />;
  return (
    <AdvicePane
      advising={advising}
      command={command}
      open={state.pick || null}
      onOpen={(pick) => setRuns({ pick })}
      hrefOf={(pick) => runsHref({ ...state, pick })}
    />
  );
}

function RunHead({ info, summary, id, state }: { info: RunInfo; summary: string | undefined; id: string; state: RunsState }) {
  return (
    <div class="runs-head">
      <h2>{whenIn(info.created)} <Marks run={info} /></h2>
      {info.load && <p class="mono"><CommandText text={info.line.replace(/^\S*hone /, '')} /></p>}
      {info.head?.subject && <p>{info.head.subject}</p>}
      {info.revision !== '-' && <p class="mono soft">{revisionIn(info)}</p>}
      {summary && <p class="runs-verdict"><b>{summary}</b></p>}
      <p class="soft">{[info.environment.go?.replace(/^go/, 'Go '), machineOf(info.environment)].filter(Boolean).join(', ')}</p>
      <span class="button-row">
        <ShowPicker state={state} usual={!info.base} load={info.load === true} advice />
        <About info={info} />
        <Tools runs={[info.id]} command={state.show === 'advice' ? adviceCommand({ run: info.id }) : `hone compare ${id}`} />
      </span>
    </div>
  );
}

/** Everything about a run that is no result. */
export function About({ info }: { info: RunInfo }) {
  return (
    <Popover label="About this run" button="About" align="end">
      {() => (
        <div class="runs-box">
          <h2 class="mono">{info.id}</h2>
          <dl class="runs-facts">
            <dt>Command</dt><dd class="mono"><CommandText text={info.line} /></dd>
            <dt>Kept in</dt><dd class="mono">{info.dir}</dd>
            {info.head?.commit && (
              <><dt>Commit</dt><dd class="mono">{info.head.commit}{info.head.dirty && ', with uncommitted changes'}</dd></>
            )}
            {info.base?.commit && <><dt>Compared with</dt><dd class="mono">{info.base.name} {info.base.commit}</dd></>}
            {factsOf(info.environment).map(([term, value]) => <><dt key={term}>{term}</dt><dd>{value}</dd></>)}
          </dl>
          {info.notes.map((n) => <p key={n} class="soft">{n}</p>)}
        </div>
      )}
    </Popover>
  );
}

/** What is offered of a comparison: as files, as a command. */
export function Tools({ runs, command }: { runs: readonly string[]; command: string }) {
  return (
    <>
      <Menu
        icon="download"
        label="Export"
        align="end"
        items={[
          { label: 'CSV', hint: 'All rows, as from hone compare -csv', href: comparisonFile(runs, 'csv'), download: true },
          { label: 'Markdown', hint: 'For a pull request', href: comparisonFile(runs, 'markdown'), download: true },
          { label: 'HTML', hint: 'A self-contained page with flame graphs', href: comparisonFile(runs, 'html'), download: true },
          { label: 'Text', href: comparisonFile(runs, 'text'), download: true },
          'separator',
          { label: 'Copy link', icon: 'copy', run: () => void copyText(address(), 'Link copied') },
        ]}
      />
      <Button icon="terminal" onClick={() => void copyText(command, 'Command copied')} data-tip={command}>Copy command</Button>
    </>
  );
}
