import { useLayoutEffect, useRef } from 'preact/hooks';
import { frameName } from '../../model/names';
import { tip } from '../parts';
import type { Controller } from './controller';
import { shareOfAll } from './describe';

/** From all to the frame that is zoomed to. */
export function Breadcrumb({ graph }: { graph: Controller }) {
  const list = useRef<HTMLOListElement>(null);
  const path = graph.path.value;
  useLayoutEffect(() => {
    list.current!.scrollLeft = list.current!.scrollWidth;
  }, [path]);
  const about = graph.whole.value?.about;
  return (
    <nav class="flame-crumbs" aria-label="Zoom">
      <ol ref={list}>
        <li>
          <button type="button" aria-current={path.length < 2 ? 'true' : undefined} onClick={() => graph.showAll()}>All</button>
        </li>
        {path.slice(1).map((spot, i) => (
          <li key={spot.id}>
            <button
              type="button"
              aria-current={i === path.length - 2 ? 'true' : undefined}
              {...tip(spot.name)}
              onClick={() => graph.zoomTo(spot)}
            >
              {frameName(spot.name, spot.origin)}
            </button>
            {about && i === path.length - 2 && <span class="flame-crumb-share">{shareOfAll(about, spot.total, spot.base?.total)}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
