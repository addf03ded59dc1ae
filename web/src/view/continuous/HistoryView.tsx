import './continuous.css';
import '../table/pane.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { history as askHistory, markers as askMarkers, type FunctionHistory, type History, type Marker } from '../../api/continuous';
import { useLasting } from '../../state/answer';
import { markersRound } from '../../state/continuous';
import { HISTORY, historyOptions } from '../../state/options';
import { foldable } from '../../state/profiles';
import {
  formatSpan, formatValues, lengthText, parseSpan, parseValues, serviceOf, spanText, type Selection, type Span,
} from '../../state/selection';
import { selected, withSelection } from '../../state/selected';
import { go, historySpan, href, selectFunction, setOption, setOwn, type State } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { TimeChart, type ChartFlag, type ChartPoint } from '../chart/TimeChart';
import { Button, Empty, Menu, ReportState, tip, type MenuItem } from '../parts';
import { saveTable } from '../table/csv';
import { percentText, plural } from '../table/format';
import { orderText, parseOrder } from '../table/order';
import { nextRow } from '../table/range';
import type { Column } from '../table/Table';
import { useSearch, useStable } from '../table/useSearch';
import type { ViewProps } from '../props';
import { formatValue } from '../../model/units';
import { COSTS } from '../vocabulary';
import { Add } from './HistoryAdd';
import { columnsOf, HistoryTable } from './HistoryTable';
import { costsOf, isPerRequest, linesOf, rateText, sharesOf, TONES } from './history';
import { thirdsChange, versionChange } from './historyChange';
import { isBytes } from './words';

/** What functions rank by, by the column that they are ordered by. */
const RANKS: Record<string, string> = { change: 'change', first: 'first', mean: 'share' };
const USUAL_ORDER = { column: 'change', descending: true };

const functionsOf = (s: State): string[] => (s.own.fns ?? '').split('\n').filter(Boolean);
const setFunctions = (names: readonly string[]) => setOwn('fns', names.join('\n'));

/** How the share of functions went over all of the timeline, and which version changed it. */
export default function HistoryView({ state }: ViewProps) {
  const sel = selected.value;
  const span = timelineSpan.value;
  if (!sel || !span) return <Empty title="History needs profiles in the store"><p>Open a service of <code>hone serve</code>.</p></Empty>;
  return <Shown state={state} sel={sel} span={span} />;
}

function Shown({ state, sel, span }: { state: State; sel: Selection; span: Span }) {
  const named = functionsOf(state);
  const cum = state.options.sort === 'cum';
  const [leftOut, setLeftOut] = useState<readonly string[]>([]); // columns of the table
  const inCost = state.own.measure === 'cost';
  const wanted = parseOrder(state.own.order ?? '') ?? USUAL_ORDER;
  const order = RANKS[wanted.column] ? wanted : USUAL_ORDER; // other tables have columns of their own
  // The selected function is there, wherever it ranks. A walk through the table asks for nothing.
  const last = useRef<{ besides: string; shown: ReadonlySet<string> }>({ besides: '', shown: new Set() });
  const besides = last.current.shown.has(state.fn) ? last.current.besides : state.fn;
  const params: Record<string, string | number | readonly string[]> = {
    q: sel.q, from: span.from, to: span.to, sample_type: state.options.sample_index ?? sel.sampleType, top: sel.top, points: HISTORY.points,
    ...(sel.per === 'request' && { per: sel.per }),
    order: cum ? 'cum' : '', rank: RANKS[order.column]!,
    ...(named.length > 0
      ? { function: besides ? [...new Set([...named, besides])] : named }
      : { limit: HISTORY.rows, with: besides ? [besides] : [] }),
  };
  Object.assign(params, historyOptions(state, foldable()));
  const loading = useLasting(`history ${JSON.stringify(params)}`, (signal) => askHistory(params, signal));
  const report = loading.answer?.report;
  useEffect(() => {
    // A history opens with a week, or from the first profile if there is less.
    const usual = historySpan(state.profile[0]);
    const first = report && (report.left > 0 ? undefined : report.versions[0]?.first ?? report.time[0]);
    if (loading.stale || first === undefined || !usual || state.own.span !== formatSpan(usual)) return;
    if (first <= (usual.from + usual.to) / 2) return;
    const from = Math.min(Math.floor(first / 1000 - 1) * 1000, sel.from);
    setOwn('span', from < sel.from ? formatSpan({ from, to: usual.to }) : '', 'replace');
  }, [report, loading.stale]);
  // What no profile has is of use only to who chose it.
  const functions = useMemo(() => report?.functions.filter((f) => f.first || named.includes(f.name)) ?? [], [report, state.own.fns]);
  last.current = { besides, shown: new Set(functions.map((f) => f.name)) };
  const matches = useSearch(state, useStable((direction) => {
    const chosen = functions.findIndex((f) => f.name === state.fn);
    const next = functions[nextRow(chosen, direction, functions.length, (i) => matches?.(functions[i]!.name) ?? false)];
    if (next) selectFunction(next.name);
  }));

  const off = useMemo(() => new Set(parseValues(state.own.off)), [state.own.off]);
  const lines = useMemo(() => linesOf(functions.map((f) => f.name), off, state.fn), [functions, off, state.fn]);
  const points = useMemo(
    () => (report ? functions.flatMap((f) => pointsOf(report, f, cum, inCost, lines, state, sel, span)) : []),
    [report, functions, cum, inCost, lines, state],
  );
  const flags = useFlags(sel, span, report, state);
  const changeOf = (f: FunctionHistory) => (!report || !f.change ? undefined
    : f.change.version ? versionChange(report, f.change.version, state, span, f.name)
    : thirdsChange(report, f.change.time, state, span, f.name));
  const toggle = (name: string) => {
    const next = new Set(off);
    if (!next.delete(name)) next.add(name);
    setOwn('off', formatValues(next), 'replace');
  };
  const remove = (name: string) => {
    const { fns: _, ...own } = state.own;
    const rest = named.filter((n) => n !== name);
    go({ fn: state.fn === name ? '' : state.fn, own: rest.length > 0 ? { ...own, fns: rest.join('\n') } : own });
  };
  const orderBy = (column: string) =>
    setOwn('order', column === USUAL_ORDER.column ? '' : orderText({ column, descending: true }), 'replace');
  return (
    <section class="pane" aria-label="History">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label="Lines show">
          <Button aria-pressed={!inCost} onClick={() => setOwn('measure', '', 'replace')} {...tip('Of all that was profiled')}>
            Percent
          </Button>
          <Button
            aria-pressed={inCost}
            onClick={() => setOwn('measure', 'cost', 'replace')}
            {...tip(report && isPerRequest(report) ? 'Of a request' : 'In an average instance')}
          >
            Cost
          </Button>
        </div>
        <div class="segments" role="group" aria-label="Of the function">
          <Button aria-pressed={!cum} onClick={() => setOption('sort', '', 'replace')} {...tip(COSTS.flat.about('function'))}>
            {COSTS.flat.title}
          </Button>
          <Button aria-pressed={cum} onClick={() => setOption('sort', 'cum', 'replace')} {...tip(COSTS.cum.about('function'))}>
            {COSTS.cum.title}
          </Button>
        </div>
        <Add known={named.length > 0 ? named : functions.slice(0, TONES).map((f) => f.name)} />
        {named.length > 0 && <Button kind="plain" icon="reset" onClick={() => setFunctions([])}>All functions</Button>}
        <span class="grow" />
        <Menu icon="download" label="Save as CSV" align="end" items={csvItems(report, functions, cum)} />
      </div>
      <ReportState
        loading={loading}
        skeleton="area"
        empty={({ report }) => (report.time.length > 0 ? undefined : (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ))}
      >
        {({ report }) => (
          <div class="history">
            <div class="history-chart">
              <TimeChart
                label={`${inCost ? 'Cost' : 'Share'} of ${plural(lines.size, 'function')} over ${spanText(span)}`}
                points={points}
                format={inCost ? (v) => rateText(report, v) : (v) => `${Number(v.toPrecision(3))}%`}
                binary={inCost && isBytes(report.unit)}
                range={span}
                band={parseSpan(state.own.span) ? sel : undefined}
                flags={flags}
                zero
              />
            </div>
            <div class="history-table">
              <HistoryTable
                history={report}
                functions={functions}
                cum={cum}
                order={order}
                onOrder={orderBy}
                chosen={state.fn}
                changeOf={changeOf}
                marked={matches}
                lines={lines}
                onToggle={toggle}
                onRemove={named.length > 0 ? remove : undefined}
                onLeftOut={setLeftOut}
              />
            </div>
          </div>
        )}
      </ReportState>
      <div class="pane-facts">
        <span>Click a version to see what changed with it, a point for its profiles</span>
        <span>{report ? factsOf(report, functions, leftOut) : ''}</span>
      </div>
    </section>
  );
}

function factsOf(h: History, functions: readonly FunctionHistory[], leftOut: readonly string[]): string {
  const n = h.versions.length;
  const hidden = h.versions.filter((v) => leftOut.includes(`version ${v.version}`)).length;
  const versions = h.left + hidden > 0 ? `the last ${n - hidden} of ${n + h.left} versions${hidden > 0 ? ' have room' : ''}`
    : n > 0 ? plural(n, 'version') : '';
  return [
    plural(functions.length, 'function'), versions, `${plural(h.time.length, 'window')} of ${lengthText(h.step)}`,
    `all of ${spanText(h)}`, // whatever is selected of it
  ].filter(Boolean).join(', ');
}

/** What happened in the time shown: versions that came, and what people marked. */
function useFlags(sel: Selection, span: Span, history: History | undefined, state: State): readonly ChartFlag[] {
  const params = { from: span.from, to: span.to, service: serviceOf(sel.q) ?? '' };
  const asked = useLasting<{ markers: Marker[] }>(
    `flags ${JSON.stringify(params)} ${markersRound.value}`, async (signal) => ({ markers: await askMarkers(params, signal) }),
  ).answer?.report;
  return useMemo(
    () => asked?.markers.map((m): ChartFlag => {
      const change = history && m.version ? versionChange(history, m.version, state, span) : undefined;
      const open = change && { label: change.label, href: href(change.to), onOpen: () => go(change.to) };
      return { time: m.time, text: m.version || m.text, posted: m.posted, ...(open ? { open } : {}) };
    }) ?? [], [asked, history, state],
  );
}

/** The points of a function's line, if it has one. */
function pointsOf(
  h: History, f: FunctionHistory, cum: boolean, inCost: boolean, lines: ReadonlyMap<string, number | undefined>, state: State,
  sel: Selection, span: Span,
): ChartPoint[] {
  if (!lines.has(f.name)) return [];
  const tone = lines.get(f.name);
  const values = cum ? f.cum : f.flat;
  const shares = sharesOf(h, f, cum);
  const costs = costsOf(h, f, cum);
  return h.time.flatMap((time, i): ChartPoint[] => {
    const [share, cost] = [shares[i] ?? null, costs[i] ?? null];
    const value = inCost ? cost : share;
    if (value === null) return [];
    const window = { from: Math.max(time, span.from), to: Math.min(time + h.step, span.to) };
    const to = { ...withSelection(state, window, { span: formatSpan(span), live: '' }), view: 'flame' as const, fn: f.name };
    const here = window.from >= sel.from && window.to <= sel.to && (sel.from > span.from || sel.to < span.to);
    return [{
      time: (window.from + window.to) / 2, value, group: f.name, selected: here, quiet: true, strong: f.name === state.fn,
      partial: window.to - window.from < h.step,
      ...(tone === undefined ? {} : { tone }),
      facts: [
        [share === null ? '' : percentText(share), cost === null ? '' : rateText(h, cost)].filter(Boolean).join(' · '), f.name,
        spanText(window),
        `${formatValue(values[i]!, h.unit)} of ${formatValue(h.total[i]!, h.unit)}, ${plural(h.profiles[i]!, 'profile')}`,
      ],
      href: href(to), onOpen: () => go(to),
    }];
  });
}

/** What is shown, as files: the table, and the lines. */
function csvItems(h: History | undefined, functions: readonly FunctionHistory[], cum: boolean): MenuItem[] {
  return [
    {
      label: 'Versions', hint: 'The table: a row for each function, a column for each version',
      disabled: !h,
      run: () => h && saveTable('history-versions.csv', columnsOf(h, functions, cum), functions),
    },
    {
      label: 'Windows', hint: 'The lines: a row for each window of time, a column for each function',
      disabled: !h,
      run: () => h && saveTable('history.csv', csvColumns(h, functions), h.time.map((_, i) => i)),
    },
  ];
}

/** A row for each window, two columns for each function. */
function csvColumns(h: History, functions: readonly FunctionHistory[]): Column<number>[] {
  const column = (title: string, of: (i: number) => string): Column<number> => ({ id: title, title, cell: of, text: of });
  return [
    column('time', (i) => new Date(h.time[i]!).toISOString()), column('profiles', (i) => String(h.profiles[i])),
    column(`total ${h.unit}`, (i) => String(h.total[i])),
    ...functions.flatMap((f) => [column(`${f.name} self`, (i) => String(f.flat[i])), column(`${f.name} total`, (i) => String(f.cum[i]))]),
  ];
}
