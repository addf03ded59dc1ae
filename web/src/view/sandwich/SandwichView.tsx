import { useMemo, useState } from 'preact/hooks';
import type { Call, Quantity, Tree, TreeRow } from '../../api/types';
import { exactly, finder, quote } from '../../state/pattern';
import { useReport } from '../../state/report';
import { columnFigures } from '../../model/column';
import { queryOf, selectFunction, type State } from '../../state/state';
import { FlameGraph } from '../flame/FlameGraph';
import { server } from '../flame/server';
import { Button, Empty, openFunctionMenu, ReportState } from '../parts';
import { percentText, shareText, signedText, wayOf } from '../table/format';
import { FunctionList } from '../table/FunctionList';
import { FunctionName, NamedRow } from '../table/FunctionName';
import { selects } from '../table/names';
import { extend } from '../table/query';
import { openSource } from '../table/select';
import { useShownFunction } from '../table/useShownFunction';
import { Table, type Column } from '../table/Table';
import { Costs } from '../Costs';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { COSTS } from '../vocabulary';
import '../table/pane.css';
import './sandwich.css';

/** Callers and callees of a function: all its calls together. */
export default function SandwichView({ state }: ViewProps) {
  const { fn, loading } = useShownFunction(state);
  return (
    <section class="pane" aria-label="Sandwich">
      <div class="split wide-view">
        <FunctionList state={state} by="cum" shown={fn} onOpen={openSource} />
        <div class="split-main">
          {fn ? <Filling state={state} fn={fn} /> : <ReportState loading={loading}>{() => <NoSamples />}</ReportState>}
        </div>
      </div>
    </section>
  );
}

function Filling({ state, fn }: { state: State; fn: string }) {
  const query = queryOf(state);
  const byFunction = ['', 'functions'].includes(state.options['granularity'] ?? '');
  // With another granularity names have more than the function in them.
  const peek = useReport<Tree>('peek', extend(query, { match: byFunction ? exactly(fn) : quote(fn) }));
  return (
    <ReportState
      loading={peek}
      empty={({ report }) => (rowsOf(report, fn).length > 0 ? undefined : (
        <Empty title="Not in this profile"><p>{fn} has no samples here.</p></Empty>
      ))}
    >
      {({ report }) => <Chosen key={fn} rows={rowsOf(report, fn)} unit={report.unit} state={state} query={query} />}
    </ReportState>
  );
}

/** The rows of just this function, not of those whose names merely have its name in them. */
function rowsOf(tree: Tree, fn: string): TreeRow[] {
  const exact = tree.rows.filter((r) => r.name === fn);
  const rows = exact.length > 0 ? exact : tree.rows.filter((r) => selects(r) === fn);
  return rows.sort((a, b) => Math.abs(b.cum.value) - Math.abs(a.cum.value));
}

function Chosen({ rows, unit, state, query }: { rows: readonly TreeRow[]; unit: string; state: State; query: URLSearchParams }) {
  const [at, setAt] = useState(0);
  const row = rows[Math.min(at, rows.length - 1)]!;
  const pivot = row.function ?? row.name;
  const nothing = state.base.length > 0
    ? (
      <Empty title="Only in the other profile">
        <p>Widths are those {state.own['widths'] === 'base' ? 'before' : 'after'} the change, where this function has no samples.</p>
      </Empty>
    )
    : <Empty title="No samples" />;
  const side = (name: 'callers' | 'callees') => extend(query, { pivot, side: name, widths: state.own['widths'] });
  return (
    <>
      <div class="pane-bar sandwich-bar">
        <h2>
          <button type="button" class="link-button" onClick={(e) => openFunctionMenu(selects(row), e.currentTarget)}>
            <FunctionName place={row} />
          </button>
        </h2>
        <Costs {...row} figure={columnFigures([row.flat, row.cum], unit)} />
        <span class="grow" />
        {rows.length > 1 && (
          <select class="find sandwich-pick" aria-label="Place" value={at} onChange={(e) => setAt(Number(e.currentTarget.value))}>
            {rows.map((r, i) => <option key={i} value={i}>{r.name} ({r.cum.text})</option>)}
          </select>
        )}
        <Button kind="plain" onClick={() => openSource(selects(row))}>Source</Button>
      </div>
      <div class="sandwich">
        <div class="sandwich-half">
          <Calls title="Callers" none="No callers: stacks start here." calls={row.callers} unit={unit} state={state} />
          <div class="sandwich-flame">
            <FlameGraph
              source={server}
              query={side('callers')}
              flip
              skip={2}
              compact
              empty={nothing}
              label="Flame graph of the callers"
              onSelect={selectFunction}
            />
          </div>
        </div>
        <div class="sandwich-half">
          <Calls title="Callees" none="No callees in this profile." calls={row.callees} unit={unit} state={state} />
          <div class="sandwich-flame">
            <FlameGraph
              source={server}
              query={side('callees')}
              skip={1}
              compact
              empty={nothing}
              label="Flame graph of the callees"
              onSelect={selectFunction}
            />
          </div>
        </div>
      </div>
    </>
  );
}

interface CallsProps {
  title: 'Callers' | 'Callees';
  none: string;
  calls: readonly Call[];
  unit: string;
  state: State;
}

function Calls({ title, none, calls, unit, state }: CallsProps) {
  const matches = useMemo(() => finder(state.search), [state.search]);
  const compared = state.base.length > 0; // then, values are changes
  const columns = useMemo(() => columnsOf(title, calls, unit, compared), [title, calls, unit, compared]);
  return (
    <Table<Call>
      label={title}
      columns={columns}
      count={calls.length}
      row={(i) => calls[i]}
      rowKey={(c, i) => `${c.name}#${i}`}
      onOpen={(c) => selectFunction(selects(c), 'push')}
      onMenu={(c, x, y) => openFunctionMenu(selects(c), { x, y })}
      onPick={(c) => selectFunction(selects(c), 'push')}
      {...(matches ? { marked: (c: Call) => matches(c.name) } : {})}
      empty={none}
    />
  );
}

function columnsOf(title: string, calls: readonly Call[], unit: string, compared: boolean): readonly Column<Call>[] {
  const plain = columnFigures(calls.flatMap((c) => [c.weight, c.flat]), unit);
  const figure = (q: Quantity) => signedText(plain(q), q.value, compared);
  const most = calls.reduce((m, c) => Math.max(m, Math.abs(c.share)), 0) || 1;
  return [
    {
      id: 'flat', title: COSTS.flat.title, about: COSTS.flat.about(title === 'Callers' ? 'function' : 'callee'), width: '5.5rem',
      align: 'right', from: 28, cell: (c) => figure(c.flat), text: (c) => c.flat.text, kind: (c) => wayOf(c.flat.value, compared),
    },
    {
      id: 'weight', title: COSTS.cum.title, about: 'With what it calls: cum in pprof', width: '5.5rem', align: 'right', from: 24,
      cell: (c) => figure(c.weight), text: (c) => c.weight.text, kind: (c) => wayOf(c.weight.value, compared),
    },
    {
      id: 'share', title: 'Share', about: `Of the function’s ${compared ? 'change' : 'total'}`, width: '5rem', align: 'right',
      cell: (c) => shareText(c.share), kind: (c) => wayOf(c.weight.value, compared),
      text: (c) => percentText(c.share), share: (c) => ((c.weight.value < 0 ? -100 : 100) * Math.abs(c.share)) / most,
    },
    {
      id: 'name', title,
      cell: (c, { chars }) => <NamedRow place={c} chars={chars} inline={c.inline} />,
      text: (c) => c.name,
    },
  ];
}
