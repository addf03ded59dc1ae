// What a service's endpoints get and cost: requests per second, and the cost of one, over the time that is selected.
// Each leads to its flame graph.

import '../continuous/continuous.css';
import '../growth/growth.css';
import '../table/pane.css';
import './endpoints.css';
import { useMemo, useRef } from 'preact/hooks';
import { endpoints as askEndpoints, type EndpointCost, type Endpoints } from '../../api/endpoints';
import { useLasting } from '../../state/answer';
import { MOST_ENDPOINTS } from '../../state/options';
import { finder } from '../../state/pattern';
import { formatSpan, lengthText, spanText, type Selection, type Span } from '../../state/selection';
import { selected, withSelection } from '../../state/selected';
import { go, href, setOwn, type State } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { TimeChart, type ChartPoint } from '../chart/TimeChart';
import { isBytes } from '../continuous/words';
import { sparkPath } from '../growth/growth';
import { follow } from '../link';
import { Button, Empty, ReportState, tip } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { percentText, plural, shareText } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, type Column } from '../table/Table';
import { useMarked } from '../table/useMarked';
import { useSearch } from '../table/useSearch';
import type { ViewProps } from '../props';
import { columnCosts, columnRates, costText, drawn, filterOf, nameOf, rateOf, rateText, valuesOf, windowOf, type Measure } from './rows';

export default function EndpointsView({ state }: ViewProps) {
  const sel = selected.value;
  const span = timelineSpan.value;
  if (!sel || !span) return <Empty title="Endpoints need profiles in the store"><p>Open a service of <code>hone serve</code>.</p></Empty>;
  return <Shown state={state} sel={sel} span={span} />;
}

const TITLES: Record<Measure, string> = { cost: 'Cost per request', requests: 'Requests per second' };

function Shown({ state, sel, span }: { state: State; sel: Selection; span: Span }) {
  const time = sel.id ? span : { from: sel.from, to: sel.to };
  const params = { q: sel.q, ...time, sample_type: state.options.sample_index ?? sel.sampleType, limit: MOST_ENDPOINTS };
  const loading = useLasting<Endpoints>(`endpoints ${JSON.stringify(params)}`, (signal) => askEndpoints(params, signal));
  const report = loading.answer?.report;
  const counted = (report?.total.requests ?? 0) > 0;
  const measure: Measure = state.own.measure === 'requests' ? 'requests' : 'cost';
  const chosen = state.own.endpoint;
  const lines = useMemo(() => (report ? drawn(report, measure, chosen ?? '') : new Map<string, number>()), [report, measure, chosen]);
  const points = useMemo(
    () => (report ? report.endpoints.flatMap((e) => pointsOf(report, e, measure, lines, state, span)) : []),
    [report, measure, lines, state],
  );
  const find = state.own.find ?? '';
  const order = parseOrder(state.own.order ?? '') ?? { column: 'share', descending: true };
  const rows = useMemo(() => {
    const finds = finder(find);
    return sorted((report?.endpoints ?? []).filter((e) => finds?.(nameOf(e)) ?? true), keyOf(order.column), order.descending);
  }, [report, find, order.column, order.descending]);
  const columns = useMemo(() => (report ? columnsOf(report, measure, lines, counted, state) : []), [report, measure, lines, state]);
  const box = useRef<HTMLElement>(null);
  const matches = useSearch(state, useMarked(box));
  return (
    <section ref={box} class="pane" aria-label="Endpoints">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label="Over time">
          <Button aria-pressed={measure === 'cost'} onClick={() => setOwn('measure', '', 'replace')} {...tip('What a request costs')}>
            Cost per request
          </Button>
          <Button aria-pressed={measure === 'requests'} onClick={() => setOwn('measure', 'requests', 'replace')}>Requests</Button>
        </div>
        <Find label="Find an endpoint" value={find} onChange={(text) => setOwn('find', text, 'replace')} />
        <span class="grow" />
        <Button icon="download" disabled={rows.length === 0} onClick={() => saveTable('endpoints.csv', columns, rows)}>CSV</Button>
      </div>
      <ReportState
        loading={loading}
        skeleton="area"
        quiet
        empty={({ report: { endpoints, warnings } }) => (endpoints.length === 0 ? (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ) : endpoints.every((e) => e.endpoint === '') ? (
          <Empty title="No endpoints">
            {warnings.length > 0 ? warnings.map((w) => <p key={w}>{w}</p>) : <p>No sample has the label <code>endpoint</code>.</p>}
            <p>In the program: <code>http.ListenAndServe(address, agent.CountRequests(mux))</code></p>
          </Empty>
        ) : undefined)}
      >
        {({ report }) => (
          <div class="history">
            {points.length > 0 ? (
              <div class="history-chart">
                <TimeChart
                  label={`${TITLES[measure]} of ${plural(lines.size, 'endpoint')}, ${spanText(report)}`}
                  points={points}
                  format={(v) => (measure === 'cost' ? costText(v, report) : rateText(v))}
                  binary={measure === 'cost' && isBytes(report.unit)}
                  range={report}
                  zero
                />
              </div>
            ) : !counted && (
              <p class="endpoints-note">
                Requests are not counted here, so their cost isn’t known. In the program:{' '}
                <code>http.ListenAndServe(address, agent.CountRequests(mux))</code>
              </p>
            )}
            <div class="history-table">
              <Table<EndpointCost>
                label="Endpoints"
                columns={columns}
                count={rows.length}
                row={(i) => rows[i]}
                rowKey={(e) => e.endpoint}
                order={order}
                selected={rows.findIndex((e) => e.endpoint === chosen)}
                {...(matches ? { marked: (e: EndpointCost) => matches(nameOf(e)) } : {})}
                onOrder={(column) => setOwn(
                  'order', orderText({ column, descending: order.column === column ? !order.descending : column !== 'name' }), 'replace',
                )}
                onSelect={(e) => setOwn('endpoint', e.endpoint, 'replace')}
                onOpen={(e) => go(flameOf(state, e))}
                empty={`No endpoint matches “${find}”.`}
              />
            </div>
          </div>
        )}
      </ReportState>
      <div class="pane-facts">
        {report && <span>{plural(report.endpoints.length, 'endpoint')}{report.left > 0 ? `, ${report.left} more with less` : ''}</span>}
        {report && counted && (
          <span>
            {rateText(rateOf(report.total, report))} of all instances, {costText(report.total.cost, report)} per request, by windows of{' '}
            {lengthText(report.step)}
          </span>
        )}
        <span class="pane-keys">Double-click or Enter opens the flame graph of one</span>
      </div>
    </section>
  );
}

/** The flame graph of one endpoint, in the time of a window if one is given. */
function flameOf(s: State, e: EndpointCost, window?: Span, span?: Span): State {
  const { order: _, find: __, measure: ___, endpoint: ____, ...own } = s.own;
  const { tagfocus: _____, tagignore: ______, ...options } = s.options;
  const there = { ...s, own, options: { ...options, ...filterOf(e) }, view: 'flame' as const };
  return window && span ? { ...withSelection(there, window, { span: formatSpan(span), live: '' }), view: 'flame' } : there;
}

function pointsOf(
  of: Endpoints, e: EndpointCost, measure: Measure, lines: ReadonlyMap<string, number>, state: State, span: Span,
): ChartPoint[] {
  const tone = lines.get(e.endpoint);
  if (tone === undefined) return [];
  const values = valuesOf(e, of, measure);
  return of.time.flatMap((_, i): ChartPoint[] => {
    const value = values[i] ?? null;
    if (value === null) return [];
    const window = windowOf(of, i);
    const to = flameOf(state, e, window, span);
    return [{
      time: (window.from + window.to) / 2, value, group: e.endpoint, quiet: true, tone, strong: e.endpoint === state.own.endpoint,
      partial: window.to - window.from < of.step,
      facts: [
        measure === 'cost' ? `${costText(value, of)} per request` : rateText(value), nameOf(e), spanText(window),
        measure === 'cost' ? plural(e.over.requests[i]!, 'request') : `${costText(e.over.cost[i] ?? null, of)} per request`,
      ],
      href: href(to), onOpen: () => go(to),
    }];
  });
}

function keyOf(column: string): (e: EndpointCost) => string | number {
  switch (column) {
    case 'name': return nameOf;
    case 'requests': return (e) => e.requests;
    case 'cost': return (e) => e.cost ?? -1;
    default: return (e) => e.share;
  }
}

function columnsOf(
  of: Endpoints, measure: Measure, lines: ReadonlyMap<string, number>, counted: boolean, state: State,
): Column<EndpointCost>[] {
  const toneOf = (e: EndpointCost) => (lines.has(e.endpoint) ? ` tone-${lines.get(e.endpoint)}` : '');
  const most = of.endpoints.reduce((m, e) => Math.max(m, e.share), 0) || 1;
  const name: Column<EndpointCost> = {
    id: 'name', title: 'Endpoint', order: 'ascending', text: nameOf,
    cell: (e) => {
      const to = flameOf(state, e);
      return (
        <>
          <i class={`growth-tick${toneOf(e)}`} aria-hidden="true" />
          <a
            tabIndex={-1} class={`record-link cut${e.endpoint ? ' mono' : ''}`} title={nameOf(e)} href={href(to)}
            onClick={follow(() => go(to))}
          >
            {nameOf(e)}
          </a>
        </>
      );
    },
  };
  const share: Column<EndpointCost> = {
    id: 'share', title: 'Share', about: `Of all ${of.type} of this selection`, order: 'descending', width: 'clamp(5rem, 12cqi, 12rem)',
    align: 'right', cell: (e) => shareText(e.share), text: (e) => percentText(e.share), share: (e) => (100 * e.share) / most,
  };
  if (!counted) return [name, share];
  const cost = columnCosts(of);
  const rate = columnRates(of.endpoints.map((e) => rateOf(e, of)));
  return [
    name,
    {
      id: 'cost', title: 'Per request', about: `${of.type} of a request, on average`, order: 'descending',
      width: 'clamp(5.5rem, 12cqi, 7rem)',
      align: 'right', cell: (e) => cost(e.cost), text: (e) => String(e.cost ?? ''),
    },
    {
      id: 'requests', title: 'Requests', about: 'Of all instances', order: 'descending', width: '6rem', align: 'right',
      cell: (e) => (e.requests > 0 ? rate(rateOf(e, of)) : '–'), text: (e) => String(rateOf(e, of)), from: 26,
    },
    share,
    {
      id: 'spark', title: 'Over time', about: 'From 0 to the highest value of this endpoint', width: 'clamp(5rem, 20cqi, 18rem)', from: 44,
      cell: (e) => (
        <svg class={`growth-spark${toneOf(e)}`} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          <path d={sparkPath(valuesOf(e, of, measure))} />
        </svg>
      ),
    },
  ];
}
