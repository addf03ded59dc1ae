// The results of one run: a row per benchmark and unit.

import { useMemo } from 'preact/hooks';
import type { Comparison, RunInfo } from '../../api/runs';
import { scaledText, spreadText, valueText, withUnit } from '../../model/quantity';
import { finder } from '../../state/pattern';
import { goRuns, rowID, runsHref, setRuns, type RunsState } from '../../state/runs';
import { follow } from '../link';
import { IconButton } from '../parts';
import { Find } from '../table/Find';
import { plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, type Column } from '../table/Table';
import { BenchName } from './BenchName';
import { AllLinks, explaining, openProfile, pairs, profilesOf, RowLinks, type ProfilePair } from './ProfileLinks';
import { UnitPicker } from './UnitPicker';

interface ResultRow {
  package?: string;
  benchmark: string;
  unit: string;
  n: number;
  median: number | null;
  lo: number | null;
  hi: number | null;
  warnings: readonly string[];
  profiles: ProfilePair[];
}

/** Rows by benchmark, its units below each other. */
export function rowsOf(c: Comparison, info: RunInfo): ResultRow[] {
  const order: string[] = [];
  const rows: ResultRow[] = [];
  for (const t of c.tables) {
    const pkg = t.config['pkg'] || undefined;
    for (const r of t.rows) {
      const cell = r.cells[0];
      if (!cell) continue;
      const name = `${pkg ?? ''} ${r.benchmark}`;
      if (!order.includes(name)) order.push(name);
      rows.push({
        ...(pkg !== undefined ? { package: pkg } : {}), benchmark: r.benchmark, unit: t.unit, n: cell.samples, median: cell.median,
        lo: cell.lo, hi: cell.hi,
        warnings: cell.warnings ?? [], profiles: pairs(profilesOf(info.profiles, pkg, r.benchmark, 'head'), []),
      });
    }
  }
  return sorted(rows, (r) => order.indexOf(nameIn(r)), false);
}

export function Results({ state, comparison, info }: { state: RunsState; comparison: Comparison; info: RunInfo }) {
  const all = useMemo(() => rowsOf(comparison, info), [comparison, info]);
  const units = useMemo(() => [...new Set(all.map((r) => r.unit))], [all]);
  const packages = new Set(all.map((r) => r.package)).size;
  const order = parseOrder(state.order);
  const rows = useMemo(() => {
    const finds = finder(state.find);
    const found = all.filter((r) => (!state.unit || r.unit === state.unit) && (finds?.(rowID(r)) ?? true));
    return order ? sorted(found, keyOf(order.column), order.descending) : found;
  }, [all, state.find, state.unit, order?.column, order?.descending]);
  const sure = rows.some((r) => r.lo !== null);
  const again = useMemo(() => new Set(rows.filter((r, i) => i > 0 && nameIn(rows[i - 1]!) === nameIn(r))), [rows]);
  const columns = useMemo(() => columnsOf(packages > 1, sure, again), [packages > 1, sure, again]);
  const selected = state.pick ? rows.findIndex((r) => rowID(r) === state.pick) : -1;
  const picked = rows[selected];
  return (
    <>
      <div class="pane-bar">
        <Find label="Find benchmarks" value={state.find} onChange={(find) => setRuns({ find })} />
        <UnitPicker units={units} value={state.unit} />
        <span class="grow" />
        {rows.length > 0 && !sure && <span class="soft">Too few samples for an interval</span>}
        <span class="soft num">{plural(rows.length, 'row')}</span>
      </div>
      <Table<ResultRow>
        label="Results"
        columns={columns}
        count={rows.length}
        row={(i) => rows[i]}
        rowKey={rowID}
        order={order}
        onOrder={(column) =>
          setRuns({ order: orderText({ column, descending: order?.column === column ? !order.descending : column === 'median' }) })}
        selected={selected}
        onSelect={(r) => setRuns({ pick: rowID(r) })}
        onOpen={(r) => {
          const p = explaining(r.profiles, r.unit);
          if (p) openProfile(p, 'flame', r.unit);
        }}
        empty="No benchmark matches."
      />
      {picked && (
        <section class="runs-detail" aria-label="Selected benchmark">
          <header>
            <h2>{picked.package && <span class="soft">{picked.package}.</span>}{picked.benchmark}, {picked.unit}</h2>
            <IconButton icon="close" label="Close" onClick={() => setRuns({ pick: '' })} />
          </header>
          <p>
            {valueText(picked.median, picked.unit)} {spreadText(picked.median, picked.lo, picked.hi)}
            <span class="soft"> median of {plural(picked.n, 'sample')}{picked.lo !== null
              && picked.hi !== null
              && `, 95 % interval ${valueText(picked.lo, picked.unit)} to ${valueText(picked.hi, picked.unit)}`}</span>
            {' · '}
            <a
              href={runsHref({ page: 'trend', pick: rowID(picked) })}
              onClick={follow(() => goRuns({ page: 'trend', pick: rowID(picked) }))}
            >Trend</a>
          </p>
          {picked.warnings.map((w) => <p key={w} class="soft">{w}</p>)}
          <AllLinks of={picked.profiles} unit={picked.unit} />
        </section>
      )}
    </>
  );
}

function keyOf(column: string): (r: ResultRow) => string | number {
  switch (column) {
    case 'unit': return (r) => r.unit;
    case 'median': return (r) => r.median ?? -Infinity;
    case 'n': return (r) => r.n;
    default: return nameIn;
  }
}

const nameIn = (r: ResultRow): string => `${r.package ?? ''} ${r.benchmark}`;

/** sure: there are intervals. again: the rows of the benchmark above. */
function columnsOf(packages: boolean, sure: boolean, again: ReadonlySet<ResultRow>): readonly Column<ResultRow>[] {
  const all: readonly Column<ResultRow>[] = [
    {
      id: 'benchmark', title: 'Benchmark', order: 'ascending', kind: (r) => (again.has(r) ? 'soft' : ''),
      cell: (r) => <BenchName name={r.benchmark} pkg={packages ? r.package : undefined} />, text: (r) => r.benchmark,
    },
    {
      id: 'median', title: 'Median', order: 'descending', width: '7rem', align: 'right', cell: (r) => valueText(r.median, r.unit),
      text: (r) => (r.median === null ? '' : withUnit(scaledText(r.median, r.unit), r.unit)),
    },
    {
      id: 'spread', title: '', about: 'Half of the 95 % interval of the median', width: '4.5rem', from: 26, kind: () => 'soft',
      cell: (r) => spreadText(r.median, r.lo, r.hi), text: (r) => spreadText(r.median, r.lo, r.hi),
    },
    {
      id: 'unit', title: 'Unit', order: 'ascending', width: '6.5rem', kind: () => 'soft', cell: (r) => <span class="cut">{r.unit}</span>,
      text: (r) => r.unit,
    },
    {
      id: 'interval', title: '95 % interval', width: '13rem', from: 54, align: 'right', kind: () => 'soft',
      cell: (r) => (r.lo === null || r.hi === null
        ? 'too few samples'
        : r.lo === r.hi ? 'exact'
        : `${valueText(r.lo, r.unit)} – ${valueText(r.hi, r.unit)}`),
      text: (r) => `${r.lo ?? ''} ${r.hi ?? ''}`.trim(),
    },
    {
      id: 'n', title: 'n', about: 'Samples', order: 'descending', width: '4rem', from: 44, align: 'right', kind: () => 'soft',
      cell: (r) => r.n, text: (r) => String(r.n),
    },
    {
      id: 'profiles', title: 'Profile', width: '6rem', from: 36,
      cell: (r) => <RowLinks of={explaining(r.profiles, r.unit)} unit={r.unit} />,
    },
  ];
  return sure ? all : all.filter((c) => c.id !== 'spread' && c.id !== 'interval');
}
