import { useCallback, useMemo } from 'preact/hooks';
import type { Diff, DiffRow, DiffValue } from '../../api/types';
import { columnFigures, type Figure } from '../../model/column';
import { comparableOf } from '../../state/comparable';
import { queryOf, selectFunction, setOption, setOwn, stored, type State } from '../../state/state';
import { shownName } from '../../state/profiles';
import { patternOf } from '../../state/pattern';
import { choosing } from '../continuous/picking';
import { isUnclear, nounOf } from '../changeWords';
import { NoDifference } from '../NoDifference';
import { chooseOrTell, ProfileList } from '../ProfilePicker';
import { Button, Empty, openFunctionMenu, ReportState, tip, useMedia } from '../parts';
import { Find } from '../table/Find';
import { changeText, count, endText, plural } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { orderText, parseOrder, sorted, type Order } from '../table/order';
import { extend, untrimmed } from '../table/query';
import { openSource } from '../table/select';
import { Table, TWO_LINES, type Column } from '../table/Table';
import { usePages } from '../table/usePages';
import { nextRow } from '../table/range';
import { useSearch, useStable } from '../table/useSearch';
import { dark } from '../../state/theme';
import { changeFill, frameTheme, PLAIN } from '../../theme/frames';
import type { ViewProps } from '../props';
import { COSTS, sideNames } from '../vocabulary';
import { rowStep } from './swatch';
import '../table/pane.css';
import './diff.css';

const PAGE = 5000;
const rowsOf = (diff: Diff) => diff.rows;

/** What changed between two sides, function by function. */
export default function DiffView({ state, beside = false }: ViewProps) {
  const compared = state.base.length > 0;
  return (
    <section class="pane" aria-label="Diff">
      {compared ? <Comparison state={state} beside={beside} /> : (
        <Empty title="Nothing to compare with" icon="compare">
          <p>Choose what it was before. This view then shows which functions cost more or less, and which are new or gone.</p>
          {stored.value
            ? <Button kind="primary" icon="compare" onClick={() => { choosing.value = true; }}>Compare to…</Button>
            : (
              <ProfileList
                label="Compare with"
                base
                chosen={[]}
                without={state.profile}
                onChoose={(ids) => void chooseOrTell('base', ids)}
              />
            )}
        </Empty>
      )}
    </section>
  );
}

function Comparison({ state, beside }: { state: State; beside: boolean }) {
  const order = state.own['order'] ?? '';
  const find = state.own['find'] ?? '';
  const relative = state.own['relative'] === '1';
  const by = state.options['sort'] === 'cum' ? 'cum' : 'flat';
  // The server's order is by the size of the change; with callees, causes come before their callers.
  const wanted = order || (relative ? '-size' : '');

  // The server orders and finds, but by the base: few tables are so long that it matters.
  const ordered = parseOrder(wanted);
  const byBase = ordered?.column === 'base' ? ordered : null;
  const query = extend(untrimmed(queryOf(state), state.options), { order: byBase ? '' : serverOrder(ordered, by), find: patternOf(find) });
  const pages = usePages<Diff, DiffRow>('diff', query, PAGE, rowsOf);
  const { need, total } = pages;
  const loading = pages.first;
  const report = loading.answer?.report;
  const whole = report !== undefined && report.rows.length >= total;
  const onRange = useCallback((first: number, end: number) => need(first, end), [need]);

  const loaded = useMemo(() => {
    const rows = report?.rows ?? [];
    return byBase && whole ? sorted(rows, (r) => r[by].base, byBase.descending) : rows;
  }, [report, by, byBase?.descending, whole]);
  const row = (i: number) => (i < loaded.length ? loaded[i] : pages.row(i));
  // If no change is sure, bars are scaled to the total, not to the largest change.
  const most = useMemo(() => {
    const sure = loaded.some((r) => !isNoise(r, by));
    return loaded.reduce((m, r) => Math.max(m, Math.abs(r[by].delta)), sure ? 1 : Math.max(1, report?.compared ?? 0));
  }, [loaded, by, report]);
  const tested = (report?.tested ?? 0) > 0;
  const known = report?.basis === 'samples' || report?.basis === 'instances';
  const isDark = dark.value;
  const narrow = useMedia(NARROW);
  const asked = state.options.unit !== undefined;
  const columns = useMemo(
    () => {
      const fills = frameTheme(isDark).fills[PLAIN]!;
      const total = Math.max(report?.compared ?? 0, report?.headTotal ?? 0);
      const swatch = (r: DiffRow) => fills[changeFill(rowStep(r, 'cum', total))]!; // as frames, which have their callees
      const figure = figuresOf(loaded, by, report?.unit ?? '', asked);
      const chars = loaded.reduce((most, r) => Math.max(most, figure(r, 'delta').length + 2), 0); // with an arrow
      const all = columnsOf(by, figure, chars, relative, most, whole, swatch, narrow);
      return all.filter((c) => (c.id !== 'test' || tested) && (c.id !== 'interval' || known) && !(narrow && c.id === 'relative'));
    },
    [by, loaded, report, relative, most, whole, tested, known, isDark, asked, narrow],
  );
  const selected = useMemo(() => (state.fn ? loaded.findIndex((r) => functionOf(r) === state.fn) : -1), [loaded, state.fn]);
  const matches = useSearch(state, useStable((direction) => {
    const at = nextRow(selected, direction, total, (i) => matches?.(row(i)?.name ?? '') ?? false);
    const next = at >= 0 ? row(at) : undefined;
    if (next) selectFunction(functionOf(next));
  }), beside);
  const causes = ordered === null && by === 'cum';
  const largest = { column: relative ? 'relative' : 'delta', descending: true };
  const shown: Order | null = causes ? null : ordered && ordered.column !== 'size' ? ordered : largest;

  const onOrder = (column: string) => {
    const now = parseOrder(order);
    const descending = now?.column === column ? !now.descending : column !== 'name';
    setOwn('order', orderText({ column, descending }), 'replace');
  };

  return (
    <>
      {beside ? null : report && !loading.error ? <Totals diff={report} state={state} /> : <div class="totals" />}
      <div class="pane-bar">
        <Find label="Find in names" value={find} onChange={(text) => setOwn('find', text, 'replace')} />
        <span class="grow" />
        <span class="segments" role="group" aria-label="Value">
          <Button aria-pressed={by === 'flat'} onClick={() => setOption('sort', '', 'replace')} {...tip(COSTS.flat.about('function'))}>
            {COSTS.flat.title}
          </Button>
          <Button aria-pressed={by === 'cum'} onClick={() => setOption('sort', 'cum', 'replace')} {...tip(COSTS.cum.about('function'))}>
            {COSTS.cum.title}
          </Button>
        </span>
        <span class="segments change-by" role="group" aria-label="Change">
          <Button
            aria-pressed={!relative}
            onClick={() => setOwn('relative', '', 'replace')}
            {...tip('Absolute change: what matters for the total')}
          >Absolute</Button>
          <Button aria-pressed={relative} onClick={() => setOwn('relative', '1', 'replace')} {...tip('Change in percent of before')}>
            Relative
          </Button>
        </span>
      </div>
      <ReportState
        loading={loading}
        empty={({ report: r }) => (r.rows.length > 0 || find ? undefined : <NoDifference diff={r} />)}
      >
        {({ report: r }) => (
          <>
            <Table<DiffRow>
              label="Functions by change"
              columns={columns}
              count={total}
              row={row}
              {...(narrow ? { rowRem: TWO_LINES } : {})}
              rowKey={(r, i) => `${r.name}#${i}`}
              order={shown}
              onOrder={onOrder}
              selected={selected}
              onSelect={(r) => selectFunction(functionOf(r))}
              onOpen={(r) => openSource(functionOf(r))}
              onMenu={(r, x, y) => openFunctionMenu(functionOf(r), { x, y })}
              onRange={onRange}
              dim={(r) => isNoise(r, by)}
              {...(matches ? { marked: (r: DiffRow) => matches(r.name) } : {})}
              empty={`No name matches “${find}”.`}
            />
            <div class="pane-facts">
              <span>{plural(total, 'row')}</span>
              {causes && <span>What explains the change best comes first, before its callers</span>}
              {!find && r.functions > total && <span>{count(r.functions)} functions in total; the others didn’t change</span>}
              {basis(r) && <span>Dim rows are within noise, {basis(r)}</span>}
            </div>
          </>
        )}
      </ReportState>
    </>
  );
}

/** Whether chance explains the change of a row; false if that is unknown. */
function isNoise(row: DiffRow, by: 'flat' | 'cum'): boolean {
  return row.test ? !row.test.significant : (row.noise?.[by] ?? false);
}

/** What tells whether a change is noise. */
function basis(d: Diff): string {
  if (d.tested > 0) return `by a test of ${plural(d.tested, 'function')}`;
  if (d.instances) return `by how instances differ: ${d.instances[0]} before, ${d.instances[1]} after`;
  return d.rows.some((r) => r.noise) ? 'by the number of samples' : '';
}

/** Rows are called by function and place; the function is what other views know. */
function functionOf(row: DiffRow): string {
  return row.name;
}

/** The order as the server calls it: head is the value of the report's own side. */
function serverOrder(order: Order | null, by: 'flat' | 'cum'): string {
  if (!order || !/^(name|delta|relative|size|head)$/.test(order.column)) return '';
  return orderText({ ...order, column: order.column === 'head' ? by : order.column });
}

/** New functions grew without bound. */
function relativeOf(row: DiffRow, by: 'flat' | 'cum'): number {
  const v = row[by];
  if (v.relative !== undefined) return v.relative;
  return v.delta > 0 ? Infinity : v.delta < 0 ? -Infinity : 0;
}

type Side = 'base' | 'head' | 'delta' | 'low' | 'high';

/** A side of a value, or how it changed, as the server prints it; the sign of a change stands before its figure. */
function sideOf(v: DiffValue, side: Side): Figure {
  // The ends of an interval are printed in the column's unit, or not at all.
  if (side === 'low' || side === 'high') return { value: v.interval?.[side] ?? 0, text: '' };
  return { value: v[side], text: v[`${side}Text`].replace(/^\+/, '') };
}

/** The interval of a change, without the unit, which is next to it. If the column has no unit, it is as the server prints it. */
function intervalText({ interval }: DiffValue, figure: (side: Side) => string): string {
  if (!interval) return '';
  const ends = (['low', 'high'] as const).map((side) => endText(figure(side)));
  return ends.includes('') ? interval.text : `[${ends.join(', ')}]`;
}

/** How to print both sides and the change, in one unit: that of the sentences, unless an option asks for another. */
function figuresOf(rows: readonly DiffRow[], by: 'flat' | 'cum', unit: string, asked: boolean): (row: DiffRow, side: Side) => string {
  const all = rows.flatMap((r) => [sideOf(r[by], 'base'), sideOf(r[by], 'head'), sideOf(r[by], 'delta')]);
  const figure = columnFigures(all, unit, !asked);
  const signed = (side: Side) => side !== 'base' && side !== 'head';
  return (r, side) => {
    const of = sideOf(r[by], side);
    const text = figure(of);
    return signed(side) && of.value > 0 ? text.replace(/^<?(?=.)/, '$&+') : text;
  };
}

const NARROW = '(width < 30rem)'; // there, a row has two lines
const BARS = 56; // rem from which there is room for a column of bars; diff.css has it, too, and a scroll bar more
const BADGES = 32; // characters of a name from which there is room for a badge, too

function columnsOf(
  by: 'flat' | 'cum', figure: (row: DiffRow, side: Side) => string, chars: number, relative: boolean, most: number, whole: boolean,
  swatch: (row: DiffRow) => string, narrow: boolean,
): readonly Column<DiffRow>[] {
  const share = (r: DiffRow) => {
    if (!relative) return (100 * r[by].delta) / most;
    return Math.max(-100, Math.min(100, 100 * relativeOf(r, by)));
  };
  // Colours and arrows are for what changed for sure.
  const sure = (r: DiffRow) => (isNoise(r, by) ? 0 : r[by].delta);
  const kind = (r: DiffRow) => direction(sure(r));
  const inPercent = (r: DiffRow) => (r.new ? 'new' : changeText(r[by].relative));
  const sides = (r: DiffRow) => `${figure(r, 'base')} → ${figure(r, 'head')}`;
  return [
    {
      id: 'swatch', title: COSTS.cum.title, from: 30, about: 'Colour in the flame graph: the change in total', width: '3.25rem',
      cell: (r) => (
        <i
          class="diff-swatch"
          style={{ background: swatch(r) }}
          title={`Its colour in the flame graph, by the change in total: ${r.cum.deltaText || '0'}`}
        />
      ),
    },
    {
      id: 'bar', title: relative ? 'Less ◂ 100% ▸ More' : 'Less ◂ ▸ More', width: 'clamp(9rem, 20cqi, 28rem)', from: BARS,
      cell: (r) => <Change share={share(r)} gone={r.gone} noise={isNoise(r, by)} />,
    },
    {
      id: 'delta', title: 'Change', width: `max(5.5rem, ${chars} * 0.85ch + 1.5rem)`, align: 'right', order: 'descending',
      kind: (r) => `${kind(r)} change-cell`, share,
      cell: (r) => (narrow ? (
        <span class="diff-two">{arrow(sure(r))} {figure(r, 'delta')}<small>{inPercent(r)}</small></span>
      ) : <>{arrow(sure(r))} {figure(r, 'delta')}</>),
      text: (r) => r[by].deltaText,
    },
    {
      id: 'relative', title: 'In %', about: 'Change in percent of before', width: 'clamp(4.5rem, 12cqi, 6rem)', align: 'right',
      order: 'descending', from: 20, kind,
      cell: inPercent, text: (r) => changeText(r[by].relative),
    },
    {
      id: 'interval', title: '95 % interval', about: 'Of the change: chance explains a change whose interval contains 0', width: '11rem',
      align: 'right', from: 44, kind: () => 'soft',
      cell: (r) => intervalText(r[by], (value) => figure(r, value)), text: (r) => r[by].interval?.text ?? '',
    },
    {
      id: 'base', title: sideNames.base, width: '6rem', align: 'right', ...(whole ? { order: 'descending' as const } : {}), from: 66,
      kind: (r) => (r[by].base === 0 ? 'soft' : ''), cell: (r) => figure(r, 'base'), text: (r) => r[by].baseText,
    },
    {
      id: 'head', title: sideNames.head, width: '6rem', align: 'right', order: 'descending', from: 60,
      kind: (r) => (r[by].head === 0 ? 'soft' : ''), cell: (r) => figure(r, 'head'), text: (r) => r[by].headText,
    },
    {
      id: 'test', title: 'p', about: 'Mann–Whitney U test, adjusted for the number of functions', width: '5.5rem', align: 'right', from: 66,
      kind: (r) => (r.test?.significant ? '' : 'soft'),
      cell: (r) => r.test && (
        <span
          title={`p = ${r.test.p.toPrecision(2)}, adjusted ${r.test.holm.toPrecision(2)}: `
            + `${r.test.significant ? 'significant' : 'may be noise'}`}
        >
          {r.test.significant ? '' : '~ '}{r.test.holm.toPrecision(2)}
        </span>
      ),
      text: (r) => (r.test ? r.test.holm.toPrecision(2) : ''),
    },
    {
      id: 'name', title: 'Function', order: 'ascending',
      // Where there is little room, the percents have to say it.
      cell: (r, { chars }) => (narrow ? (
        <span class="diff-two">
          <FunctionName place={{ name: r.name }} chars={chars} />
          <small>{intervalText(r[by], (value) => figure(r, value))} {sides(r)}</small>
        </span>
      ) : chars < BADGES ? <FunctionName place={{ name: r.name }} chars={chars} /> : (
        <>
          <FunctionName place={{ name: r.name }} chars={r.new || r.gone ? chars - 7 : chars} />
          {r.new && <span class={`badge ${isNoise(r, by) ? 'soft' : 'more'}`}>new</span>}
          {r.gone && <span class={`badge ${isNoise(r, by) ? 'soft' : 'less'}`}>gone</span>}
        </>
      )),
      text: (r) => r.name,
    },
  ];
}

function direction(delta: number): string {
  return delta > 0 ? 'more' : delta < 0 ? 'less' : 'soft';
}

function arrow(delta: number): string {
  return delta > 0 ? '▲' : delta < 0 ? '▼' : '';
}

/** A bar of a change; what is gone is hatched, as in the flame graph. */
function Change({ share, gone = false, noise }: { share: number; gone?: boolean | undefined; noise: boolean }) {
  return (
    <span class={`change-bar ${direction(share)}${gone ? ' gone' : ''}${noise ? ' noise' : ''}`} aria-hidden="true">
      <i style={{ '--share': `${Math.min(100, Math.abs(share))}%` }} />
    </span>
  );
}

function Totals({ diff, state }: { diff: Diff; state: State }) {
  // Scaled to the same total the sides have no change in all, only in shares.
  const { lead } = comparableOf(state);
  const shares = diff.normalized && state.options.base_total === undefined;
  const delta = diff.headTotal - diff.compared;
  const relative = diff.compared === 0 ? undefined : delta / Math.abs(diff.compared);
  const sure = diff.total?.noise ? 0 : delta;
  const widest = Math.max(Math.abs(diff.compared), Math.abs(diff.headTotal), 1);
  return (
    <div class="totals">
      <dl>
        <div>
          <dt>
            <span class="picker-side">A</span> {sideNames.base}{' '}
            <span class="mono" title={shownName(state.base)}>{shownName(state.base)}</span>
            {diff.baseRuns > 1 && ` (mean of ${diff.baseRuns} runs)`}
          </dt>
          <dd><i style={{ '--share': `${(100 * Math.abs(diff.compared)) / widest}%` }} /><b>{diff.comparedText}</b>{diff.normalized && (
            <span class="soft"> scaled from {diff.baseTotalText}</span>
          )}</dd>
        </div>
        <div>
          <dt>
            <span class="picker-side">B</span> {sideNames.head}{' '}
            <span class="mono" title={shownName(state.profile)}>{shownName(state.profile)}</span>
            {diff.headRuns > 1 && ` (mean of ${diff.headRuns} runs)`}
          </dt>
          <dd><i style={{ '--share': `${(100 * Math.abs(diff.headTotal)) / widest}%` }} /><b>{diff.headTotalText}</b></dd>
        </div>
      </dl>
      <p class={`totals-change ${direction(sure)}`}>
        <b>{shares ? 'Shares' : <>{arrow(sure)} {changeText(relative) || '0%'}</>}</b>
        <span class="soft">
          {nounOf(diff.type)}{lead && ` ${lead.toLowerCase()}`}{shares ? ', scaled to one total' : ''}
          {!shares && diff.total?.noise && (isUnclear(diff) ? ', can’t tell' : ', within noise')}
        </span>
      </p>
    </div>
  );
}
