import './server.css';
import type { ComponentChildren } from 'preact';
import { status, statusError } from '../../state/continuous';
import { lengthText, timeText, zoneText } from '../../state/selection';
import { formatValue } from '../../model/units';
import { Failure, Skeleton } from '../parts';
import { count } from '../table/format';
import { NoticeList } from '../continuous/Nav';
import type { PageState } from '../../state/pages';
import type { PageProps } from '../props';

/** State of the server: what came in, what was refused, which limits were hit. */
export default function ServerPage(_: PageProps<PageState>) {
  const s = status.value;
  if (!s) return statusError.value ? <Failure error={statusError.value} /> : <Skeleton />;
  const words = (o: Record<string, number>) => Object.entries(o).map(([k, n]) => `${k.replaceAll('_', ' ')} ${count(n)}`).join(', ');
  return (
    <div class="status" tabIndex={0} role="region" aria-label="State of the server">
      <p class="status-lead">
        <span class={s.ready ? 'seen' : 'seen seen-silent'}><i aria-hidden="true" />{s.ready ? 'ready' : 'not ready'}</span>
        <span>hone {s.version}</span>
        <span>up for {lengthText(s.uptime / 1e6)}, since {timeText(s.start)} {zoneText(s.start)}</span>
        <span>{count(s.queries.running)} of {count(s.queries.limit)} queries running, {count(s.queries.waiting)} waiting</span>
      </p>
      <Section title="Notices">
        {s.notices.length > 0 ? <NoticeList notices={s.notices} /> : <p class="soft">No problems.</p>}
      </Section>
      {s.aside.length > 0 && (
        <Section title="Set aside">
          <Grid
            head={['Service', 'Week from', 'Since', 'Profiles', 'Damage', 'Next step']}
            rows={s.aside.map((a) => [
              a.service || 'unknown', a.from ? timeText(a.from) : 'unknown', timeText(a.since),
              a.profiles === null ? 'unknown' : count(a.profiles), a.problem, a.next,
            ])}
            none=""
          />
        </Section>
      )}
      <Section title="Received since startup">
        <Grid
          head={['Protocol', 'Profiles', 'Bytes', 'Refused']}
          rows={s.ingest.map((i) => [i.protocol, count(i.profiles), formatValue(i.bytes, 'bytes'), words(i.refused) || 'none'])}
          none="No profiles yet."
        />
      </Section>
      {Object.keys(s.degraded).length > 0 && <Section title="Modified before storing"><p>{words(s.degraded)}</p></Section>}
      <Section title="Limits">
        <Grid
          head={['Limit', 'Used', 'Maximum', 'Hit']}
          rows={s.limits.map((l) => [l.name, l.used === undefined ? '' : limited(l.name, l.used), limited(l.name, l.limit), l.hits === 0
            ? 'never'
            : `${count(l.hits)} times${l.last ? `, last ${timeText(l.last)}` : ''}`])}
          none="No limits are set."
        />
      </Section>
      {s.scrape.length > 0 && (
        <Section title="Scraped">
          <Grid
            head={['Job', 'Target', 'Kind', 'State', 'Last', 'Profiles']}
            rows={s.scrape.map((t) => [
              t.job, t.target, t.kind, t.error ? `${t.state}: ${t.error}` : t.state, t.last ? timeText(t.last, true) : '',
              count(t.profiles),
            ])}
            none=""
          />
        </Section>
      )}
      <Section title="Store">
        <dl class="status-figures">
          {Object.entries(s.store ?? {}).map(([name, value]) => (
            <div key={name}><dt>{name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()}</dt><dd>{figure(name, value)}</dd></div>
          ))}
        </dl>
      </Section>
    </div>
  );
}

/** A number in the unit that a limit's name begins with. */
const limited = (name: string, n: number): string => (name.startsWith('bytes') ? formatValue(n, 'bytes') : count(n));

function figure(name: string, value: unknown): string {
  if (typeof value !== 'number') return String(value);
  if (/bytes$/i.test(name)) return formatValue(value, 'bytes');
  return /^(oldest|newest)/i.test(name) && value > 1e12 ? timeText(value > 1e15 ? value / 1e6 : value) : count(value);
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return <section aria-label={title}><h2>{title}</h2>{children}</section>;
}

function Grid({ head, rows, none }: { head: readonly string[]; rows: readonly (readonly string[])[]; none: string }) {
  if (rows.length === 0) return <p class="soft">{none}</p>;
  return (
    <div class="status-scroll" tabIndex={0} role="region" aria-label={`Table of ${head[0]!.toLowerCase()}`}>
      <table>
        <thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
        <tbody>{rows.map((row, i) => (
          <tr key={i}>{row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j}>{cell}</td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}
