import './continuous.css';
import '../table/pane.css';
import { useMemo, useRef } from 'preact/hooks';
import { records as askRecords, type Records } from '../../api/continuous';
import { columnFigures } from '../../model/column';
import { formatValue } from '../../model/units';
import { useLasting } from '../../state/answer';
import { MOST_RECORDS } from '../../state/options';
import { finder } from '../../state/pattern';
import { formatSpan, parseSelection, timeText, zoneText, type Selection, type Span } from '../../state/selection';
import { selected } from '../../state/selected';
import { go, href, setOwn, type State } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { nounOf } from '../changeWords';
import { formatDuration } from '../facts';
import { follow } from '../link';
import { Button, Empty, ReportState, useMedia } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, TWO_LINES, type Column } from '../table/Table';
import { ExemplarList, WhichProfiles } from './ExemplarList';
import { TopFunction } from './TopFunction';
import { useMarked } from '../table/useMarked';
import { useSearch } from '../table/useSearch';
import type { ViewProps } from '../props';

interface Row {
  id: string;
  time: number;
  duration: number;
  value: number;
  labels: Record<string, string>;
  type: string;
  unit: string;
  profile: string;
}

/** The individual profiles of the selection, to look at one. */
export default function RecordsView({ state }: ViewProps) {
  const sel = selected.value;
  const span = timelineSpan.value;
  if (!sel || !span) return (
    <Empty title="Only one profile"><p>This view lists the profiles of a service of <code>hone serve</code>.</p></Empty>
  );
  const List = state.own.measure === 'exemplars' ? ExemplarList : Listing;
  return <List state={state} sel={sel} span={span} />;
}

function Listing({ state, sel, span }: { state: State; sel: Selection; span: Span }) {
  // Of a single profile the others around it are listed too.
  const time = sel.id ? span : { from: sel.from, to: sel.to };
  const params = { q: sel.q, ...time, sample_type: state.options.sample_index ?? sel.sampleType, top: sel.top, limit: MOST_RECORDS };
  const loading = useLasting(`records ${JSON.stringify(params)}`, (signal) => askRecords(params, signal));
  const all = useMemo(() => rowsOf(loading.answer?.report), [loading.answer?.report]);
  // Those labels tell profiles apart.
  const names = useMemo(() => {
    const values = new Map<string, Set<string>>();
    for (const r of all) for (const [n, v] of Object.entries(r.labels)) values.set(n, (values.get(n) ?? new Set()).add(v));
    const differ = [...values].filter(([n, v]) => v.size > 1 || all.some((r) => r.labels[n] === undefined)).map(([n]) => n);
    // And what ran is told of each, also where all are the same.
    return [...new Set([...differ, ...['instance', 'version'].filter((n) => values.has(n))])];
  }, [all]);
  const order = parseOrder(state.own.order ?? '') ?? { column: 'value', descending: true };
  const find = state.own.find ?? '';
  const rows = useMemo(() => {
    const finds = finder(find);
    const found = all.filter((r) => finds?.(wordsOf(r)) ?? true);
    return sorted(found, keyOf(order.column), order.descending);
  }, [all, find, order.column, order.descending]);
  const box = useRef<HTMLElement>(null);
  const matches = useSearch(state, useMarked(box));
  const narrow = useMedia(NARROW);
  const columns = useMemo(() => columnsOf(names, all, state, span, narrow), [names, all, state, span, narrow]);
  const current = sel.id ? rows.findIndex((r) => r.id === sel.id) : -1;
  return (
    <section ref={box} class="pane" aria-label="Profiles">
      <div class="pane-bar">
        <Find label="Find by label" value={find} onChange={(text) => setOwn('find', text, 'replace')} />
        <WhichProfiles costliest={false} />
        <span class="grow" />
        <Button icon="download" disabled={rows.length === 0} onClick={() => saveTable('profiles.csv', [...columns, ...csvOnly], rows)}>
          CSV
        </Button>
      </div>
      <ReportState
        loading={loading}
        empty={({ report }) => (report.id.length > 0 ? undefined : (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ))}
      >
        {({ report }) => (
          <>
            <Table<Row>
              label="Profiles"
              columns={columns}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(r) => r.id}
              {...(narrow ? { rowRem: TWO_LINES } : {})}
              order={order}
              selected={current}
              {...(matches ? { marked: (r: Row) => matches(wordsOf(r)) } : {})}
              onOrder={(column) => setOwn(
                'order', orderText({ column, descending: order.column === column ? !order.descending : !names.includes(column) }),
                'replace',
              )}
              onOpen={(r) => go(stateOf(state, r, span))}
              empty={`No profile matches “${find}”.`}
            />
            <div class="pane-facts">
              <span>{plural(rows.length, 'profile')}{report.more ? `, the latest ${MOST_RECORDS}` : ''}</span>
              <span class="pane-keys">Double-click or Enter opens one</span>
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

/** What a profile is found by. */
const wordsOf = (r: Row): string => [r.id, ...Object.values(r.labels)].join(' ');

function rowsOf(r: Records | undefined): Row[] {
  if (!r) return [];
  return r.id.map((id, i) => {
    const s = r.labels[r.series[i]!]!;
    return {
      id, time: r.time[i]!, duration: r.duration[i]!, value: r.value[i]!, labels: s.labels, type: s.type, unit: s.unit,
      profile: r.profile[i]!,
    };
  });
}

/** One profile in the flame graph; the timeline stays. */
function stateOf(s: State, r: Row, span: Span): State {
  const { order: _, find: __, zoom: ___, live: ____, ...own } = s.own;
  const one = parseSelection(r.profile, Date.now());
  return {
    ...s, view: 'flame', profile: [r.profile], base: [],
    own: one.from === span.from && one.to === span.to ? own : { ...own, span: formatSpan(span) },
  };
}

function keyOf(column: string): (r: Row) => string | number {
  switch (column) {
    case 'value': return (r) => r.value;
    case 'time': return (r) => r.time;
    case 'duration': return (r) => r.duration;
    default: return (r) => r.labels[column] ?? '';
  }
}

/** How to print the values: those of a unit in one scale. */
function figuresOf(rows: readonly Row[]): (row: Row) => string {
  const printed = (r: Row) => ({ value: r.value, text: formatValue(r.value, r.unit) });
  const units = [...new Set(rows.map((r) => r.unit))];
  const figures = new Map(units.map((unit) => [unit, columnFigures(rows.filter((r) => r.unit === unit).map(printed), unit)]));
  return (r) => figures.get(r.unit)!(printed(r));
}

/** Where the labels have no columns, the one that says whose profile it is goes below the time. */
const NARROW = '(width < 44rem)';

/** What values are of, if all are of one type. */
function titleOf(rows: readonly Row[]): string {
  const types = new Set(rows.map((r) => r.type));
  return types.size === 1 ? nounOf([...types][0]!).replace(/^The (?:number|total) of (.)/, (_, c: string) => c.toUpperCase()) : 'Value';
}

function columnsOf(names: readonly string[], all: readonly Row[], state: State, span: Span, narrow: boolean): Column<Row>[] {
  const figure = figuresOf(all);
  const mean = all.reduce((sum, r) => sum + r.value, 0) / Math.max(1, all.length);
  const most = all.reduce((m, r) => Math.max(m, r.value), 0);
  const whose = (r: Row) => r.labels[names.includes('instance') ? 'instance' : names[0] ?? ''] ?? '';
  return [
    {
      id: 'time', title: `Began, ${zoneText(span.to)}`, order: 'descending', width: narrow ? '8rem' : '11rem',
      cell: (r) => {
        const to = stateOf(state, r, span);
        const link = <a tabIndex={-1} class="record-link num" href={href(to)} onClick={follow(() => go(to))}>{timeText(r.time, true)}</a>;
        return narrow ? <span class="record-whose">{link}<small class="cut" title={whose(r)}>{whose(r)}</small></span> : link;
      },
      text: (r) => new Date(r.time).toISOString(),
    },
    {
      id: 'value', title: titleOf(all), about: 'Of all samples', order: 'descending', align: 'right',
      width: `clamp(${narrow ? 5.5 : 7}rem, 14cqi, 14rem)`,
      cell: figure, text: (r) => String(r.value), share: (r) => (most > 0 ? (100 * r.value) / most : 0),
    },
    {
      id: 'mean', title: '× mean', about: 'Compared with the mean of the profiles listed', width: '5rem', align: 'right', from: 60,
      cell: (r) => <span class={r.value >= 2 * mean ? 'records-much' : 'soft'}>{mean > 0 ? `${timesText(r.value / mean)}×` : ''}</span>,
      text: (r) => (mean > 0 ? String(r.value / mean) : ''),
    },
    {
      id: 'top', title: 'Top function', about: 'What takes most of this profile, without what it calls', from: 20,
      width: `minmax(${narrow ? 8 : 9}rem, 1.6fr)`,
      cell: (r) => {
        const top = <TopFunction profile={r.profile} type={r.type} />;
        return narrow ? <span class="record-top">{top}</span> : top;
      },
    },
    {
      id: 'duration', title: 'Duration', order: 'descending', width: '6rem', align: 'right', from: 52,
      cell: (r) => (r.duration > 0 ? formatDuration(r.duration) : 'a moment'), text: (r) => String(r.duration),
    },
    ...names.map((name): Column<Row> => ({
      id: name, title: name, order: 'ascending', width: 'minmax(5rem, 9rem)', from: name === 'instance' ? 44 : 56,
      cell: (r) => <span class="cut" title={r.labels[name]}>{r.labels[name] ?? ''}</span>, text: (r) => r.labels[name] ?? '',
    })),
    {
      id: 'id', title: 'Id', from: 96, width: '7rem', kind: () => 'soft mono', cell: (r) => <span title={r.id}>{r.id.slice(0, 8)}…</span>,
      text: (r) => r.id,
    },
  ];
}

const timesText = (n: number) => (n >= 10 ? n.toFixed(0) : n.toFixed(1));

/** What files have besides. */
const csvOnly: readonly Column<Row>[] = [
  { id: 'type', title: 'Type', cell: () => null, text: (r) => `${r.type}/${r.unit}` },
  { id: 'labels', title: 'Labels', cell: () => null, text: (r) => Object.entries(r.labels).map(([n, v]) => `${n}=${v}`).join(' ') },
];
