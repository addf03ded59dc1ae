import './app.css';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { back, reload } from '../state/address';
import { besideFlame } from '../state/beside';
import { onKeyDown } from '../state/keys';
import { distinctName, hasStore, listError, loadInfo, profiles, provisional, refresh, shown, unknownInfo } from '../state/profiles';
import { connection, tryAgain, useReturn } from '../state/connection';
import { pageState } from '../state/pages';
import { runsState } from '../state/runs';
import { isSelection } from '../state/selection';
import { go, state, stored, type State } from '../state/state';
import { collapsed } from '../state/summary';
import { Beside } from './Beside';
import { Boundary } from './Boundary';
import { Chunk } from './Chunk';
import { DropTarget } from './DropTarget';
import { share } from './ExportMenu';
import { Header, Start } from './Header';
import { listenLongPress } from './longPress';
import { NotOpen, Failed } from './NotOpen';
import { Chips, toggleMine } from './RefineBar';
import { ShareDialogs } from './share/dialogs';
import Summary from './Summary';
import { Tabs } from './Tabs';
import { Button, Failure, functionItems, FunctionMenuHost, Icon, Skeleton, ToastHost, TooltipHost, useKeys, Warnings } from './parts';
import { views, viewsShown } from './views';

export function App() {
  const [help, setHelp] = useState(false);
  useLayoutEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    const endPresses = listenLongPress();
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      endPresses();
    };
  }, []);
  const runs = runsState.value;
  const page = pageState.value;
  const inViews = !runs && !page; // a page beside them leaves alone what they show
  useKeys('Everywhere', [
    { keys: '/', label: 'Search', run: () => document.getElementById('search')?.focus() },
    ...(inViews ? [
      { keys: 'y', label: 'Your code only, or all code', run: toggleMine },
      { keys: 'B', label: 'Back to what was shown before', run: back },
      // The flame graph has its own, for the frame under the pointer.
      ...(state.value.view === 'flame' ? [] : [{ keys: 'S', label: 'Callers and callees of the selected function', run: sandwich }]),
      { keys: 'L', label: 'Copy a link to this view', run: () => void share().then((s) => s.copyLink()) },
      { keys: 'C', label: 'Copy this view as a command', run: () => void share().then((s) => s.copyCommand()) },
    ] : []),
    { keys: '?', label: 'Keys and help', run: () => setHelp(true) },
    { keys: 'Escape', label: 'Close, or clear the selection', run: () => (inViews && state.peek().fn ? go({ fn: '' }) : false) },
  ]);
  useKeys(
    'Views', inViews ? viewsShown.value.map((v) => ({ keys: `g ${v.key}`, label: v.title, run: () => go({ view: v.id }) })) : [],
  );
  const heading = useTitle();

  // With neither a list nor a link there is nothing to draw yet, and what is drawn must not move.
  const unknown = profiles.value === null && state.value.profile.length === 0 && listError.value === null;
  const empty = profiles.value !== null && profiles.value.length === 0 && state.value.profile.length === 0;
  if (!inViews) {
    return (
      <>
        <a class="skip" href="#view" onClick={(e) => { e.preventDefault(); document.getElementById('view')?.focus(); }}>Skip to the page</a>
        <Banner />
        {runs && (
          <Boundary key={runs.page}>
            <Chunk load={runsPages} props={{ state: runs, onHelp: () => setHelp(true) }} waiting={<Start />} />
          </Boundary>
        )}
        {page && (
          <Boundary key={page.page}>
            <Chunk load={storePages} props={{ state: page, onHelp: () => setHelp(true) }} waiting={<Start />} />
          </Boundary>
        )}
        <ToastHost />
        <TooltipHost />
        {help && <Chunk load={helpDialog} props={{ onClose: () => setHelp(false) }} />}
      </>
    );
  }
  if (unknown) return <Start />;
  return (
    <>
      <a class="skip" href="#view" onClick={(e) => { e.preventDefault(); document.getElementById('view')?.focus(); }}>Skip to the view</a>
      <Banner />
      <Header onHelp={() => setHelp(true)} bare={empty} />
      {stored.value && <div class={headClass(state.value.own)}><Chunk load={selectionHead} /></div>}
      {!empty && <Tabs />}
      {!empty && <Chips />}
      {state.value.own.row && state.value.base.length > 0 && (
        <section class="verdict" aria-label="Verdict of the runs"><Chunk load={runVerdict} /></section>
      )}
      {!empty && (
        <section class={state.value.base.length > 0 && !collapsed.value ? 'summary summary-tall' : 'summary'} aria-label="In short">
          {shown.value?.info && <Summary />}
        </section>
      )}
      <main class="view-main">
        <div
          id="view"
          tabIndex={-1}
          class="view-panel"
          {...(empty ? {} : { role: 'tabpanel', 'aria-labelledby': `tab-${state.value.view}` })}
        >
          {!empty && <h1 class="visually-hidden">{heading}</h1>}
          <Boundary key={state.value.view}>{empty ? <Chunk load={firstRun} /> : <Main />}</Boundary>
        </div>
        <FunctionMenuHost itemsOf={functionItems} />
      </main>
      <DropTarget />
      {hasStore.value && <ShareDialogs />}
      <ToastHost />
      <TooltipHost />
      {help && <Chunk load={helpDialog} props={{ onClose: () => setHelp(false) }} />}
    </>
  );
}

/** The head's height is fixed before its code is there. */
const headClass = ({ line, heat }: State['own']) =>
  `sel-head${line === 'off' ? ' sel-low' : heat ? ' sel-tall' : line === 'on' ? ' sel-open' : ''}`;

const sandwich = () => (state.peek().fn ? go({ view: 'sandwich' }) : false);

export const runsPages = () => import('./runs/RunsPages');
export const storePages = () => import('./continuous/Pages');
export const selectionHead = () => import('./continuous/SelectionHead');
const noProfiles = () => import('./continuous/NoProfiles');
const firstRun = () => import('./FirstRun');
const runVerdict = () => import('./runs/Verdict');
const helpDialog = () => import('./HelpDialog');

/** The table beside the flame graph: of a comparison, what changed. */
const besideOf = (compared: boolean) => views.find((v) => v.id === (compared ? 'diff' : 'top'))!;

function Main() {
  const known = shown.value;
  const listAgain = () => void refresh().then(() => reload());
  useReturn(listError.value?.status === 0, listAgain);
  useReturn(known?.error?.status === 0, () => void loadInfo(known!.id));
  if (!known) {
    if (listError.value) return <Failure error={listError.value} retry={listAgain} />;
    return <Skeleton shape="area" />;
  }
  if (known.error) {
    if (known.error.status === 404 && isSelection(known.id)) return <Chunk load={noProfiles} props={{ error: known.error }} />;
    if (known.error.status === 404) return <NotOpen />;
    return <Failed error={known.error} retry={() => void loadInfo(known.id)} />;
  }
  // The view asks for its report while the facts are on their way, unless that would be for an id about to change.
  if (!known.info && provisional(known.id)) return <Skeleton shape="area" />;
  const spec = views.find((v) => v.id === state.value.view)!;
  const table = besideOf(state.value.base.length > 0);
  const props = { info: known.info ?? unknownInfo(known.id), state: state.value };
  return (
    <>
      <Warnings warnings={known.warnings} />
      <Beside
        table={besideFlame.value
          ? <Chunk key={table.id} load={table.load} props={{ ...props, beside: true }} waiting={<Skeleton shape="area" />} />
          : null}
      >
        <Chunk load={spec.load} props={props} waiting={<Skeleton shape="area" />} />
      </Beside>
    </>
  );
}

function Banner() {
  if (connection.value === 'up') return null;
  return (
    <div class="banner" role="alert">
      <Icon name="warning" />
      <span>hone doesn’t respond. Is it still running? Retrying…</span>
      <Button kind="plain" onClick={() => void tryAgain()}>Retry now</Button>
    </div>
  );
}

/** The window's title says what a tab among many holds. */
function useTitle(): string {
  const { view, base } = state.value;
  const info = shown.value?.info;
  const name = info && distinctName(info.id);
  const title = views.find((v) => v.id === view)!.title;
  const heading = name === undefined ? title : `${title}: ${name}${base.length > 0 ? ' compared' : ''}`;
  const elsewhere = runsState.value !== null || pageState.value !== null;
  useEffect(() => {
    if (elsewhere) return;
    document.title = name === undefined ? 'hone' : `${heading} – hone`;
  }, [heading, name, elsewhere]);
  return heading;
}
