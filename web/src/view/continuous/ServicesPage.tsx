import { useEffect, useMemo, useState } from 'preact/hooks';
import { series as askSeries, services as askServices, type GroupSeries, type OverTime, type Service } from '../../api/continuous';
import { origin } from '../../state/address';
import { useLasting } from '../../state/answer';
import { setPage } from '../../state/pages';
import { finder } from '../../state/pattern';
import { DAY, HOUR, lately, lengthText, MINUTE, perOf, timeText, zoneText, type Span } from '../../state/selection';
import { formatSelector } from '../../state/selector';
import { fresh } from '../../state/selected';
import { go, href } from '../../state/state';
import { follow } from '../link';
import { Button, copyText, IconButton, ReportState, Skeleton, tip } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { count, plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
import { Table, type Column } from '../table/Table';
import { compareVersions } from './Against';
import type { PageState } from '../../state/pages';
import type { PageProps } from '../props';
import { overTimeText } from './words';

const EVERY = 20_000; // ms
/** A service that sent nothing for so long is silent: agents send each kind every minute or ten. */
const SILENT = 15 * MINUTE;
const RECENT = DAY;

interface Row {
  service: Service;
  cpu: GroupSeries | undefined;
  /** The CPU time's shape, and the time that all rows' have in common. */
  shape: GroupSeries | undefined;
  span: Span;
  silent: boolean;
  now: number;
}

/** All services, the start of everything. */
export function ServicesPage({ state }: PageProps<PageState>) {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setRound((n) => n + 1), EVERY);
    return () => clearInterval(timer);
  }, []);
  const loading = useLasting(`services ${round}`, (signal) => askServices({}, signal));
  const cpu = useLasting(`cpu ${Math.floor(round / 3)}`, (signal) =>
    askSeries({ q: 'cpu', by: 'service', per: 'second', from: '-1d', points: 48, limit: 1000 }, signal));
  const day = cpu.answer?.report;
  // Of what began lately, a day's windows show a few points: it is asked for in finer ones.
  const began = day ? earliest(day) : Infinity;
  const young = day !== undefined && Number.isFinite(began) && day.to - began < RECENT / 2;
  const fine = useLasting(young ? `cpu ${Math.floor(round / 3)} since ${began}` : null, (signal) =>
    askSeries({ q: 'cpu', by: 'service', per: 'second', from: began, points: 48, limit: 1000 }, signal));
  const drawn = young ? (fine.answer?.report ?? day) : day;
  const span = useMemo(() => ({ from: drawn ? earliest(drawn) : 0, to: drawn?.to ?? 0 }), [drawn]);
  const rates = useMemo(() => byService(day), [day]);
  const shapes = useMemo(() => byService(drawn), [drawn]);

  const all = loading.answer?.report.services ?? [];
  const order = parseOrder(state.order) ?? { column: 'service', descending: false };
  const rows = useMemo(() => {
    const now = Date.now();
    const finds = finder(state.find);
    const found = all.filter((s) => finds?.(textOf(s)) ?? true).map((service): Row => ({
      service, cpu: rates.get(service.name), shape: shapes.get(service.name), span, silent: now - service.last > SILENT, now,
    }));
    return sorted(found, keyOf(order.column), order.descending);
  }, [all, rates, shapes, span, state.find, order.column, order.descending]);
  const open = (r: Row) => go(stateOf(r.service, mainKind(r.service), Date.now()));
  // Whether there is a bar above is not known yet: nothing may move when it comes.
  if (!loading.answer && !loading.error) return <section key="waiting" class="pane" aria-label="Services"><Skeleton /></section>;
  return (
    <section class="pane" aria-label="Services">
      {all.length > 0 && (
        <div class="pane-bar">
          <Find label="Find services" value={state.find} onChange={(find) => setPage({ find })} />
          <span class="grow" />
          <Button icon="download" disabled={rows.length === 0} onClick={() => saveTable('services.csv', columns, rows)}>CSV</Button>
        </div>
      )}
      <ReportState loading={loading} empty={({ report }) => (report.services.length > 0 ? undefined : <FirstProfile />)}>
        {({ report }) => (
          <>
            <Table<Row>
              label="Services"
              columns={columns}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(r) => r.service.name}
              order={order}
              onOrder={(column) =>
                setPage({ order: orderText({ column, descending: order.column === column ? !order.descending : column !== 'service' }) })}
              onOpen={open}
              dim={(r) => r.silent}
              empty={`No service matches “${state.find}”.`}
            />
            <div class="pane-facts">
              <span>
                {plural(rows.length, 'service')}
                {report.left > 0 ? ` of ${count(all.length + report.left)}: ${count(report.left)} are left out` : ''}
              </span>
              <span>{span.to > span.from && `CPU time of the last ${lengthText(span.to - span.from)}; `}Enter opens a service</span>
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

/** When the first data of any service is of. */
const earliest = (o: OverTime): number => o.series.reduce((first, s) => Math.min(first, s.time[0] ?? Infinity), Infinity);

const byService = (o: OverTime | undefined) => new Map(o?.series.map((s) => [s.labels['service'] ?? '', s]));

const textOf = (s: Service) => [s.name, ...s.kinds.map((k) => k.kind), ...s.versions.map((v) => v.version)].join(' ');

function keyOf(column: string): (r: Row) => string | number {
  switch (column) {
    case 'cpu': return (r) => r.cpu?.total.value ?? -1;
    case 'version': return (r) => r.service.versions[0]?.version ?? '';
    case 'profiles': return (r) => r.service.profiles;
    case 'last': return (r) => r.service.last;
    default: return (r) => r.service.name;
  }
}

/** What a service is looked at by first. */
const mainKind = (s: Service): string => (s.kinds.find((k) => k.kind === 'cpu') ?? s.kinds[0])?.kind ?? '';

/** The last hour of a kind, or the last hour there is. */
function stateOf(s: Service, kind: string, now: number) {
  const facts = s.kinds.find((k) => k.kind === kind);
  const last = facts?.last ?? s.last;
  const matchers = [{ name: 'kind', op: '=' as const, value: kind }, { name: 'service', op: '=' as const, value: s.name }];
  const per = facts && { per: perOf(facts) };
  return fresh({ q: formatSelector(matchers), ...per, ...lately(HOUR, now - last > SILENT ? last + 1000 : now) });
}

const minute = (now: number) => Math.ceil(now / MINUTE) * MINUTE;

function KindLink({ s, kind, now }: { s: Service; kind: string; now: number }) {
  return (
    <a class="kind-link" tabIndex={-1} href={href(stateOf(s, kind, minute(now)))} onClick={follow(() => go(stateOf(s, kind, Date.now())))}>
      {kind}
    </a>
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: 'service', title: 'Service', order: 'ascending', width: 'minmax(9rem, 1.4fr)',
    cell: ({ service: s, now }) => {
      const to = stateOf(s, mainKind(s), minute(now));
      return (
        <a class="service-link cut" tabIndex={-1} href={href(to)} onClick={follow(() => go(stateOf(s, mainKind(s), Date.now())))}>
          {s.name}
        </a>
      );
    },
    text: (r) => r.service.name,
  },
  {
    id: 'last', title: 'Seen', about: 'Time of the last profile', order: 'descending', width: '9.5rem',
    cell: (r) => (
      <span class={r.silent ? 'seen seen-silent' : 'seen'} title={`${timeText(r.service.last, true)} ${zoneText(r.service.last)}`}>
        <i aria-hidden="true" />{r.silent ? `silent for ${lengthText(r.now - r.service.last)}` : 'live'}
      </span>
    ),
    text: (r) => new Date(r.service.last).toISOString(),
  },
  {
    id: 'spark', title: '', about: 'CPU over time', width: '7rem', from: 48,
    cell: (r) => <Spark series={r.shape} span={r.span} />,
  },
  {
    id: 'cpu', title: 'CPU', about: 'CPU time per second of one instance, over the last day', order: 'descending', width: '6.5rem',
    align: 'right', from: 30,
    cell: (r) => (r.cpu ? overTimeText(r.cpu.total.value, r.cpu, 'second') : ''), text: (r) => String(r.cpu?.total.value ?? ''),
  },
  {
    id: 'kinds', title: 'Kinds', from: 58,
    cell: (r) => (
      <span class="kind-links">{r.service.kinds.map((k) => <KindLink key={k.kind} s={r.service} kind={k.kind} now={r.now} />)}</span>
    ),
    text: (r) => r.service.kinds.map((k) => k.kind).join(' '),
  },
  {
    id: 'version', title: 'Versions', order: 'ascending', width: 'minmax(8rem, 14rem)', from: 40,
    cell: ({ service: s }) => (
      <span class="versions">
        <span class="cut mono" title={s.versions.map((v) => v.version || 'none').join('\n')}>
          {s.versions.map((v) => v.version || 'none').slice(0, 3).join(', ')}
          {s.versions.length > 3 ? ` and ${s.versions.length - 3} more` : ''}
        </span>
        {s.versions.length > 1 && (
          <IconButton
            icon="compare"
            tabIndex={-1}
            label={`Compare the two latest versions of ${s.name}`}
            onClick={(e) => { e.stopPropagation(); void compareVersions(s.name, mainKind(s)); }}
          />
        )}
      </span>
    ),
    text: (r) => r.service.versions.map((v) => v.version).join(' '),
  },
  {
    id: 'profiles', title: 'Profiles', order: 'descending', width: '6rem', align: 'right', from: 64, cell: (r) => count(r.service.profiles),
    text: (r) => String(r.service.profiles),
  },
];

/** The shape of a rate, for the eye alone; what is missing is left out. */
function Spark({ series, span }: { series: GroupSeries | undefined; span: Span }) {
  if (!series || series.time.length === 0) return null;
  const top = series.value.reduce<number>((most, v) => Math.max(most, v ?? 0), 0) || 1;
  const length = Math.max(1, span.to - span.from);
  const tenth = (v: number) => Math.round(10 * v) / 10;
  let pen = 'M';
  const path = series.time.map((time, i) => {
    const v = series.value[i];
    const to = v == null ? '' : `${pen}${tenth((100 * (time - span.from)) / length)} ${tenth(20 - (19 * v) / top)}`;
    pen = v == null ? 'M' : 'L';
    return to;
  }).join('');
  return (
    <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d={series.time.length === 1 ? `${path}l3 0` : path} />
    </svg>
  );
}

const ways = (origin: string): readonly { title: string; about: string; code: string }[] => [
  {
    title: 'From inside a Go program',
    about: 'hone’s agent sends a short profile of every kind each minute. It needs only the standard library and limits its CPU time.',
    code: `import "github.com/hone-go/hone/agent"\n\na, err := agent.Start(agent.Config{\n\tServer:  "${origin}",\n\tService: "shop",\n})\n`
      + `if err == nil {\n\tdefer a.Stop(context.Background())\n}`,
  },
  {
    title: 'A file', about: 'Any profile that hone reads, for example from a test or benchmark.',
    code: `hone push -server ${origin} -service shop cpu.pb.gz`,
  },
  {
    title: 'Scraped from programs that serve net/http/pprof', about: 'In hone-serve.toml, then hone serve -config hone-serve.toml.',
    code: `[[scrape]]\nname = "shop"\n\n[[scrape.static]]\ntargets = ["localhost:6060"]`,
  },
];

/** Before there is anything: how to send the first profile. */
function FirstProfile() {
  return (
    <div class="first-profile">
      <h2>No profiles yet</h2>
      <p class="soft">This page shows the first one as soon as it arrives.{' '}
        The agents of Cloud Profiler, Pyroscope, Parca and OpenTelemetry also work: set their server to <code>{origin()}</code>.</p>
      <ol>
        {ways(origin()).map((w) => (
          <li key={w.title}>
            <h3>{w.title}</h3>
            <p class="soft">{w.about}</p>
            <div class="first-code">
              <pre tabIndex={0}><code>{w.code}</code></pre>
              <IconButton icon="copy" label={`Copy: ${w.title}`} onClick={() => void copyText(w.code, 'Copied')} {...tip('Copy')} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
