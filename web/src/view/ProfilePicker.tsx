import { choose, distinctName } from '../state/profiles';
import { state } from '../state/state';
import { Chunk } from './Chunk';
import type { ProfileListProps } from './ProfileList';
import { Popover, toast } from './parts';
import { sideNames } from './vocabulary';

const profileList = () => import('./ProfileList');

/** The open profiles to choose from, in place. */
export function ProfileList(props: ProfileListProps) {
  return <Chunk load={profileList} props={props} />;
}

interface ProfilePickerProps {
  which: 'profile' | 'base';
  /** A letter in front: the side of a comparison. */
  side?: string;
}

/** Chooses what is shown, or what it is compared with. */
export function ProfilePicker({ which, side }: ProfilePickerProps) {
  const chosen = state.value[which];
  const first = chosen[0];
  const name = first === undefined ? 'No profile' : chosen.length > 1 ? `${chosen.length} profiles, added up` : distinctName(first);
  const label = which === 'base' ? 'Compare with' : 'Profile';
  return (
    <Popover
      buttonClass="picker-button"
      kind="plain"
      label={`${label}: ${name}`}
      button={
        <>
          <span class="visually-hidden">{label}: </span>
          {side !== undefined && <span class="picker-side" title={sideNames[which === 'base' ? 'base' : 'head']}>{side}</span>}
          <span class="picker-name">{name}</span>
        </>
      }
    >
      {(close) => (
        <ProfileList
          label={label}
          base={which === 'base'}
          chosen={chosen}
          onChoose={(ids, done) => {
            if (done) close();
            void chooseOrTell(which, ids);
          }}
        />
      )}
    </Popover>
  );
}

export async function chooseOrTell(which: 'profile' | 'base', ids: readonly string[]): Promise<void> {
  try {
    await choose(which, ids);
  } catch (err) {
    toast(err instanceof Error ? err.message : String(err), 'error');
  }
}
