import { compareTo, endComparison, selectedBase } from '../../state/selected';
import { state } from '../../state/state';
import { restOfTimeline } from '../../state/time';
import { Button } from '../parts';

/** Compares the part of the timeline that is selected with the rest of it, or ends that. */
export function toggleRest(): void | false {
  if (comparesRest()) return endComparison();
  const rest = restOfTimeline.peek();
  if (rest === null) return false;
  compareTo(rest);
}

const comparesRest = () => (state.value.own.vs ?? '').startsWith('rest:') && selectedBase.value !== null;

/** The button that shows what was different in the selected time. */
export function RestButton() {
  const on = comparesRest();
  if (!on && restOfTimeline.value === null) return null;
  return (
    <Button
      kind="quiet"
      icon="compare"
      class="timeline-rest"
      aria-pressed={on}
      onClick={toggleRest}
      data-tip="What was different in this time: compare it with the rest of the timeline"
      data-keys="R"
    >
      vs the rest
    </Button>
  );
}
