import type { ApiError } from '../../api/client';
import { matchersShown, selected, setMatchers } from '../../state/selected';
import { showNow, widen } from '../../state/time';
import { Button, Empty } from '../parts';

/** A selection without profiles: why, and the ways out. */
export default function NoProfiles({ error }: { error: ApiError }) {
  const s = selected.value;
  const more = matchersShown.value?.filter((m) => m.name !== 'service' && m.name !== 'kind') ?? [];
  return (
    <Empty title="No profiles in this time range" icon="clock">
      <p>{error.message}</p>
      <div class="button-row">
        {s && s.to < Date.now() - 60_000 && <Button icon="clock" onClick={showNow}>Now</Button>}
        {!s?.id && <Button icon="fit" onClick={widen}>Double the time range</Button>}
        {more.length > 0 && (
          <Button icon="filter" onClick={() => setMatchers((matchersShown.peek() ?? []).filter((m) => !more.includes(m)))}>
            Without filters
          </Button>
        )}
      </div>
    </Empty>
  );
}
