import './header.css';
import { useRef, useState } from 'preact/hooks';
import { hasRuns, hasStore, listError, profiles, shown } from '../state/profiles';
import { goPage } from '../state/pages';
import { goRuns } from '../state/runs';
import { setOption, state, stored } from '../state/state';
import { theme, type Theme } from '../state/theme';
import { sampleTypeIndex } from '../state/options';
import { Compare } from './Compare';
import { CommandMenu, ExportMenu, ShareMenu } from './ExportMenu';
import { IconButton, Mark, Menu, tip } from './parts';
import { Chunk } from './Chunk';
import { follow } from './link';
import { ProfilePicker } from './ProfilePicker';
import { SavedViews } from './SavedViews';
import { Search } from './Search';

/** Before it is known what is open. */
export function Start() {
  return <header class="header"><Brand /></header>;
}

export function Brand() {
  return (
    <a class="brand" href="/" aria-label="hone" {...tip('Start page')}>
      <Mark />
      <span class="brand-name">hone</span>
    </a>
  );
}

interface HeaderProps {
  onHelp: () => void;
  /** Nothing is open yet: only what makes sense then. */
  bare: boolean;
}

export function Header({ onHelp, bare }: HeaderProps) {
  // On a narrow window the lesser actions wait behind a button.
  const [more, setMore] = useState(false);
  // Until names are known they would be drawn at one place and move to another.
  const known = useRef(false);
  const listed = profiles.value !== null || listError.value !== null;
  const told = shown.value?.info ?? shown.value?.error ?? listError.value;
  if (listed && told) known.current = true;
  const comparing = state.value.base.length > 0;
  const ofStore = stored.value;
  return (
    <header
      class={`header${ofStore ? ' header-stored' : ''}${bare ? ' header-bare' : ''}${comparing && !ofStore ? ' header-comparing' : ''}`}
    >
      <Brand />
      {!bare && (
        <>
          <div class={`header-profiles${known.current ? '' : ' header-waiting'}`}>
            {ofStore ? <Chunk load={storeNav} props={{ page: null }} waiting={<span class="store-nav" />} /> : comparing ? <Compare /> : (
              <><ProfilePicker which="profile" /><Compare /></>
            )}
            <SampleType />
          </div>
          <Search />
        </>
      )}
      {hasStore.value && !ofStore && (
        <a
          class="header-link"
          href="/services"
          onClick={follow(() => goPage({ page: 'services' }))}
          {...tip('Profiles of all services, over time')}
        >
          Services
        </a>
      )}
      {hasRuns.value && (
        <a class="header-link" href="/runs" onClick={follow(() => goRuns({ page: 'runs' }))} {...tip('Benchmarks and load tests')}>Runs</a>
      )}
      <div class={`header-actions${more ? ' header-actions-open' : ''}`}>
        {!bare && (
          <>
            <ShareMenu />
            <ExportMenu />
            <CommandMenu />
            <SavedViews />
          </>
        )}
        <ThemeMenu />
        <IconButton icon="help" label="Keys and help" keys="?" onClick={onHelp} />
      </div>
      {!bare && (
        <IconButton
          class="header-more"
          icon="more"
          label={more ? 'Fewer actions' : 'More actions'}
          aria-expanded={more}
          onClick={() => setMore(!more)}
        />
      )}
    </header>
  );
}

const storeNav = () => import('./continuous/Nav');

function SampleType() {
  const info = shown.value?.info;
  const types = info?.sampleTypes ?? [];
  const at = info ? sampleTypeIndex(info, state.value.options.sample_index) : -1;
  return (
    <label class="picklist sample-type" {...tip(`Sample type${types[at]?.unit === 'bytes' ? '; 1kB is 1024 bytes' : ''}`)}>
      <span class="visually-hidden">Sample type</span>
      <select
        value={String(at)}
        disabled={types.length < 2}
        onChange={(e) => {
          const i = Number(e.currentTarget.value);
          setOption('sample_index', i === info?.defaultSampleType ? '' : (types[i]?.type ?? ''));
        }}
      >
        {info === undefined && <option value="-1">{shown.value?.error ? '' : '…'}</option>}
        {info !== undefined && at < 0 && <option value="-1">{state.value.options.sample_index}?</option>}
        {types.map((t, i) => <option key={i} value={String(i)}>{t.type}{t.unit && t.unit !== 'count' ? ` (${t.unit})` : ''}</option>)}
      </select>
    </label>
  );
}

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function ThemeMenu() {
  const now = theme.value;
  return (
    <Menu
      icon={now === 'light' ? 'sun' : now === 'dark' ? 'moon' : 'contrast'}
      label="Light or dark"
      align="end"
      items={themes.map(({ value, label }) => ({ label, checked: value === now, run: () => { theme.value = value; } }))}
    />
  );
}
