// What changed between two sides: a row per benchmark and unit, with the verdict.

import { useMemo } from 'preact/hooks';
import type { Compared, Comparison, Explanation, RunProfile } from '../../api/runs';
import { unitAbout, withUnit } from '../../model/quantity';
import { finder } from '../../state/pattern';
import { goRuns, rowID, runsHref, setRuns, type Finding, type RunsState } from '../../state/runs';
import { follow } from '../link';
import { Button, IconButton, tip, useMedia } from '../parts';
import { Find } from '../table/Find';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, TWO_LINES, type Column } from '../table/Table';
import { sideNames } from '../vocabulary';
import { BenchName } from './BenchName';
import { Moved } from './Moved';
import { AllLinks, explaining, openProfile, pairs, profilesOf, RowLinks, type ProfilePair } from './ProfileLinks';
import { UnitPicker } from './UnitPicker';
import { changed, judgedText, rowChange, signOf, verdicts, verdictText } from './words';

interface SideRow {
  c: Compared;
  shown: Comparison['shown'][number][number];
  profiles: ProfilePair[];
  /** How far it moved, whichever way. */
  size: number;
}

/** A change's size, so that halved and doubled are alike. */
export function moved(c: Pick<Compared, 'change' | 'scale' | 'base' | 'head'>): number {
  if (c.change === null) return c.base && c.head && c.base.median !== c.head.median ? Infinity : -1;
  if (c.scale === 'ratio') return c.change > 0 ? Math.abs(Math.log(c.change)) : Infinity;
  const scale = Math.abs(c.base?.median ?? 0) || Math.abs(c.head?.median ?? 0) || 1;
  return Math.abs(c.change) / scale;
}

interface SidesProps {
  state: RunsState;
  comparison: Comparison;
  /** Profiles of both sides, of the right side of their runs. */
  base: readonly RunProfile[];
  head: readonly RunProfile[];
}

export function Sides({ state, comparison, base, head }: SidesProps) {
  const family = comparison.comparisons[0]!;
  const shown = comparison.shown[0]!;
  const baseSide = comparison.columns[0]!.side ?? 'head';
  const headSide = comparison.columns[1]!.side ?? 'head';
  const all = useMemo<SideRow[]>(
    () => family.comparisons.map((c, i) => ({
      c, shown: shown[i]!, size: moved(c),
      profiles: pairs(profilesOf(head, c.package, c.benchmark, headSide), profilesOf(base, c.package, c.benchmark, baseSide))
        .map((p) => ({ ...p, finding: findingOf(family, shown, c, p.kind, shown[i]!.unit) })),
    })),
    [family, shown, base, head],
  );
  const units = useMemo(() => [...new Set(all.map((r) => r.shown.unit))], [all]);
  const packages = new Set(all.map((r) => r.c.package)).size;
  const order = parseOrder(state.order);
  const rows = useMemo(() => {
    const finds = finder(state.find);
    const found = all.filter((r) => (!state.unit || r.shown.unit === state.unit) && (state.only !== 'changed' || changed(r.c.verdict))
      && (finds?.(`${idOf(r)} ${r.shown.verdict} ${verdictText(r.c.verdict, r.shown.verdict)}`) ?? true));
    return order ? sorted(found, keyOf(order.column), order.descending) : found;
  }, [all, state.find, state.unit, state.only, order?.column, order?.descending]);
  const narrow = useMedia(NARROW);
  const columns = useMemo(() => columnsOf(packages > 1, narrow), [packages > 1, narrow]);
  const selected = state.pick ? rows.findIndex((r) => idOf(r) === state.pick) : -1;
  const picked = rows[selected];
  const movers = order?.column === 'change' && order.descending;
  return (
    <>
      <div class="pane-bar">
        <Find label="Find benchmarks" value={state.find} onChange={(find) => setRuns({ find })} />
        <UnitPicker units={units} value={state.unit} />
        <span class="segments" role="group" aria-label="Which">
          <Button aria-pressed={state.only !== 'changed'} onClick={() => setRuns({ only: '' })}>All</Button>
          <Button aria-pressed={state.only === 'changed'} onClick={() => setRuns({ only: 'changed' })}>Changed</Button>
        </span>
        <Button aria-pressed={movers} onClick={() => setRuns({ order: movers ? '' : '-change' })} {...tip('Largest changes first')}>
          Biggest movers
        </Button>
      </div>
      <Table<SideRow>
        label="Comparison"
        columns={columns}
        count={rows.length}
        row={(i) => rows[i]}
        {...(narrow ? { rowRem: TWO_LINES } : {})}
        rowKey={idOf}
        order={order}
        onOrder={(column) =>
          setRuns({ order: orderText({ column, descending: order?.column === column ? !order.descending : column === 'change' }) })}
        selected={selected}
        onSelect={(r) => setRuns({ pick: idOf(r) })}
        onOpen={(r) => {
          const p = explaining(r.profiles, r.shown.unit);
          if (p) openProfile(p, p.base === undefined ? 'flame' : 'diff', r.shown.unit);
        }}
        dim={(r) => !changed(r.c.verdict)}
        empty={state.only === 'changed' && !state.find ? 'No change exceeds the noise.' : 'No benchmark matches.'}
      />
      {picked && (
        <Detail
          row={picked}
          explanation={family.explanations.find((e) => e.benchmark === picked.c.benchmark
            && (e.package ?? '') === (picked.c.package ?? '') && e.unit === picked.shown.unit)}
        />
      )}
    </>
  );
}

/** What was found about a benchmark that a profile of a kind explains: of the unit asked for, or of the kind's own. */
export function findingOf(
  family: Comparison['comparisons'][number], shown: Comparison['shown'][number], of: Compared, kind: string, unit: string,
): Finding | undefined {
  const memory = kind === 'mem' || kind === 'allocs';
  // The time of a request under load is not all CPU time: where that is known, it is what counts.
  const cpu = shown.some((s, j) => s.unit === 'cpu-sec/op' && family.comparisons[j]!.benchmark === of.benchmark) ? 'cpu-sec/op' : 'sec/op';
  const wanted = memory ? (unit === 'allocs/op' ? unit : 'B/op') : kind === 'cpu' ? cpu : '';
  const i = family.comparisons.findIndex((c, j) => c.benchmark === of.benchmark
    && (c.package ?? '') === (of.package ?? '') && shown[j]!.unit === wanted);
  const c = family.comparisons[i];
  if (!c?.base?.median || !c.head?.median) return undefined;
  const explanation =
    family.explanations.find((e) => e.benchmark === c.benchmark && (e.package ?? '') === (c.package ?? '') && e.unit === wanted);
  return {
    row: rowID({ ...(c.package ? { package: c.package } : {}), benchmark: c.benchmark, unit: wanted }),
    ratio: explanation?.ratio || c.base.median / c.head.median,
  };
}

const idOf = (r: SideRow) => rowID({ ...(r.c.package ? { package: r.c.package } : {}), benchmark: r.c.benchmark, unit: r.shown.unit });

function keyOf(column: string): (r: SideRow) => string | number {
  switch (column) {
    case 'unit': return (r) => r.shown.unit;
    case 'change': return (r) => r.size;
    case 'verdict': return (r) => r.shown.verdict;
    case 'p': return (r) => r.c.p ?? 2;
    default: return (r) => `${r.c.package ?? ''} ${r.c.benchmark}`;
  }
}

const kind = (r: SideRow) => verdicts[r.c.verdict].kind;
const sideText = (text: string, unit: string): string => (text === '-' ? '' : withUnit(text, unit));
const neutral = (c: Compared) => (c.scale === 'ratio' ? 1 : 0);

/** There, the verdict is below the benchmark's name. */
const NARROW = '(width < 48rem)';

const verdictLine = ({ c, shown }: SideRow): string =>
  [verdictText(c.verdict, shown.verdict), shown.interval === '-' ? '' : shown.interval].filter(Boolean).join(', ');

function columnsOf(packages: boolean, narrow: boolean): readonly Column<SideRow>[] {
  return [
    {
      id: 'benchmark', title: 'Benchmark', order: 'ascending',
      cell: (r) => (narrow ? (
        <span class="runs-two">
          <BenchName name={r.c.benchmark} pkg={packages ? r.c.package : undefined} />
          <small class={`cut ${kind(r)}`} title={r.shown.verdict}>{verdictLine(r)}</small>
        </span>
      ) : <BenchName name={r.c.benchmark} pkg={packages ? r.c.package : undefined} />),
      text: (r) => r.c.benchmark,
    },
    {
      id: 'unit', title: 'Unit', order: 'ascending', width: '5.5rem', kind: () => 'soft',
      cell: (r) => <span class="cut" title={unitAbout(r.shown.unit)}>{r.shown.unit}</span>, text: (r) => r.shown.unit,
    },
    {
      id: 'base', title: sideNames.base, width: '6.5rem', align: 'right', from: 40, kind: () => 'soft',
      cell: (r) => sideText(r.shown.base, r.shown.unit), text: (r) => r.shown.base,
    },
    {
      id: 'head', title: sideNames.head, width: '6.5rem', align: 'right', from: 34, cell: (r) => sideText(r.shown.head, r.shown.unit),
      text: (r) => r.shown.head,
    },
    {
      id: 'change', title: 'Change', about: 'By size, in either direction', order: 'descending', width: '6.5rem', align: 'right', kind,
      cell: (r) => (
        <span aria-label={`${r.shown.change}, ${r.shown.verdict}`}>
          {signOf(r.c.verdict, r.c.change, neutral(r.c))} {rowChange(r.shown.change, r.c.verdict)}
        </span>
      ), text: (r) =>
        r.shown.change,
    },
    {
      id: 'interval', title: 'Interval', about: '95 % confidence interval of the change', width: '11.5rem', align: 'right', from: 56,
      kind: () => 'soft', cell: (r) => (r.shown.interval === '-' ? '' : r.shown.interval), text: (r) => r.shown.interval,
    },
    {
      id: 'p', title: 'p', about: 'Without the correction for many rows', order: 'ascending', width: '4.5rem', align: 'right', from: 74,
      kind: () => 'soft', cell: (r) => pText(r.c.p), text: (r) => pText(r.c.p),
    },
    {
      id: 'verdict', title: 'Verdict', order: 'ascending', width: 'minmax(11rem, 1fr)', from: 46, kind,
      cell: (r) => <span class="cut" title={r.shown.verdict}>{verdictText(r.c.verdict, r.shown.verdict)}</span>,
      text: (r) => r.shown.verdict,
    },
    {
      id: 'profiles', title: 'Profiles', width: '6.5rem', from: 64,
      cell: (r) => <RowLinks of={explaining(r.profiles, r.shown.unit)} unit={r.shown.unit} />,
    },
  ];
}

function pText(p: number | null): string {
  if (p === null) return '';
  return p < 0.0001 ? '<0.0001' : p.toPrecision(2);
}

function Detail({ row: { c, shown, profiles }, explanation }: { row: SideRow; explanation: Explanation | undefined }) {
  const pick = rowID({ ...(c.package ? { package: c.package } : {}), benchmark: c.benchmark, unit: shown.unit });
  return (
    <section class="runs-detail" aria-label="Selected benchmark">
      <header>
        <div>
          <h2>{c.package && <span class="soft">{c.package}.</span>}{c.benchmark}, {shown.unit}</h2>
          <p>
            {withUnit(shown.base, shown.unit)} → {withUnit(shown.head, shown.unit)},{' '}
            <b class={verdicts[c.verdict].kind} title={shown.verdict}>{judgedText(c.verdict, shown)}</b>
            <span class="soft">
              {' '}{shown.interval !== '-' && `${shown.interval} · `}{c.p !== null && `p ${pText(c.p)} · `}{c.base?.n ?? 0} and {c.head?.n
                ?? 0} samples{c.pairs > 0
                && `, ${c.pairs} pairs`}
            </span>
            {' · '}
            <a href={runsHref({ page: 'trend', pick })} onClick={follow(() => goRuns({ page: 'trend', pick }))}>Trend</a>
          </p>
        </div>
        <IconButton icon="close" label="Close" onClick={() => setRuns({ pick: '' })} />
      </header>
      {c.warnings?.map((w) => <p key={w} class="soft">{w}</p>)}
      {explanation && <Moved explanation={explanation} />}
      {explanation?.caveat && <p class="soft">{explanation.caveat}</p>}
      <AllLinks of={profiles} unit={shown.unit} />
    </section>
  );
}
