import './tabs.css';
import { useEffect, useRef } from 'preact/hooks';
import { go, href, inView, state } from '../state/state';
import { InfoPopover } from './InfoPopover';
import { follow } from './link';
import { RefineTools } from './RefineBar';
import { tip } from './parts';
import { viewsShown } from './views';

export function Tabs() {
  const list = useRef<HTMLDivElement>(null);
  const current = state.value.view;
  const views = viewsShown.value;

  useEffect(() => {
    // On a narrow window the list scrolls: the current tab stays in sight.
    const el = list.current!;
    const show = () => {
      const tab = el.querySelector<HTMLElement>('[aria-selected=true]');
      if (!tab || el.scrollWidth <= el.clientWidth) return;
      el.scrollLeft = tab.offsetLeft - el.offsetLeft - (el.clientWidth - tab.offsetWidth) / 2;
    };
    const resized = new ResizeObserver(show);
    resized.observe(el); // and so shows it now
    return () => resized.disconnect();
  }, [current]);

  const onKeyDown = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const i = views.findIndex((v) => v.id === current);
    let to: number;
    if (step !== undefined) to = (i + step + views.length) % views.length;
    else if (e.key === 'Home') to = 0;
    else if (e.key === 'End') to = views.length - 1;
    else return;
    e.preventDefault();
    go({ view: views[to]!.id });
    document.getElementById(`tab-${views[to]!.id}`)?.focus();
  };

  return (
    <div class="tabs">
      <nav class="tabs-nav" aria-label="Views">
        <div ref={list} class="tabs-list" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
          {views.map((v) => {
            const selected = v.id === current;
            return (
              <a
                key={v.id}
                id={`tab-${v.id}`}
                role="tab"
                class="tab"
                aria-selected={selected}
                aria-controls="view"
                tabIndex={selected ? 0 : -1}
                href={href(inView(state.value, v.id))}
                onClick={follow(() => go({ view: v.id }))}
                onPointerEnter={() => void v.load().catch(() => {})}
                {...tip(v.about, `g ${v.key}`)}
              >
                {v.title}
              </a>
            );
          })}
        </div>
      </nav>
      <RefineTools />
      <InfoPopover />
    </div>
  );
}
