// A flame graph that fills its parent: canvas, tooltip, what screen readers hear.
// The flame view adds a toolbar and more to it; other views use it as it is.

import './flame.css';
import type { ComponentChildren } from 'preact';
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ColorBy } from '../../theme/frames';
import type { Matcher } from '../../draw/scene';
import { Failure, openFunctionMenu, Progress, Skeleton, Empty, type MenuItem } from '../parts';
import { dark } from '../../state/theme';
import { Controller, type Direction } from './controller';
import { sentence, type Words } from './describe';
import { listen } from './input';
import type { FlameSource } from './source';
import type { Spot } from './spot';
import { FlameTip, type TipPlace } from './FlameTip';

interface Props {
  /** What is asked of report/flame, without a window. */
  query: URLSearchParams;
  /** Root at the bottom. */
  flip?: boolean;
  /** Levels at the root to leave out. */
  skip?: number;
  /** A small part of another view: it waits without a skeleton. */
  compact?: boolean;
  /** Name for screen readers; "Flame graph" if not given. */
  label?: string;
  colors?: ColorBy;
  /** What to mark; the rest fades. */
  matcher?: Matcher | null;
  /** A function to underline wherever it is. */
  selected?: string;
  /** The frame zoomed to, as in links: "id:name". */
  zoom?: string;
  onZoom?: (zoom: string, how: 'push' | 'replace') => void;
  /** A frame was clicked or tapped. */
  onSelect?: (name: string) => void;
  /** More entries for the menu of a frame. */
  menu?: (spot: Spot) => MenuItem[];
  /** Shown if there are no samples. */
  empty?: ComponentChildren;
}

/** With a controller, to know and steer the graph from outside; else it has its own. */
export type FlameGraphProps = Props & ({ source: FlameSource; controller?: never } | { controller: Controller; source?: never });

export function FlameGraph(props: FlameGraphProps) {
  const { query, flip = false, skip = 0, compact = false, colors, matcher = null, selected = '', zoom = '' } = props;
  const [own] = useState(() => props.controller ?? new Controller(props.source));
  const graph = props.controller ?? own;
  const stage = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const tip = useSignal<TipPlace | null>(null);
  const help = useId();

  useLayoutEffect(() => {
    const detach = graph.attach({ stage: stage.current!, spacer: spacer.current!, base: base.current!, overlay: overlay.current! });
    const stop = listen(overlay.current!, graph, {
      point: (at) => {
        tip.value = at;
      },
      menu: openMenu,
      select: (spot) => {
        tip.value = null;
        if (spot.kind === 'frame') latest.current.onSelect?.(spot.name);
      },
    });
    return () => {
      stop();
      detach();
    };
  }, [graph]);

  const openMenu = (spot: Spot, x: number, y: number) => {
    const zoomItem: MenuItem = { label: 'Zoom', icon: 'fit', keys: 'Enter', run: () => graph.zoomTo(spot) };
    openFunctionMenu(spot.name, { x, y }, [zoomItem, ...(latest.current.menu?.(spot) ?? [])]);
  };

  graph.onZoom = (to, how) => latest.current.onZoom?.(to, how);
  const isDark = dark.value;
  const text = query.toString();
  useLayoutEffect(() => graph.setDark(isDark), [graph, isDark]);
  useLayoutEffect(() => graph.setFlip(flip), [graph, flip]);
  useLayoutEffect(() => graph.setSkip(skip), [graph, skip]);
  useLayoutEffect(() => graph.setQuery(query, zoom), [graph, text]);
  const shown = graph.whole.value;
  const coloring = colors ?? (shown?.about.diff ? 'change' : 'package');
  useLayoutEffect(() => graph.setColors(coloring), [graph, coloring, shown]);
  useLayoutEffect(() => graph.setMatcher(matcher), [graph, matcher, shown]);
  useLayoutEffect(() => graph.setSelected(selected), [graph, selected, shown]);
  useEffect(() => {
    if (!graph.stale.peek()) graph.applyZoom(zoom);
  }, [graph, zoom]);

  const error = graph.error.value;
  const lost = error?.status === 0;
  const reachable = graph.source.reachable.value;
  useEffect(() => {
    if (reachable) graph.resume();
  }, [graph, lost, reachable]);
  const words: Words | null = shown && {
    about: shown.about,
    unit: query.get('unit') || 'auto',
    zoomed: graph.path.value.at(-1) ?? null,
  };
  const isEmpty = shown !== null && (shown.about.width <= 0 || shown.about.height <= 1); // or all without a stack
  const covered = error !== null || isEmpty;

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const direction = arrows[e.key];
    if (direction) {
      graph.showFocus(true);
      graph.moveFocus(direction);
    } else if (e.key === 'Enter') {
      const spot = graph.focus.peek();
      if (!spot) return;
      graph.zoomTo(spot);
      if (spot.kind === 'frame') latest.current.onSelect?.(spot.name);
    } else if (e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) {
      const spot = graph.focus.peek();
      if (spot?.kind !== 'frame') return;
      const box = overlay.current!.getBoundingClientRect();
      const at = graph.cornerOf(spot);
      openMenu(spot, box.left + at.x, box.top + at.y);
    } else if (e.key === 'Escape' || e.key === 'Backspace') {
      if (!graph.zoomOut()) return;
    } else if (e.key === 'Home') {
      graph.showAll();
    } else return;
    tip.value = null;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div
      class={`flame-graph${graph.stale.value && shown ? ' flame-stale' : ''}`}
      {...hooks(graph)}
      aria-busy={graph.stale.value || graph.busy.value}
    >
      {graph.stale.value && shown && <Progress />}
      <div ref={stage} class="flame-stage">
        <div class="flame-sticky">
          <canvas ref={base} aria-hidden="true" />
          <canvas
            ref={overlay}
            class="flame-overlay"
            tabIndex={covered ? -1 : 0}
            role="application"
            aria-roledescription="flame graph"
            aria-label={props.label ?? 'Flame graph'}
            aria-describedby={help}
            onKeyDown={onKeyDown}
            onFocus={(e) => {
              if (e.currentTarget.matches(':focus-visible')) graph.showFocus(true);
            }}
            onBlur={() => {
              graph.showFocus(false);
              tip.value = null;
            }}
          />
        </div>
        <div ref={spacer} aria-hidden="true" />
      </div>
      <p id={help} class="visually-hidden">
        Arrow keys move between frames, Enter zooms in, Escape zooms out, the menu key shows more
        with it.
      </p>
      <Speech graph={graph} words={words} />
      {!shown && !error && (compact ? <Progress /> : <div class="flame-cover"><Skeleton shape="area" /></div>)}
      {error && <div class="flame-cover"><Failure error={error} retry={() => graph.retry()} /></div>}
      {!error && isEmpty && <div class="flame-cover">{props.empty ?? <Empty title="No samples" />}</div>}
      {words && <Tip graph={graph} tip={tip} words={words} />}
    </div>
  );
}

/** Apart, since it follows the pointer and nothing else has to. */
function Tip({ graph, tip, words }: { graph: Controller; tip: Signal<TipPlace | null>; words: Words }) {
  const spot = graph.hover.value;
  return tip.value && spot && <FlameTip spot={spot} at={tip.value} words={words} />;
}

const arrows: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };

/** Tells screen readers what the focus is at. */
function Speech({ graph, words }: { graph: Controller; words: Words | null }) {
  const spot = graph.focus.value;
  return (
    <p class="visually-hidden" role="status" aria-live="polite" data-part="focus">
      {spot && words ? sentence(words, spot) : ''}
    </p>
  );
}

/** What tests wait for and look at. */
function hooks(graph: Controller) {
  const model = graph.whole.value;
  const settled = graph.settled.value;
  return {
    'data-ready': String(model !== null && !graph.stale.value && !graph.busy.value),
    'data-nodes': String(model?.count ?? 0),
    'data-from': String(settled.from),
    'data-to': String(settled.to),
    'data-matched': String(graph.matched.value),
  };
}
