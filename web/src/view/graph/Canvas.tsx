// The graph in a frame through which one looks at part of it. Moving it moves a
// layer: nothing is rendered or painted again until it rests.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Graph } from '../../api/types';
import { openFunctionMenu, useKeys, IconButton } from '../parts';
import { selects } from '../table/names';
import { Drawing } from './Drawing';
import { clamp, first, fit, heat, neighbour, reveal, zoom, type Direction, type View } from './geometry';

interface Props {
  graph: Graph;
  selected: string;
  matches: ((name: string) => boolean) | null;
  /** Values are changes. */
  compared: boolean;
  /** What is beside it, between the buttons and the small map. */
  children: ComponentChildren;
  onSelect: (name: string) => void;
  onOpen: (name: string) => void;
}

const STEP = 60; // pixels an arrow key moves
const SHARP = 160; // ms without a move, and it is painted anew
const LAYER = 9000; // pixels: browsers paint some thousands beyond what is seen
const MAP = 160; // pixels, the longer side of the small map
const CLICK = 4; // pixels a pointer may move and still click

const ways: Record<string, Direction> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };

export function Canvas({ graph, selected, matches, compared, children, onSelect, onOpen }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const world = useRef<SVGSVGElement>(null);
  const glass = useRef<HTMLDivElement>(null);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const map = useRef<HTMLDivElement>(null);
  const view = useRef<View>({ x: 0, y: 0, scale: 1 });
  const chosen = useMemo(() => graph.nodes.findIndex((n) => selects(n) === selected), [graph, selected]);
  const hottest = useMemo(
    () => graph.nodes.reduce((best, n, i) => (Math.abs(n.cum.value) > Math.abs(graph.nodes[best]?.cum.value ?? 0) ? i : best), 0),
    [graph],
  );

  const screen = () => ({ width: frame.current?.clientWidth ?? 1, height: frame.current?.clientHeight ?? 1 });
  const magnified = () => ({ ...screen(), magnified: parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1 });
  const move = (to: View) => {
    const size = screen();
    const v = clamp(to, graph, size);
    view.current = v;
    const svg = world.current;
    if (!svg) return;
    // A layer of its own is moved without painting, but keeps the sharpness it was painted with. A
    // graph too large to be painted as a whole is drawn anew, only what is seen of it.
    const layer = Math.max(graph.width, graph.height) * v.scale < LAYER;
    svg.classList.toggle('layer', layer);
    svg.classList.toggle('moving', layer);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => svg.classList.remove('moving'), SHARP);
    svg.style.transform = layer ? `translate(${v.x}px, ${v.y}px) scale(${v.scale})` : '';
    svg.firstElementChild?.setAttribute('transform', layer ? '' : `translate(${v.x} ${v.y}) scale(${v.scale})`);
    frame.current?.classList.toggle('far', v.scale < 0.35);
    const small = MAP / Math.max(graph.width, graph.height, 1) / v.scale;
    const g = glass.current;
    if (g) {
      g.style.transform = `translate(${-v.x * small}px, ${-v.y * small}px)`;
      g.style.width = `${size.width * small}px`;
      g.style.height = `${size.height * small}px`;
    }
    map.current?.classList.toggle('needless', graph.width * v.scale <= size.width && graph.height * v.scale <= size.height);
  };
  const zoomMiddle = (factor: number) => {
    const { width, height } = screen();
    move(zoom(view.current, factor, width / 2, height / 2));
  };
  const fitAll = () => move(fit(graph, magnified()));

  useLayoutEffect(() => move(first(graph, magnified(), graph.nodes[chosen >= 0 ? chosen : hottest])), [graph]);
  useEffect(() => {
    const el = frame.current;
    if (!el) return;
    const observer = new ResizeObserver(() => move(view.current));
    observer.observe(el);
    return () => {
      observer.disconnect();
      clearTimeout(rest.current);
    };
  }, [graph]);

  // Selected, found and reachable by the tab key are attributes of the boxes.
  useEffect(() => {
    const nodes = world.current?.querySelectorAll<SVGGElement>('.node') ?? [];
    nodes.forEach((el, i) => {
      const n = graph.nodes[i]!;
      el.classList.toggle('selected', i === chosen);
      el.classList.toggle('marked', matches?.(n.name) ?? false);
      el.setAttribute('aria-pressed', String(i === chosen));
      el.setAttribute('tabindex', i === (chosen >= 0 ? chosen : hottest) ? '0' : '-1');
    });
    const node = graph.nodes[chosen];
    if (node) move(reveal(view.current, node, screen()));
  }, [graph, chosen, hottest, matches]);

  const light = (index: number) => {
    const root = world.current;
    if (!root) return;
    root.classList.toggle('lit', index >= 0);
    for (const el of root.querySelectorAll('.near')) el.classList.remove('near');
    if (index < 0) return;
    const near = new Set([index]);
    for (const el of root.querySelectorAll<SVGGElement>('.edge')) {
      const from = Number(el.dataset['from']);
      const to = Number(el.dataset['to']);
      if (from !== index && to !== index) continue;
      el.classList.add('near');
      near.add(from).add(to);
    }
    for (const i of near) root.querySelector(`[data-node="${i}"]`)?.classList.add('near');
  };
  const nodeOf = (target: EventTarget | null): number => {
    const el = target instanceof Element ? target.closest('[data-node]') : null;
    return el ? Number(el.getAttribute('data-node')) : -1;
  };
  const focusNode = (index: number) => {
    const el = world.current?.querySelector<SVGGElement>(`[data-node="${index}"]`);
    if (!el) return;
    move(reveal(view.current, graph.nodes[index]!, screen()));
    el.focus({ preventScroll: true });
  };

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = nodeOf(e.target);
    const way = ways[e.key];
    if (way && at >= 0 && !e.shiftKey) {
      const next = neighbour(graph, at, way);
      if (next >= 0) focusNode(next);
    } else if (way) {
      const v = view.current;
      const dx = way === 'left' ? STEP : way === 'right' ? -STEP : 0;
      const dy = way === 'up' ? STEP : way === 'down' ? -STEP : 0;
      move({ ...v, x: v.x + dx, y: v.y + dy });
    } else if ((e.key === 'Enter' || e.key === ' ') && at >= 0) {
      onSelect(selects(graph.nodes[at]!));
    } else if ((e.key === 'ContextMenu' || (e.key === 'F10' && e.shiftKey)) && at >= 0) {
      menu(at);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const menu = (index: number, point?: { x: number; y: number }) => {
    const box = world.current?.querySelector(`[data-node="${index}"]`)?.getBoundingClientRect();
    if (box) openFunctionMenu(selects(graph.nodes[index]!), point ?? { x: box.left, y: box.bottom });
  };
  useKeys('Graph', [
    { keys: '+|=', label: 'Zoom in', run: () => zoomMiddle(1.3) },
    { keys: '-', label: 'Zoom out', run: () => zoomMiddle(1 / 1.3) },
    { keys: '0', label: 'Whole graph', run: fitAll },
  ]);

  // One pointer pans, two zoom.
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const travelled = useRef(0);
  const onPointerDown = (e: PointerEvent) => {
    if (e.button !== 0) return;
    pointers.current.set(e.pointerId, { x: e.clientX, y: e.clientY });
    travelled.current = 0;
  };
  const onPointerMove = (e: PointerEvent) => {
    const last = pointers.current.get(e.pointerId);
    if (!last) return;
    const v = view.current;
    const dx = e.clientX - last.x;
    const dy = e.clientY - last.y;
    travelled.current += Math.abs(dx) + Math.abs(dy);
    if (travelled.current > CLICK) frame.current?.setPointerCapture(e.pointerId);
    const other = [...pointers.current].find(([id]) => id !== e.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      const box = frame.current!.getBoundingClientRect();
      move(zoom({ ...v, x: v.x + dx / 2, y: v.y + dy / 2 }, before > 0 ? after / before : 1, other.x - box.left, other.y - box.top));
    } else {
      move({ ...v, x: v.x + dx, y: v.y + dy });
    }
    pointers.current.set(e.pointerId, { x: e.clientX, y: e.clientY });
  };
  const onPointerUp = (e: PointerEvent) => pointers.current.delete(e.pointerId);

  // Preact listens passively to wheels; this one must not scroll the page.
  useEffect(() => {
    const el = frame.current;
    if (!el) return;
    const onWheel = (e: WheelEvent) => {
      e.preventDefault();
      const box = el.getBoundingClientRect();
      const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      move(zoom(view.current, Math.exp((-e.deltaY * lines) / 400), e.clientX - box.left, e.clientY - box.top));
    };
    el.addEventListener('wheel', onWheel, { passive: false });
    return () => el.removeEventListener('wheel', onWheel);
  }, [graph]);

  const longer = Math.max(graph.width, graph.height, 1);
  return (
    <div class={compared ? 'graph graph-compared' : 'graph'}>
      <div
        ref={frame}
        class="graph-frame"
        role="group"
        aria-label="Call graph. Tab selects a function, arrows follow calls, plus and minus zoom."
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onPointerOver={(e) => pointers.current.size === 0 && light(nodeOf(e.target))}
        onPointerLeave={() => light(-1)}
        onFocusIn={(e) => light(nodeOf(e.target))}
        onFocusOut={() => light(-1)}
        onClick={(e) => {
          const i = nodeOf(e.target);
          if (travelled.current <= CLICK && i >= 0) onSelect(selects(graph.nodes[i]!));
        }}
        onDblClick={(e) => {
          const i = nodeOf(e.target);
          if (i >= 0) onOpen(selects(graph.nodes[i]!));
        }}
        onContextMenu={(e) => {
          const i = nodeOf(e.target);
          if (i < 0) return;
          e.preventDefault();
          menu(i, { x: e.clientX, y: e.clientY });
        }}
      >
        <svg ref={world} class="graph-svg" width="100%" height="100%">
          <g><Drawing graph={graph} /></g>
        </svg>
      </div>
      <div class="graph-side">
        <div class="graph-tools">
          <IconButton icon="plus" label="Zoom in" keys="+" onClick={() => zoomMiddle(1.3)} />
          <IconButton icon="minus" label="Zoom out" keys="-" onClick={() => zoomMiddle(1 / 1.3)} />
          <IconButton icon="fit" label="Whole graph" keys="0" onClick={fitAll} />
        </div>
        {children}
        <div
          ref={map}
          class="graph-map"
          aria-hidden="true"
          onPointerDown={(e) => {
            e.currentTarget.setPointerCapture(e.pointerId);
            lookAt(e);
          }}
          onPointerMove={(e) => e.buttons === 1 && lookAt(e)}
        >
          <svg viewBox={`0 0 ${graph.width} ${graph.height}`} width={(MAP * graph.width) / longer} height={(MAP * graph.height) / longer}>
            {graph.nodes.map((n, i) => (
              <rect
                key={i}
                class={n.cum.value < 0 ? 'negative' : ''}
                x={n.x - n.width / 2}
                y={n.y - n.height / 2}
                width={n.width}
                height={n.height}
                style={{ '--heat': `${20 + heat(n.cum.percent)}%` }}
              />
            ))}
          </svg>
          <div class="graph-glass"><div ref={glass} /></div>
        </div>
      </div>
    </div>
  );

  /** Puts the point of the small map under the pointer into the middle. */
  function lookAt(e: PointerEvent): void {
    const svg = map.current?.querySelector('svg')?.getBoundingClientRect();
    if (!svg) return;
    const { width, height } = screen();
    const v = view.current;
    const x = ((e.clientX - svg.left) / svg.width) * graph.width;
    const y = ((e.clientY - svg.top) / svg.height) * graph.height;
    move({ ...v, x: width / 2 - x * v.scale, y: height / 2 - y * v.scale });
  }
}
