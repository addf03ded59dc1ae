import './runs.css';
import { goRuns, runsHref, type RunPage, type RunsState } from '../../state/runs';
import { profiles } from '../../state/profiles';
import { go } from '../../state/state';
import { follow } from '../link';
import { focusFind, PageFrame } from '../PageFrame';
import { tip, useKeys } from '../parts';
import { ComparePage } from './ComparePage';
import { RunList } from './RunList';
import { RunPageView } from './RunPage';
import { TrendPage } from './TrendPage';

const titles: Record<RunPage, string> = { runs: 'Runs', run: 'Run', compare: 'Comparison', trend: 'Trends' };

const pages = { runs: RunList, run: RunPageView, compare: ComparePage, trend: TrendPage };

/** The pages of kept runs: the list, one, a comparison, trends. */
export default function RunsPages({ state, onHelp }: { state: RunsState; onHelp: () => void }) {
  const Page = pages[state.page];
  const title = state.run.length > 0 ? `${titles[state.page]} ${state.run.join(' → ')}` : titles[state.page];
  const open = profiles.value?.some((p) => !p.id.includes(':')) ?? false;
  useKeys('Runs', [
    { keys: '/', label: 'Find', run: focusFind },
    { keys: 'g u', label: 'Runs', run: () => goRuns({ page: 'runs' }) },
    { keys: 'g e', label: 'Trends', run: () => goRuns({ page: 'trend' }) },
  ]);
  const nav = (
    <nav class="runs-nav" aria-label="Pages">
      <PageLink to="runs" now={state.page} keys="g u">Runs</PageLink>
      <PageLink to="trend" now={state.page} keys="g e">Trends</PageLink>
      {open && (
        <a class="header-link" href="/flame" onClick={follow(() => go({ view: 'flame', profile: firstProfile(), base: [] }))}>Profiles</a>
      )}
    </nav>
  );
  return <PageFrame title={title} kind="runs-header" nav={nav} onHelp={onHelp}><Page state={state} /></PageFrame>;
}

function firstProfile(): string[] {
  const first = profiles.peek()?.find((p) => !p.id.includes(':') && p.state !== 'failed');
  return first ? [first.id] : [];
}

function PageLink({ to, now, keys, children }: { to: RunPage; now: RunPage; keys: string; children: string }) {
  return (
    <a
      class="header-link"
      href={runsHref({ page: to })}
      aria-current={to === now ? 'page' : undefined}
      onClick={follow(() => goRuns({ page: to }))}
      {...tip(to === 'runs' ? 'All runs' : 'Benchmarks over time', keys)}
    >
      {children}
    </a>
  );
}
