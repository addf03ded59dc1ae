import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Diff } from '../api/types';
import { comparableOf } from '../state/comparable';
import { toggleHeat } from '../state/heat';
import { shownName } from '../state/profiles';
import { go, href, state, type State } from '../state/state';
import { follow } from './link';
import { plainOf, sentencesOf, type Part } from './changeWords';
import { copyText, IconButton, tip } from './parts';
import { sideNames } from './vocabulary';

/** What a comparison found, in sentences to be read first, and copied into a review. */
export default function ChangeSummary({ change }: { change: Diff }) {
  const { base, profile, own } = state.value;
  const [brief, setBrief] = useState(true); // in a small window, the first sentence alone
  const { box, cut } = useCut(change);
  const sentences = sentencesOf(change, comparableOf(state.value));
  const copy = () => {
    const lines = [`${sideNames.base}: ${shownName(base)}`, `${sideNames.head}: ${shownName(profile)}`, ...sentences.map(plainOf)];
    void copyText(lines.join('\n'), 'Sentences copied');
  };
  return (
    <>
      <div ref={box} class={`summary-change${brief ? ' brief' : ''}${brief && cut ? ' cut' : ''}`}>
        {sentences.map((sentence, i) => (
          <p key={i}>{sentence.map((part, at) => <Told key={at} part={part} link={change.granularity === 'functions'} />)}</p>
        ))}
        {hides(change, own) && (
          <p>
            {change.outlier ? 'When that was is in the' : 'One instance may have changed alone: see the'}{' '}
            <a href={href({ ...state.value, own: { ...own, heat: 'instance' } })} onClick={follow(toggleHeat)} data-keys="H">heat map</a>.
          </p>
        )}
        {brief && <button type="button" class="summary-more" onClick={() => setBrief(false)}>more</button>}
      </div>
      <IconButton icon="copy" label="Copy as text, for a review" onClick={copy} />
    </>
  );
}

/** Whether sentences are longer than the room for them, which is there before they are. */
function useCut(of: Diff): { box: RefObject<HTMLDivElement | null>; cut: boolean } {
  const box = useRef<HTMLDivElement>(null);
  const [cut, setCut] = useState(false);
  useLayoutEffect(() => {
    const room = box.current!.parentElement!;
    const measure = () => box.current && setCut(box.current.offsetTop + box.current.scrollHeight > room.clientHeight + 1);
    const resized = new ResizeObserver(measure);
    for (const el of [room, box.current!]) resized.observe(el);
    return () => resized.disconnect();
  }, [of]);
  return { box, cut };
}

/** Whether a change of one instance may be lost among several: in a time that doesn't differ from the rest of the timeline. */
const hides = ({ total, instances }: Diff, { vs, heat }: State['own']): boolean =>
  (vs ?? '').startsWith('rest:') && !heat && total?.noise === true && (instances?.[0] ?? 0) > 1;

function Told({ part, link }: { part: Part; link: boolean }) {
  if (typeof part === 'string') return <>{part}</>;
  const { fn, name } = part;
  if (!link) return <span class="mono">{name}</span>;
  return <a class="mono" href={href({ ...state.value, fn })} onClick={follow(() => go({ fn }))} {...tip(fn)}>{name}</a>;
}
