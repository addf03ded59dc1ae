import './continuous.css';
import type { ComponentChildren } from 'preact';
import { logout, type Notice } from '../../api/continuous';
import { leave } from '../../state/address';
import { status, statusError, useStatus } from '../../state/continuous';
import { goPage, pageHref, type Page } from '../../state/pages';
import { openCount, useSummary } from '../../state/regressions';
import { timeText } from '../../state/selection';
import { follow } from '../link';
import { Icon, Menu, Popover, tip, useKeys } from '../parts';
import { count } from '../table/format';

/** The pages, with keys by their order, what one should know of the server now, and who one is. */
export default function Nav({ page }: { page: Page | null }) {
  useStatus();
  useSummary();
  useKeys('Services', [
    { keys: 'g 1', label: 'Services', run: () => goPage({ page: 'services' }) },
    { keys: 'g 2', label: 'Regressions', run: () => goPage({ page: 'regressions' }) },
    { keys: 'g 3', label: 'State of the server', run: () => goPage({ page: 'status' }) },
  ]);
  return (
    <div class="store-nav">
      <nav aria-label="Pages">
        <PageLink to="services" now={page} keys="g 1" about="All services">Services</PageLink>
        <PageLink to="regressions" now={page} keys="g 2" about="Regressions: what costs more than before">
          <span class="nav-word">Regressions</span><span class="nav-sign" aria-hidden="true">▲</span><OpenCount />
        </PageLink>
        <PageLink to="status" now={page} keys="g 3" about="State of the server">Server</PageLink>
      </nav>
      <Notices />
      <UserMenu />
    </div>
  );
}

/** How many regressions are open. */
function OpenCount() {
  const n = openCount.value;
  return n > 0 ? <span class="nav-count">{count(n)}<span class="visually-hidden"> open</span></span> : null;
}

interface LinkProps {
  to: Page;
  now: Page | null;
  keys: string;
  about: string;
  children: ComponentChildren;
}

function PageLink({ to, now, keys, about, children }: LinkProps) {
  return (
    <a
      class="header-link"
      href={pageHref({ page: to })}
      aria-current={to === now ? 'page' : undefined}
      onClick={follow(() => goPage({ page: to }))}
      {...tip(about, keys)}
    >
      {children}
    </a>
  );
}

/** What a person should know now: the worst in sight, the rest a click away. */
function Notices() {
  const lost = statusError.value;
  const notices: readonly Notice[] = lost && lost.status !== 0
    ? [{ level: 'error', text: `Can’t get the state of the server: ${lost.message}` }]
    : (status.value?.notices ?? []);
  const first = notices[0];
  return (
    <div class="notices" role="status">
      {first && (
        <Popover
          kind="plain"
          label={`${notices.length === 1 ? 'Notice' : `${notices.length} notices`}: ${first.text}`}
          buttonClass={`notice notice-${first.level}`}
          class="notice-box"
          button={(
            <>
              <Icon name={first.level === 'info' ? 'info' : 'warning'} />
              <span class="notice-text">{first.text}</span>
              {notices.length > 1 && <span class="notice-count">{notices.length}</span>}
            </>
          )}
        >
          {(close) => (
            <>
              <h2>Notices</h2>
              <NoticeList notices={notices} />
              <a href={pageHref({ page: 'status' })} onClick={follow(() => { close(); goPage({ page: 'status' }); })}>
                State of the server
              </a>
            </>
          )}
        </Popover>
      )}
    </div>
  );
}

export function NoticeList({ notices }: { notices: readonly Notice[] }) {
  return (
    <ul class="notice-list">
      {notices.map((n) => (
        <li key={n.text} class={`notice-${n.level}`}>
          <Icon name={n.level === 'info' ? 'info' : 'warning'} />
          <span>
            <span class="visually-hidden">{n.level}: </span>
            {n.text}
            {n.since !== undefined && n.since > 0 && <span class="soft"> since {timeText(n.since)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

const logOut = () => void logout().then(() => leave('/login?to=/services'));

function UserMenu() {
  const user = status.value?.user;
  if (!user || user.by === 'none') return null;
  const may = `${user.roles.join(', ') || 'nothing'}${user.services ? ` of ${user.services.join(', ')}` : ''}`;
  return (
    <Menu
      class="store-user"
      kind="plain"
      button={<>
        <Icon name="user" />
        <span class="visually-hidden">Logged in as {user.name}</span>
        <span class="store-user-name" aria-hidden="true">{user.name}</span>
      </>}
      label={`Logged in as ${user.name}`}
      align="end"
      items={[{ heading: `${user.name} may ${may}` }, { label: 'Log out', icon: 'external', run: logOut }]}
    />
  );
}
