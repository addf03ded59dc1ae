import { useRef } from 'preact/hooks';
import type { Diff, SourceDiff } from '../../api/types';
import { exactly, quote, writtenIn } from '../../state/pattern';
import { showsMine } from '../../state/profiles';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOwn, type State } from '../../state/state';
import { NoDifference } from '../NoDifference';
import { Button, Empty, ReportState, tip, useElementSize, useKeys } from '../parts';
import { FunctionList } from '../table/FunctionList';
import { extend } from '../table/query';
import { OWN_OF } from './Commit';
import { FunctionCode } from './FunctionCode';
import '../source/source.css';
import './code.css';

const MOST = 5; // functions listed while none is selected
const SIDES = 760; // px from which both sides have room next to each other

const noCode = <Empty title="No code to compare"><p>None of your functions changed, only work of the runtime and libraries.</p></Empty>;

/** A comparison in the source view: the code of both sides, aligned, with what each line costs there. */
export function BothSides({ state }: { state: State }) {
  const { fn } = state;
  const query = queryOf(state);
  const changed = useReport<Diff>('diff', fn ? null : extend(query, { granularity: 'functions', limit: String(2 * MOST) }));
  // What the runtime did on its own is in no function.
  const names = changed.answer && [...new Set(changed.answer.report.rows.map((row) => writtenIn(row.name)))].filter(Boolean).slice(0, MOST);
  const match = fn ? exactly(writtenIn(fn) || fn) : names?.length ? `^(?:${names.map(quote).join('|')})$` : undefined;
  const given = { base_revision: state.own[OWN_OF.base], revision: state.own[OWN_OF.head] };
  const loading = useReport<SourceDiff>('source/diff', match === undefined ? null : extend(query, { match, ...given }));
  const nothing = !fn && names?.length === 0 && !changed.stale ? changed.answer?.report : undefined;
  const folded = showsMine(state);

  const scroller = useRef<HTMLDivElement>(null);
  const { ref: box, width } = useElementSize<HTMLDivElement>();
  const step = (by: 1 | -1) => {
    const area = scroller.current;
    if (!area) return;
    const stops = [...area.querySelectorAll<HTMLElement>('tr[data-stop]')];
    const at = stops.findIndex((row) => row.classList.contains('aimed'));
    const middle = area.scrollTop + area.clientHeight / 2;
    const next = at >= 0 ? stops[at + by]
      : by > 0 ? stops.find((row) => row.offsetTop >= area.scrollTop) : stops.findLast((row) => row.offsetTop < middle);
    if (!next) return;
    stops[at]?.classList.remove('aimed');
    next.classList.add('aimed');
    area.scrollTop = next.offsetTop + next.offsetHeight / 2 - area.clientHeight / 2;
  };
  useKeys('Source', [
    { keys: ']', label: 'Next change of the code', run: () => step(1) },
    { keys: '[', label: 'Previous change of the code', run: () => step(-1) },
  ]);

  return (
    <section class="pane" aria-label="Source">
      <div class="split">
        <FunctionList state={state} by="flat" functions onOpen={selectFunction} />
        <div class="split-main">
          <div class="pane-bar">
            <h2>{fn ? 'Source' : 'Most changed'}</h2>
            <span class="grow" />
            {fn && (
              <Button kind="plain" onClick={() => selectFunction('', 'push')} {...tip('The functions that changed most')}>
                Most changed
              </Button>
            )}
            <Button
              aria-pressed
              onClick={() => setOwn('merged', '1', 'replace')}
              {...tip('Off: one file, with the change of each line and machine code')}
            >
              Both sides
            </Button>
          </div>
          <div ref={box} class="code-box">
            {nothing ? nothing.rows.length > 0 ? noCode : <NoDifference diff={nothing} /> : (
              <ReportState loading={match === undefined && changed.error ? { stale: false, error: changed.error } : loading}>
                {({ report }) => (
                  <div ref={scroller} class="pane-scroll source" tabIndex={0} role="region" aria-label="Source of both sides">
                    {report.functions.map((f) => (
                      <FunctionCode
                        key={f.name}
                        fn={f}
                        unit={report.unit}
                        folded={folded}
                        wide={width >= SIDES}
                        revisions={{ base: report.base, head: report.head }}
                      />
                    ))}
                  </div>
                )}
              </ReportState>
            )}
          </div>
        </div>
      </div>
    </section>
  );
}
