import './start.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { overview as askOverview, type OverviewService } from '../../api/continuous';
import { useLasting } from '../../state/answer';
import { setPage, type PageState } from '../../state/pages';
import { finder } from '../../state/pattern';
import { hasSource } from '../../state/profiles';
import { HOUR, lengthText } from '../../state/selection';
import { go } from '../../state/state';
import { Button, MenuList, pointBox, ReportState, Skeleton, useMedia, type Anchor } from '../parts';
import type { PageProps } from '../props';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { count, plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table } from '../table/Table';
import { columnsOf, type Row } from './columns';
import { FirstProfile } from './FirstProfile';
import { itemsOf, kindState, mainKind, SILENT } from './links';

const EVERY = 20_000; // ms
const MOST = 500;
/** From here, functions have a line each; below, up to two. */
const WIDE = '(width >= 100rem)';
/** A narrower window has no column of functions. */
const NARROW = '(width < 52rem)';
/** If there are few services, rows are taller: their height in rem, and how many functions they have. */
const FEW = 5;
const ROWS = {
  few: { wide: { rem: 7, lines: 5 }, usual: { rem: 8, lines: 3 }, narrow: { rem: 10.5, lines: 3 } },
  many: { wide: { rem: 4.5, lines: 3 }, usual: { rem: 5.75, lines: 2 }, narrow: { rem: 9.25, lines: 2 } },
};

/** The start page: all services, the most expensive first. */
export function ServicesPage({ state }: PageProps<PageState>) {
  const [round, setRound] = useState(0);
  const [menu, setMenu] = useState<{ row: Row; anchor: Anchor } | null>(null);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setRound((n) => n + 1), EVERY);
    return () => clearInterval(timer);
  }, []);
  // The server searches the services that its answer leaves out.
  const [cut, setCut] = useState(false);
  const find = cut ? state.find : '';
  const loading = useLasting(`overview ${round} ${find}`, (signal) => askOverview({ limit: MOST, find }, signal));
  const report = loading.answer?.report;
  useEffect(() => {
    if (report && report.left > 0) setCut(true);
  }, [report]);
  const all = report?.services ?? [];
  const [wide, narrow] = [useMedia(WIDE), useMedia(NARROW)];
  const size = all.length <= FEW ? 'few' : 'many';
  const { rem, lines } = ROWS[size][wide ? 'wide' : narrow ? 'narrow' : 'usual'];
  const order = parseOrder(state.order) ?? { column: 'cpu', descending: true };
  const rows = useMemo(() => {
    const now = Date.now();
    const { from = 0, to = 0, step = HOUR } = report ?? {};
    const finds = finder(state.find);
    const around = { span: { from, to }, step, now, lines, caption: size === 'few', wide };
    const found = all.map((service, place): Row => ({ ...around, service, place, silent: now - service.last > SILENT }))
      .filter(({ service }) => cut || (finds?.(textOf(service)) ?? true));
    return sorted(found, keyOf(order.column), order.descending);
  }, [all, report, round, cut, state.find, order.column, order.descending, lines, size, wide]);
  const columns = useMemo(() => columnsOf(hasSource.value === true, narrow), [hasSource.value, narrow]);
  // Whether there is a bar above is not known yet: nothing may move when it comes.
  if (!loading.answer && !loading.error) return <section key="waiting" class="pane" aria-label="Services"><Skeleton /></section>;
  const none = all.length === 0 && find === '';
  return (
    <section class={`pane start${size === 'few' ? ' start-tall' : ''}`} aria-label="Services">
      {!none && (
        <div class="pane-bar">
          <Find label="Find services" value={state.find} onChange={(text) => setPage({ find: text })} />
          <span class="grow" />
          <Button icon="download" disabled={rows.length === 0} onClick={() => saveTable('services.csv', columns, rows)}>CSV</Button>
        </div>
      )}
      <ReportState loading={loading} empty={() => (none ? <FirstProfile /> : undefined)}>
        {({ report: { left, from, to } }) => (
          <>
            <Table<Row>
              label="Services"
              columns={columns}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(r) => r.service.name}
              rowRem={rem}
              order={order}
              onOrder={(column) =>
                setPage({ order: orderText({ column, descending: order.column === column ? !order.descending : column !== 'service' }) })}
              onOpen={({ service }) => go(kindState(service, mainKind(service), Date.now()))}
              onMenu={(row, x, y) => setMenu({ row, anchor: pointBox(x, y) })}
              dim={(r) => r.silent}
              empty={`No service matches “${state.find}”.`}
            />
            <div class="pane-facts">
              <span>
                {plural(rows.length, 'service')}
                {left > 0 ? ` of ${count(all.length + left)}: type a name to find the other ${count(left)}` : ''}
              </span>
              <span>
                Figures show the last hour, lines show {to - from > 23 * HOUR ? 'a day' : lengthText(to - from)}
              </span>
              <span class="pane-keys">Double-click or Enter opens a service</span>
            </div>
          </>
        )}
      </ReportState>
      {menu && (
        <MenuList
          anchor={menu.anchor}
          label={`Actions on ${menu.row.service.name}`}
          items={[{ heading: menu.row.service.name }, ...itemsOf(menu.row.service)]}
          onClose={() => setMenu(null)}
        />
      )}
    </section>
  );
}

const textOf = (s: OverviewService) => [s.name, s.version, ...s.kinds.map((k) => k.kind)].join(' ');

function keyOf(column: string): (r: Row) => string | number {
  switch (column) {
    case 'service': return (r) => r.service.name;
    case 'memory': return (r) => r.service.memory?.now ?? -1;
    case 'goroutines': return (r) => r.service.goroutines?.now ?? -1;
    case 'version': return (r) => r.service.since;
    case 'last': return (r) => r.service.last;
    default: return (r) => -r.place; // the server's order is by cost
  }
}
