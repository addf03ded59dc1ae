import './continuous.css';
import '../table/pane.css';
import { useEffect } from 'preact/hooks';
import type { Page, PageState } from '../../state/pages';
import { hasRuns, profiles } from '../../state/profiles';
import { goRuns } from '../../state/runs';
import { go } from '../../state/state';
import { Brand, ThemeMenu } from '../Header';
import { follow } from '../link';
import { IconButton, useKeys } from '../parts';
import Nav from './Nav';
import { ServicesPage } from './ServicesPage';
import { StatusPage } from './StatusPage';

export interface PageProps {
  state: PageState;
}

const pages = { services: ServicesPage, status: StatusPage };
const titles: Record<Page, string> = { services: 'Services', status: 'Server' };

/** The pages of the store that are not of one selection. */
export default function Pages({ state, onHelp }: { state: PageState; onHelp: () => void }) {
  const Shown = pages[state.page];
  const title = titles[state.page];
  useEffect(() => {
    document.title = `${title} – hone`;
  }, [title]);
  useKeys('Services', [{ keys: '/', label: 'Find', run: () => document.querySelector<HTMLInputElement>('main .find')?.focus() }]);
  const open = profiles.value?.find((p) => p.state !== 'failed');
  return (
    <>
      <header class="header header-bare pages-header">
        <Brand />
        <Nav page={state.page} />
        {open && <a class="header-link" href="/flame" onClick={follow(() => go({ view: 'flame', profile: [open.id], base: [] }))}>Files</a>}
        {hasRuns.value && <a class="header-link" href="/runs" onClick={follow(() => goRuns({ page: 'runs' }))}>Runs</a>}
        <div class="header-actions">
          <ThemeMenu />
          <IconButton icon="help" label="Keys and help" keys="?" onClick={onHelp} />
        </div>
      </header>
      <main class="view-main">
        <div id="view" tabIndex={-1} class="view-panel">
          <h1 class="visually-hidden">{title}</h1>
          <Shown state={state} />
        </div>
      </main>
    </>
  );
}
