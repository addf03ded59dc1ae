import './server.css';
import type { Status } from '../../api/continuous';
import { status, statusError } from '../../state/continuous';
import type { PageState } from '../../state/pages';
import { lengthText, timeText, zoneText } from '../../state/selection';
import { formatValue } from '../../model/units';
import { NoticeList } from '../continuous/Nav';
import { Failure, Skeleton, tip } from '../parts';
import type { PageProps } from '../props';
import { count, plural } from '../table/format';
import { Grid, Section } from './Grid';
import { Notifications } from './Notifications';
import { keptFacts, limitWords, lossFacts, reasons, type Fact } from './words';

/** State of the server: whether all is well, what came in, what was refused, which limits were hit. */
export default function ServerPage(_: PageProps<PageState>) {
  const s = status.value;
  if (!s) return statusError.value ? <Failure error={statusError.value} /> : <Skeleton />;
  return (
    <div class="status" tabIndex={0} role="region" aria-label="State of the server">
      <Lead of={s} />
      {s.notices.length > 0 && <Section title="Notices"><NoticeList notices={s.notices} /></Section>}
      <Tiles of={s} />
      {s.aside.length > 0 && (
        <Section title="Set aside">
          <Grid
            head={['Service', 'Week from', 'Since', 'Profiles', 'Damage', 'Next step']}
            rows={s.aside.map((a) => [
              a.service || 'unknown', a.from ? timeText(a.from) : 'unknown', timeText(a.since),
              a.profiles === null ? 'unknown' : count(a.profiles), a.problem, a.next,
            ])}
          />
        </Section>
      )}
      <div class="status-columns">
        {(s.ingest.length > 0 || lossFacts(s.store).length > 0) && <Received of={s} />}
        <Section title="Store">
          <Facts of={keptFacts(s.store)} />
        </Section>
      </div>
      <Limits of={s} />
      {s.user.roles.includes('admin') && <Notifications />}
      {s.scrape.length > 0 && (
        <Section title="Scraped">
          <Grid
            head={['Job', 'Target', 'Kind', 'State', 'Last', 'Profiles']}
            rows={s.scrape.map((t) => [
              t.job, t.target, t.kind, t.error ? `${t.state}: ${t.error}` : t.state, t.last ? timeText(t.last, true) : '',
              count(t.profiles),
            ])}
          />
        </Section>
      )}
    </div>
  );
}

/** Whether all is well, in a line. */
function Lead({ of: s }: { of: Status }) {
  const bad = s.notices.some((n) => n.level === 'error');
  const text = !s.ready ? 'Not ready' : bad ? 'Ready, with problems' : s.notices.length > 0 ? 'Ready, with notices' : 'Ready, no problems';
  return (
    <p class="status-lead">
      <b class={s.ready && !bad ? 'seen' : 'seen seen-silent'}><i aria-hidden="true" />{text}</b>
      <span>hone {s.version}</span>
      <span>up for {lengthText(s.uptime / 1e6)}, since {timeText(s.start)} {zoneText(s.start)}</span>
      <span>{s.retention > 0 ? `profiles are kept for ${lengthText(s.retention / 1e6)}` : 'profiles are kept for good'}</span>
    </p>
  );
}

/** The figures to look at first. */
function Tiles({ of: s }: { of: Status }) {
  const received = s.ingest.reduce((n, i) => n + i.profiles, 0);
  const bytes = s.ingest.reduce((n, i) => n + i.bytes, 0);
  const refused = s.ingest.flatMap((i) => Object.values(i.refused)).reduce((n, r) => n + r, 0);
  const kept = s.store?.['profiles'];
  const disk = s.store?.['diskBytes'];
  return (
    <dl class="status-tiles">
      {typeof kept === 'number' && (
        <Tile name="Profiles kept" value={count(kept)} more={typeof disk === 'number' ? `${formatValue(disk, 'bytes')} on disk` : ''} />
      )}
      <Tile name="Received" value={count(received)} more={`${received > 0 ? `${formatValue(bytes, 'bytes')} ` : ''}since startup`} />
      <Tile name="Refused" value={count(refused)} more={refused > 0 ? 'see Received' : 'since startup'} bad={refused > 0} />
      <Tile
        name="Queries" value={`${count(s.queries.running)} of ${count(s.queries.limit)}`}
        more={`running, ${s.queries.waiting > 0 ? `${count(s.queries.waiting)} waiting` : 'none waiting'}`}
      />
    </dl>
  );
}

function Tile({ name, value, more, bad = false }: { name: string; value: string; more: string; bad?: boolean }) {
  return <div class={bad ? 'status-bad' : ''}><dt>{name}</dt><dd><b>{value}</b><span class="soft">{more}</span></dd></div>;
}

/** What came, by protocol, and what became of it. */
function Received({ of: s }: { of: Status }) {
  const losses = lossFacts(s.store);
  return (
    <Section title="Received since startup">
      {s.ingest.length === 0 ? <p class="soft">No profiles yet.</p> : (
        <Grid
          head={['Protocol', 'Profiles', 'Size', 'Refused']}
          rows={s.ingest.map((i) => [i.protocol, count(i.profiles), formatValue(i.bytes, 'bytes'), reasons(i.refused) || 'none'])}
        />
      )}
      {Object.keys(s.degraded).length > 0 && <p>Changed before they were stored: {reasons(s.degraded)}</p>}
      {losses.length > 0 ? <Facts of={losses} /> : <p class="soft">None sent twice, too old, removed, lost or damaged.</p>}
    </Section>
  );
}

/** Limits, with how much of each is used. */
function Limits({ of: s }: { of: Status }) {
  return (
    <Section title="Limits">
      {s.limits.length === 0 ? <p class="soft">No limits are set.</p> : (
        <div class="status-scroll" tabIndex={0} role="region" aria-label="Table of limits">
          <table class="status-limits">
            <thead>
              <tr>
                <th scope="col">Limit</th>
                <th scope="col" class="num">Used</th>
                <th scope="col" class="num">Maximum</th>
                <th scope="col">Hit</th>
              </tr>
            </thead>
            <tbody>
              {s.limits.map((l) => {
                const { name, about, used, limit } = limitWords(l);
                const share = l.used === undefined || l.limit <= 0 ? 0 : Math.min(100, (100 * l.used) / l.limit);
                return (
                  <tr key={l.name} class={l.hits > 0 || share >= 90 ? 'status-bad' : ''}>
                    <th scope="row">{name}{about && <span class="soft status-about">{about}</span>}</th>
                    <td class="num status-share" style={{ '--share': `${share}%` }} {...(used ? tip(`${share.toPrecision(2)}% used`) : {})}>
                      <span>{used}</span>
                    </td>
                    <td class="num">{limit}</td>
                    <td>{l.hits === 0 ? 'never' : `${plural(l.hits, 'time')}${l.last ? `, last ${timeText(l.last)}` : ''}`}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Facts({ of }: { of: readonly Fact[] }) {
  return (
    <dl class="status-facts">
      {of.map(({ name, value, about }) => (
        <div key={name}><dt>{name}{about && <span class="soft status-about">{about}</span>}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}
