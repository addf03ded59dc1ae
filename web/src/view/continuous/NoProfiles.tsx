import type { ApiError } from '../../api/client';
import { services as askServices } from '../../api/continuous';
import { useAnswer } from '../../state/answer';
import { inOrder, kindOf, serviceOf } from '../../state/selection';
import { formatSelector, matcherOf, withMatcher } from '../../state/selector';
import { matchersShown, selected, setMatchers } from '../../state/selected';
import { showNow, widen } from '../../state/time';
import { Button, Empty } from '../parts';

/** A selection without profiles: why, and the ways out. */
export default function NoProfiles({ error }: { error: ApiError }) {
  const s = selected.value;
  const matchers = matchersShown.value ?? [];
  const more = matchers.filter((m) => m.name !== 'service' && m.name !== 'kind');
  const [service, kind] = [serviceOf(s?.q ?? ''), kindOf(s?.q ?? '')];
  const q = service !== undefined && kind !== undefined ? formatSelector([{ name: 'service', op: '=', value: service }]) : null;
  const asked = useAnswer(q && `services ${q}`, (signal) => askServices({ q: q! }, signal));
  const kinds = inOrder(asked.answer?.report.services[0]?.kinds.map((k) => k.kind) ?? []);
  if (kinds.length > 0 && !kinds.includes(kind!)) {
    return (
      <Empty title={`${service} sends no ${kind}`} icon="filter">
        <p>There are profiles of {kinds.length === 1 ? 'another kind' : 'other kinds'}:</p>
        <div class="button-row">
          {kinds.map((k) => (
            <Button key={k} onClick={() => setMatchers(withMatcher(matchers, 'kind', matcherOf('kind', [k])))}>{k}</Button>
          ))}
        </div>
      </Empty>
    );
  }
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
