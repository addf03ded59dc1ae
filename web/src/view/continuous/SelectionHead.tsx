// What is selected in the store, over every view of it: what, when, how much of
// it, against what. Its height is fixed, so that nothing moves when it comes.

import './continuous.css';
import '../table/pane.css';
import { useEffect } from 'preact/hooks';
import { toggleHeat } from '../../state/heat';
import { SECOND } from '../../state/selection';
import { compareTo, endComparison, selected, selectedBase } from '../../state/selected';
import { setOwn, state } from '../../state/state';
import { shift, showNow, tick, toggleLive, widen, zoomIn } from '../../state/time';
import { Chunk } from '../Chunk';
import { useKeys } from '../parts';
import { AgainstControl, openAgainst } from './Against';
import { Filters, openFilters } from './Filters';
import { toggleRest } from './Rest';
import { timing } from './picking';
import { Timeline } from './Timeline';
import { TimeControl } from './TimeControl';
import { WeightControl } from './WeightControl';

const heatTimeline = () => import('../heat/HeatTimeline');

const EVERY = 15 * SECOND;

export default function SelectionHead() {
  const sel = selected.value;
  const { own } = state.value;
  const hidden = own.line === 'off';

  // Live goes on while nobody looks closer at a part of a graph, or has a menu open.
  useEffect(() => {
    if (!own.live) return;
    const now = () => !document.hidden && !state.peek().own.zoom && !document.querySelector('.floating') && tick(Date.now());
    if (selected.peek() && Date.now() - selected.peek()!.to > 2 * EVERY) now(); // a link of yesterday
    const timer = setInterval(now, EVERY);
    return () => clearInterval(timer);
  }, [own.live]);

  useKeys('Selection', [
    { keys: 'T', label: 'Type a time, like 14:05', run: () => { timing.value = true; } },
    { keys: ',', label: 'Earlier', run: () => shift(-1) },
    { keys: '.', label: 'Later', run: () => shift(1) },
    { keys: '<', label: 'Double the time range', run: widen },
    { keys: '>', label: 'Zoom the timeline to the selection', run: zoomIn },
    { keys: 'r', label: 'Now', run: showNow },
    { keys: 'l', label: 'Live: keep up with new profiles', run: toggleLive },
    { keys: 'o', label: 'Filter by label', run: openFilters },
    { keys: 'm', label: 'Compare to', run: openAgainst },
    { keys: 'p', label: 'Compare to the period before', run: () => (selectedBase.peek() ? endComparison() : compareTo('previous')) },
    { keys: 'R', label: 'Compare the selection to the rest of the timeline', run: toggleRest },
    { keys: 'H', label: 'Show a heat map, or lines', run: toggleHeat },
    { keys: 'h', label: 'Show or hide the timeline', run: () => setOwn('line', hidden ? '' : 'off', 'replace') },
    { keys: 'b', label: 'Go to the timeline', run: () => document.querySelector<HTMLElement>('.timeline [role=slider]')?.focus() ?? false },
  ]);

  if (!sel) return null;
  return (
    <>
      <section class="sel-bar" aria-label="Selection">
        <Filters />
        <div class="sel-controls">
          <WeightControl />
          <AgainstControl />
          <TimeControl />
        </div>
      </section>
      {!hidden && (own.heat
        ? <Chunk load={heatTimeline} props={{ sel }} waiting={<section class="timeline timeline-tall" aria-busy="true" />} />
        : <Timeline sel={sel} />)}
    </>
  );
}
