import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Quantity, Trace, Traces } from '../../api/types';
import { columnFigures } from '../../model/column';
import { queryOf, selectFunction, setOwn, type State } from '../../state/state';
import { Button, IconButton, openFunctionMenu, ReportState } from '../parts';
import { count, percentText, plural, shareText, signedText, wayOf } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { nameParts, selects } from '../table/names';
import { orderText, type Order } from '../table/order';
import { extend } from '../table/query';
import { Table, type Column } from '../table/Table';
import { usePages } from '../table/usePages';
import { nextRow } from '../table/range';
import { useSearch, useStable } from '../table/useSearch';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { sideNames } from '../vocabulary';
import '../table/pane.css';
import './traces.css';

const PAGE = 500;
const tracesOf = (t: Traces) => t.traces;

/** Every stack, the costliest first, or what changed most: a row each, and the chosen one whole. */
export default function TracesView({ state }: ViewProps) {
  // Other tables have columns of their own.
  const order: Order = state.own['order'] === 'value' ? { column: 'value', descending: false } : { column: 'value', descending: true };
  const query = extend(queryOf(state), { order: orderText({ ...order, column: 'size' }) }); // a change may be a decrease
  const pages = usePages<Traces, Trace>('traces', query, PAGE, tracesOf);
  const compared = state.base.length > 0;
  const [chosen, setChosen] = useState(0);
  const { need } = pages;
  const onRange = useCallback((first: number, end: number) => need(first, end), [need]);
  const at = Math.min(chosen, pages.total - 1);
  const matches = useSearch(state, useStable((direction) => {
    const next = nextRow(at, direction, pages.total, (i) => pages.row(i)?.stack.some((f) => matches?.(f.name)) ?? false);
    if (next >= 0) setChosen(next);
  }));
  const trace = pages.row(at);
  const report = pages.first.answer?.report;
  const columns = useMemo(() => {
    const all = (report?.traces ?? []).map((t) => t.value);
    const most = all.reduce((m, q) => Math.max(m, Math.abs(q.value)), 0) || 1;
    const labelled = report?.traces.some((t) => labelsOf(t).length > 0) ?? false;
    return columnsOf(columnFigures(all, report?.unit ?? ''), most, compared).filter((c) => c.id !== 'labels' || labelled);
  }, [report, compared]);

  return (
    <section class="pane" aria-label="Traces">
      <ReportState
        loading={pages.first}
        empty={({ report }) =>
          report.traces.length > 0 ? undefined : <NoSamples />
        }
      >
        {({ report }) => (
          <>
            <div class="traces">
              <Table<Trace>
                label="Stacks"
                columns={columns}
                count={pages.total}
                row={pages.row}
                rowKey={(_, i) => String(i)}
                order={order}
                onOrder={() => {
                  setChosen(0);
                  setOwn('order', order.descending ? 'value' : '', 'replace');
                }}
                selected={at}
                onMove={setChosen}
                onRange={onRange}
                {...(matches ? { marked: (t: Trace) => t.stack.some((f) => matches(f.name)) } : {})}
              />
              <Stack trace={trace} index={at} total={pages.total} state={state} compared={compared} onMove={setChosen} />
            </div>
            <div class="pane-facts">
              <span>{plural(pages.total, 'stack')}</span>
              <span>{compared ? `Shares of ${report.total.text} ${sideNames.base.toLowerCase()}` : `${report.total.text} in all`}</span>
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

const columnsOf = (figure: (q: Quantity) => string, most: number, compared: boolean): readonly Column<Trace>[] => {
  const way = ({ value }: Trace) => wayOf(value.value, compared);
  return [
    {
      id: 'value', title: compared ? 'Change' : 'Value', width: '6rem', align: 'right', order: 'descending',
      kind: way,
      cell: (t) => signedText(figure(t.value), t.value.value, compared), text: (t) => signedText(t.value.text, t.value.value, compared),
    },
    {
      id: 'share', title: 'Share', width: '5.5rem', align: 'right', from: 30, kind: way,
      cell: (t) => signedText(shareText(t.value.percent), t.value.value, compared),
      text: (t) => signedText(percentText(t.value.percent), t.value.value, compared),
      share: (t) => (100 * t.value.value) / most,
    },
    {
      id: 'labels', title: 'Labels', width: '14rem', from: 55, kind: () => 'soft',
      cell: (t) => <span class="traces-cut" title={labelsText(t)}>{labelsText(t)}</span>, text: labelsText,
    },
    {
      id: 'depth', title: 'Depth', about: 'Frames of the stack', width: '4rem', align: 'right', from: 45, kind: () => 'soft',
      cell: (t) => t.stack.length, text: (t) => String(t.stack.length),
    },
    {
      id: 'stack', title: 'Stack, innermost frame first',
      cell: (t, { chars }) => <Chain trace={t} chars={chars} />, text: (t) => t.stack.map((f) => f.name).join(' < '),
    },
  ];
};

/** The label of the samples of the base in a comparison, which says what the sign says. */
const BASE = 'pprof::base';

const labelsOf = (t: Trace) => (t.labels ?? []).filter((l) => l.key !== BASE);

function labelsText(t: Trace): string {
  return labelsOf(t).map((l) => `${l.key}: ${l.values.join(', ')}`).join('  ');
}

/** As much of the stack as fits. */
function Chain({ trace, chars }: { trace: Trace; chars: number }) {
  const [leaf, ...callers] = trace.stack.map((f) => nameParts(f).name);
  if (leaf === undefined) return <span class="soft">no stack</span>;
  let room = chars - leaf.length;
  const shown = callers.findIndex((name) => (room -= name.length + ARROW.length) < 0);
  return (
    <span class="fname traces-cut">
      <b>{leaf}</b>
      {callers.slice(0, shown < 0 ? callers.length : shown + 1).map((name, i) => <i key={i}>{ARROW}{name}</i>)}
    </span>
  );
}

const ARROW = ' ← ';

interface StackProps {
  trace: Trace | undefined;
  index: number;
  total: number;
  state: State;
  compared: boolean;
  onMove: (to: number) => void;
}

function Stack({ trace, index, total, state, compared, onMove }: StackProps) {
  return (
    <aside class="stack" aria-label="The stack">
      <header class="stack-head">
        <h2>Stack {count(index + 1)}</h2>
        <IconButton icon="up" label="Previous stack" disabled={index <= 0} onClick={() => onMove(index - 1)} />
        <IconButton icon="down" label="Next stack" disabled={index >= total - 1} onClick={() => onMove(index + 1)} />
      </header>
      {trace === undefined ? <p class="soft">Loading…</p> : (
        <>
          <p>
            <b class="num">{signedText(trace.value.text, trace.value.value, compared)}</b>{' '}
            <span class="soft">
              {signedText(percentText(trace.value.percent), trace.value.value, compared)} of the total{compared && ' before'}
            </span>
          </p>
          {labelsOf(trace).length > 0 && (
            <dl class="stack-labels">
              {labelsOf(trace).map((l) => (
                <div key={l.key}><dt>{l.key}</dt><dd>{l.values.join(', ')}</dd></div>
              ))}
            </dl>
          )}
          <ol class="stack-frames">
            {trace.stack.map((f, i) => (
              <li key={i} class={selects(f) === state.fn ? 'selected' : ''}>
                <Button
                  kind="plain"
                  onClick={() => selectFunction(selects(f))}
                  onDblClick={(e: MouseEvent) => openFunctionMenu(selects(f), e.currentTarget as HTMLElement)}
                  onContextMenu={(e: MouseEvent) => {
                    e.preventDefault();
                    openFunctionMenu(selects(f), e.currentTarget as HTMLElement);
                  }}
                >
                  <FunctionName place={f} />
                </Button>
                {f.inline && <span class="badge">inlined</span>}
              </li>
            ))}
          </ol>
        </>
      )}
    </aside>
  );
}
