import { WEIGHTS, weightTitle } from '../../state/selection';
import { select, selected } from '../../state/selected';
import { Menu } from '../parts';

/** How much of it: all profiles, or the most expensive ones alone. */
export function WeightControl() {
  const top = selected.value?.top ?? '';
  return (
    <Menu
      button={<span class={top ? 'sel-set' : ''}>{top ? weightTitle(top) : <>All<span class="sel-wide"> profiles</span></>}</span>}
      label="Weight: all profiles, or the most expensive ones"
      kind="plain"
      items={[
        { heading: 'Only the most expensive profiles' },
        ...WEIGHTS.map((w) => ({ label: w.title, checked: w.top === top, run: () => select({ top: w.top }) })),
      ]}
    />
  );
}
