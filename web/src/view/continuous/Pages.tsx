import './continuous.css';
import type { Page, PageState } from '../../state/pages';
import { hasRuns, profiles } from '../../state/profiles';
import { goRuns } from '../../state/runs';
import { go } from '../../state/state';
import { follow } from '../link';
import { focusFind, PageFrame } from '../PageFrame';
import { Chunk } from '../Chunk';
import { Skeleton, useKeys } from '../parts';
import type { PageProps } from '../props';
import Nav from './Nav';
import { ServicesPage } from '../start/ServicesPage';

const pages = { services: ServicesPage, regressions: Regressions, status: Server };
const titles: Record<Page, string> = { services: 'Services', regressions: 'Regressions', status: 'Server' };

const regressionsPage = () => import('../regressions/RegressionsPage');

const serverPage = () => import('../server/ServerPage');

function Server(props: PageProps<PageState>) {
  return <Chunk load={serverPage} props={props} waiting={<Skeleton />} />;
}

function Regressions(props: PageProps<PageState>) {
  return <Chunk load={regressionsPage} props={props} waiting={<Skeleton />} />;
}

/** The pages of the store that are not of one selection. */
export default function Pages({ state, onHelp }: { state: PageState; onHelp: () => void }) {
  const Shown = pages[state.page];
  const title = titles[state.page];
  useKeys('Services', [{ keys: '/', label: 'Find', run: focusFind }]);
  const open = profiles.value?.find((p) => p.state !== 'failed');
  const nav = (
    <>
      <Nav page={state.page} />
      {open && <a class="header-link" href="/flame" onClick={follow(() => go({ view: 'flame', profile: [open.id], base: [] }))}>Files</a>}
      {hasRuns.value && <a class="header-link" href="/runs" onClick={follow(() => goRuns({ page: 'runs' }))}>Runs</a>}
    </>
  );
  return <PageFrame title={title} kind="pages-header" nav={nav} onHelp={onHelp}><Shown state={state} /></PageFrame>;
}
