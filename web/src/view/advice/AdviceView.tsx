import { useRef } from 'preact/hooks';
import { adviceCommand, adviceOnProfiles, useAdvice } from '../../state/advice';
import { hasSource } from '../../state/profiles';
import { href, setOwn } from '../../state/state';
import type { ViewProps } from '../props';
import { useMarked } from '../table/useMarked';
import { useSearch } from '../table/useSearch';
import { AdvicePane, NoSource } from './AdvicePane';

/** What to change in the source of what is shown. */
export default function AdviceView({ state }: ViewProps) {
  const has = hasSource.value;
  const advising = useAdvice(has && state.profile.length > 0 ? adviceOnProfiles(state.profile) : null);
  const command = adviceCommand({ profiles: state.profile });
  const box = useRef<HTMLElement>(null);
  const matches = useSearch(state, useMarked(box));
  return (
    <section ref={box} class="pane" aria-label="Advice">
      {has === false ? <NoSource command={command} /> : (
        <AdvicePane
          advising={advising}
          command={command}
          open={state.own['finding'] ?? null}
          onOpen={(id) => setOwn('finding', id, 'replace')}
          hrefOf={(finding) => href({ ...state, own: { ...state.own, finding } })}
          within={state}
          marked={matches}
        />
      )}
    </section>
  );
}
