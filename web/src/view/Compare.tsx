import { signal } from '@preact/signals';
import { setOption, go, state } from '../state/state';
import { profiles } from '../state/profiles';
import { withoutFinding } from '../state/runs';
import { alone } from '../state/selected';
import { IconButton, Popover, tip } from './parts';
import { chooseOrTell, ProfileList, ProfilePicker } from './ProfilePicker';

const choosing = signal(false);

/** Opens the choice of what to compare with. */
export function openCompare(): void {
  choosing.value = true;
}

/** Begins a comparison, and once there is one, has its two sides. */
export function Compare() {
  const { base, profile, options } = state.value;
  if (base.length === 0) {
    const others = (profiles.value?.length ?? 0) > 1;
    return (
      <Popover
        button={<span class="compare-word">Compare</span>}
        icon="compare"
        kind="plain"
        label="Compare with another profile"
        open={choosing.value}
        onOpen={(open) => { choosing.value = open; }}
        buttonClass="compare-button"
      >
        {(close) => (
          <>
            <h2>Compare with</h2>
            <p class="compare-help">
              {others
                ? 'Choose the profile from before the change. The views then show what changed since.'
                : 'Open the profile from before the change, to compare with it.'}
            </p>
            <ProfileList
              label="Compare with"
              base
              chosen={[]}
              without={profile}
              onChoose={(ids) => {
                close(); // the two sides have pickers of their own
                void chooseOrTell('base', ids);
              }}
            />
          </>
        )}
      </Popover>
    );
  }
  const normalized = options.normalize === 'true';
  return (
    <div class="comparison" role="group" aria-label="Comparison">
      <ProfilePicker which="base" side="A" />
      <IconButton
        icon="swap"
        label="Swap before and after"
        onClick={() => go({ ...withoutFinding(state.value), base: profile, profile: base })}
      />
      <ProfilePicker which="profile" side="B" />
      <button
        type="button"
        role="switch"
        class="toggle"
        aria-checked={normalized}
        onClick={() => setOption('normalize', normalized ? '' : 'true')}
        {...tip(options.base_total ? 'Scale to the same number of operations' : 'Scale both sides to one total, to compare shares')}
      >
        <span class="toggle-track" aria-hidden="true" />
        {options.base_total ? 'Per operation' : 'Normalize'}
      </button>
      <IconButton
        icon="close"
        label="End the comparison"
        onClick={() => {
          go(alone({ ...state.value, ...withoutFinding(state.value) }));
        }}
      />
    </div>
  );
}
