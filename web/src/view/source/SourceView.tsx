import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Source, Top } from '../../api/types';
import { exactly, quote } from '../../state/pattern';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOwn } from '../../state/state';
import { Button, ReportState, tip, useKeys } from '../parts';
import { FunctionList } from '../table/FunctionList';
import { selects } from '../table/names';
import { extend } from '../table/query';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { Listing } from './Listing';
import { Rail, hotRows } from './Rail';
import './source.css';

const MOST = 8; // functions listed while none is selected

/** Which lines of a function cost, with the machine code made from them. */
export default function SourceView({ state }: ViewProps) {
  const query = queryOf(state);
  const { fn } = state;
  const hottest = useReport<Top>('top', fn ? null : extend(query, { granularity: 'functions', sort: 'flat', limit: String(MOST) }));
  const names = hottest.answer?.report.rows.map(selects);
  const match = fn ? exactly(fn) : names?.length ? `^(?:${names.map(quote).join('|')})$` : undefined;
  const source = useReport<Source>('source', match === undefined ? null : extend(query, { match }));
  const nothing = names?.length === 0 && !hottest.stale;
  const assembly = state.own['asm'] === '1';

  const scroller = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useState(0); // counts what moves lines: folds opened, code shown
  const functions = useMemo(
    () => [...(source.answer?.report.functions ?? [])].sort((a, b) => Math.abs(b.flat.value) - Math.abs(a.flat.value)
      || Math.abs(b.cum.value) - Math.abs(a.cum.value)),
    [source.answer],
  );

  // What costs most is what one came to see.
  useEffect(() => {
    const box = scroller.current;
    if (!box || source.stale) return;
    const rows = hotRows(box);
    const hottest = rows.reduce<HTMLElement | undefined>((a, b) => (a && heat(a) >= heat(b) ? a : b), undefined);
    box.scrollTop = fn && hottest ? Math.max(0, hottest.offsetTop - box.clientHeight / 2) : 0;
  }, [source.answer, source.stale, fn]);

  const step = (by: 1 | -1) => {
    const box = scroller.current;
    if (!box) return;
    const middle = box.scrollTop + box.clientHeight / 2;
    const rows = hotRows(box);
    const next = by > 0 ? rows.find((r) => r.offsetTop > middle + 4) : rows.findLast((r) => r.offsetTop + r.offsetHeight < middle - 4);
    if (next) box.scrollTop = next.offsetTop + next.offsetHeight / 2 - box.clientHeight / 2;
  };
  useKeys('Source', [
    { keys: ']', label: 'Next hot line', run: () => step(1) },
    { keys: '[', label: 'Previous hot line', run: () => step(-1) },
    { keys: 'x', label: 'Show or hide assembly', run: () => setOwn('asm', assembly ? '' : '1', 'replace') },
  ]);

  return (
    <section class="pane" aria-label="Source">
      <div class="split">
        <FunctionList state={state} by="flat" functions onOpen={selectFunction} />
        <div class="split-main">
          <div class="pane-bar">
            <h2>{fn ? 'Lines by cost' : 'Functions that cost most'}</h2>
            <span class="grow" />
            {fn && (
              <Button kind="plain" onClick={() => selectFunction('', 'push')} {...tip('The functions that cost most')}>Hottest</Button>
            )}
            <Button
              aria-pressed={assembly}
              onClick={() => setOwn('asm', assembly ? '' : '1', 'replace')}
              {...tip('Machine code below each line', 'x')}
            >
              Assembly
            </Button>
          </div>
          {nothing && !fn ? <NoSamples /> : <ReportState loading={match === undefined && hottest.error
            ? { stale: false, error: hottest.error }
            : source}>
            {() => (
              <div class="source-box">
                <div ref={scroller} class="pane-scroll source" tabIndex={0} role="region" aria-label="Source lines">
                  {functions.map((f) => (
                    <Listing
                      key={`${f.name} ${f.file} ${f.lines?.[0]?.line}`}
                      fn={f}
                      assembly={assembly}
                      onLayout={() => setLayout((n) => n + 1)}
                    />
                  ))}
                </div>
                <Rail scroller={scroller} version={`${layout} ${assembly} ${match} ${functions.length}`} />
              </div>
            )}
          </ReportState>}
        </div>
      </div>
    </section>
  );
}

function heat(row: HTMLElement): number {
  return Number(row.dataset['heat']);
}
