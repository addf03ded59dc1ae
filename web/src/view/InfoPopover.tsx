import './info.css';
import { shown } from '../state/profiles';
import { state } from '../state/state';
import { formatCount } from '../model/units';
import { Chunk } from './Chunk';
import { formatDuration } from './facts';
import { Icon, Popover } from './parts';
import { sideNames } from './vocabulary';

const facts = () => import('./Facts');

/** The profile in a few words, and all its facts on demand. */
export function InfoPopover() {
  const info = shown.value?.info;
  if (!info) return null;
  const { base, profile, view } = state.value;
  const merged = profile.length;
  const beside = view === 'flame' || view === 'diff' || view === 'raw';
  const words = base.length > 0 && !beside ? ['After − before'] : [
    ...(base.length > 0 ? [sideNames.head] : []),
    ...(info.duration > 0 && !info.selection ? [`over ${formatDuration(info.duration)}`] : []),
    info.selection
      ? `${formatCount(info.selection.profiles)} ${info.selection.profiles === 1 ? 'profile' : 'profiles'}`
      : `${formatCount(info.samples)} ${info.samples === 1 ? 'stack' : 'stacks'}`,
    ...(merged > 1 ? [`first of ${merged}`] : []),
  ];
  return (
    <div class="profile-info">
      <Popover
        button={<><span class="profile-words">{words.join(' · ')}</span><span class="profile-icon"><Icon name="info" /></span></>}
        label="About this profile"
        kind="plain"
        align="end"
        class="profile-box"
      >
        {() => <Chunk load={facts} props={{ info }} />}
      </Popover>
    </div>
  );
}
