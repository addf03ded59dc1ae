import { useCallback, useMemo } from 'preact/hooks';
import type { Quantity, Top, TopRow } from '../../api/types';
import { columnFigures } from '../../model/column';
import { patternOf, quote } from '../../state/pattern';
import { useReport } from '../../state/report';
import { queryOf, selectFunction, setOption, setOwn } from '../../state/state';
import { openFunctionMenu, ReportState, tip } from '../parts';
import { Find } from '../table/Find';
import { percentText, plural, shareText, signedText, wayOf } from '../table/format';
import { FunctionName, NamedRow } from '../table/FunctionName';
import { headFacts } from '../table/headFacts';
import { selects } from '../table/names';
import type { Order } from '../table/order';
import { parseOrder } from '../table/order';
import { extend, untrimmed } from '../table/query';
import { openSource } from '../table/select';
import { Table, type Column } from '../table/Table';
import { usePages } from '../table/usePages';
import { nextRow } from '../table/range';
import { useSearch, useStable } from '../table/useSearch';
import { Costs } from '../Costs';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { COSTS } from '../vocabulary';
import '../table/pane.css';
import './top.css';

const PAGE = 2000;
const ORDERS = /^-?(name|flat|cum)$/;
const rowsOf = (top: Top) => top.rows;

export default function TopView({ state, beside = false }: ViewProps) {
  const query = untrimmed(queryOf(state), state.options);
  // Other tables have columns of their own.
  const order = ORDERS.test(state.own['order'] ?? '') ? state.own['order']! : '';
  const find = state.own['find'] ?? '';

  // The server orders and finds: it has all rows, here are the pages looked at.
  const pages = usePages<Top, TopRow>('top', extend(query, { order, find: patternOf(find) }), PAGE, rowsOf);
  const { need } = pages;
  const onRange = useCallback((first: number, end: number) => need(first, end), [need]);
  const loaded = pages.first.answer?.report.rows;
  const selected = useMemo(() => (state.fn && loaded ? loaded.findIndex((r) => selects(r) === state.fn) : -1), [loaded, state.fn]);
  const matches = useSearch(state, useStable((direction) => {
    const at = nextRow(selected, direction, pages.total, (i) => matches?.(pages.row(i)?.name ?? '') ?? false);
    const next = at >= 0 ? pages.row(at) : undefined;
    if (next) selectFunction(selects(next));
  }), beside);

  const unit = pages.first.answer?.report.unit ?? '';
  const compared = state.base.length > 0; // then, values are changes
  const columns = useMemo(() => {
    const all = loaded ?? [];
    const figure = columnFigures(all.flatMap((r) => [r.flat, r.cum]), unit);
    // Of the rows that are there: with the largest first, of all.
    const most = (of: 'flat' | 'cum') => all.reduce((m, r) => Math.max(m, Math.abs(r[of].value)), 0) || 1;
    const bars = { flat: most('flat'), cum: most('cum') };
    const chars = all.reduce((m, r) => Math.max(m, figure(r.flat).length, figure(r.cum).length), 0);
    const width = `max(6rem, ${Math.min(chars, MOST_CHARS)}ch + 1.5rem)`;
    return columnsOf(figure, bars, compared).filter((c) => c.id !== 'sum' || !order)
      .map((c) => (c.id === 'flat' || c.id === 'cum' ? { ...c, width } : c));
  }, [loaded, unit, order, compared]);

  const shown: Order = parseOrder(order) ?? { column: state.options['sort'] === 'cum' ? 'cum' : 'flat', descending: true };
  const onOrder = (column: string) => {
    const next = nextOrder(shown, column);
    if (next.descending && next.column !== 'name') {
      // Largest first is the server's order, also in the text it prints.
      setOwn('order', '', 'replace');
      setOption('sort', next.column === 'cum' ? 'cum' : '', 'replace');
    } else {
      setOwn('order', (next.descending ? '-' : '') + next.column, 'replace');
    }
  };

  return (
    <section class="pane" aria-label="Top">
      <div class="pane-bar">
        <Find label="Find in names" value={find} onChange={(text) => setOwn('find', text, 'replace')} />
        <span class="grow" />
        {state.fn && loaded && selected < 0 && pages.total > loaded.length && <Beyond query={query} name={state.fn} />}
      </div>
      <ReportState loading={pages.first} empty={({ report }) => (report.rows.length > 0 || find ? undefined : <NoSamples />)}>
        {({ report }) => (
          <>
            <Table<TopRow>
              label="Functions by cost"
              columns={columns}
              count={pages.total}
              row={pages.row}
              rowKey={(r, i) => `${r.name}#${i}`}
              order={shown}
              onOrder={onOrder}
              selected={selected}
              onSelect={(r) => selectFunction(selects(r))}
              onOpen={(r) => openSource(selects(r))}
              onMenu={(r, x, y) => openFunctionMenu(selects(r), { x, y })}
              onRange={onRange}
              {...(matches ? { marked: (r: TopRow) => matches(r.name) } : {})}
              empty={`No name matches “${find}”.`}
            />
            <Facts top={report} rows={pages.total} compared={compared} />
          </>
        )}
      </ReportState>
    </section>
  );
}


/** The order a click on a column's header asks for. */
function nextOrder(now: Order, column: string): Order {
  if (now.column === column) return { column, descending: !now.descending };
  return { column, descending: column !== 'name' };
}

const MOST_CHARS = 16; // of a figure that makes its column wider
const SHARE = 'clamp(5.5rem, 9cqi, 11rem)'; // bars tell more where there is room

const columnsOf = (
  figure: (q: Quantity) => string, most: { flat: number; cum: number }, compared: boolean,
): readonly Column<TopRow>[] => [
  {
    id: 'flat', title: COSTS.flat.title, about: COSTS.flat.about('function'), width: '6rem', align: 'right', from: 40, order: 'descending',
    cell: (r) => signedText(figure(r.flat), r.flat.value, compared), text: (r) => signedText(r.flat.text, r.flat.value, compared),
    kind: (r) => (r.flat.value === 0 ? 'soft' : wayOf(r.flat.value, compared)),
  },
  {
    id: 'flat%', orderBy: 'flat', order: 'descending', title: `${COSTS.flat.title} %`, about: COSTS.flat.about('function'), width: SHARE,
    align: 'right',
    cell: (r) => signedText(shareText(r.flat.percent), r.flat.value, compared), text: (r) => percentText(r.flat.percent),
    kind: (r) => wayOf(r.flat.value, compared), share: (r) => (100 * r.flat.value) / most.flat,
  },
  {
    id: 'sum', title: 'Sum %', about: 'Share in this row and those above', width: '5rem', align: 'right', from: 52,
    cell: (r) => shareText(r.sum.percent), text: (r) => percentText(r.sum.percent), kind: () => 'soft',
  },
  {
    id: 'cum', title: COSTS.cum.title, about: COSTS.cum.about('function'), width: '6rem', align: 'right', from: 40, order: 'descending',
    cell: (r) => signedText(figure(r.cum), r.cum.value, compared), text: (r) => signedText(r.cum.text, r.cum.value, compared),
    kind: (r) => wayOf(r.cum.value, compared),
  },
  {
    id: 'cum%', orderBy: 'cum', order: 'descending', title: `${COSTS.cum.title} %`, about: COSTS.cum.about('function'), width: SHARE,
    align: 'right',
    cell: (r) => signedText(shareText(r.cum.percent), r.cum.value, compared), text: (r) => percentText(r.cum.percent),
    kind: (r) => wayOf(r.cum.value, compared), share: (r) => (100 * r.cum.value) / most.cum,
  },
  {
    id: 'name', title: 'Function', order: 'ascending',
    cell: (r, { chars }) => <NamedRow place={r} chars={chars} inline={r.inline} />,
    text: (r) => r.name,
  },
];

/** The selected function, where its row is beyond those that are loaded. */
function Beyond({ query, name }: { query: URLSearchParams; name: string }) {
  const found = useReport<Top>('top', extend(query, { find: quote(name), limit: '50' }));
  const row = found.answer?.report.rows.find((r) => selects(r) === name);
  if (!row) return null;
  return (
    <span class="num top-beyond">
      <button type="button" class="link-button" onClick={() => setOwn('find', quote(name), 'replace')} {...tip('Find it in the table')}>
        <FunctionName place={row} chars={40} />
      </button>
      <Costs {...row} />
    </span>
  );
}

/** What the terminal prints above the table, and how many rows there are. */
function Facts({ top, rows, compared }: { top: Top; rows: number; compared: boolean }) {
  return (
    <div class="pane-facts" title={top.header.join('\n')}>
      <span>{plural(rows, 'row')}</span>
      <span>{headFacts(top.header, compared).join(' · ')}</span>
    </div>
  );
}
