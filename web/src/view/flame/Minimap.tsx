import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { dark } from '../../state/theme';
import { nextFrame } from '../../draw/scheduler';
import { frameTheme, type ColorBy } from '../../theme/frames';
import type { Controller } from './controller';

/**
 * Whole graph, small, with what is shown marked. It can be dragged. Keys do
 * the same with the graph itself, so it is not there for screen readers.
 */
export function Minimap({ graph, colors }: { graph: Controller; colors: ColorBy }) {
  const outline = useRef<HTMLCanvasElement>(null);
  const lens = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const model = graph.whole.value;
  const settled = graph.settled.value;
  const isDark = dark.value;
  const all = model?.about.width || 1;
  const shown = model !== null && settled.to - settled.from < all * 0.999;

  // Drawn when it is first seen, and kept while it is not.
  const current = useRef(false);
  useLayoutEffect(() => {
    current.current = false;
  }, [model, isDark, colors]);
  useLayoutEffect(() => {
    if (!shown || current.current) return;
    current.current = true;
    graph.drawOutline(outline.current!, frameTheme(isDark), colors);
  }, [model, isDark, colors, shown]);

  useEffect(() => {
    const move = () => {
      const el = lens.current;
      if (!el) return;
      const v = graph.view.peek();
      el.style.left = `${(100 * v.from) / all}%`;
      el.style.width = `max(2px, ${(100 * (v.to - v.from)) / all}%)`;
    };
    move();
    return graph.view.subscribe(() => nextFrame(move));
  }, [graph, all, shown]);

  const drag = (e: PointerEvent) => {
    const { left, width } = box.current!.getBoundingClientRect();
    const v = graph.view.peek();
    const at = ((e.clientX - left) / width) * all;
    const half = (v.to - v.from) / 2;
    graph.setView({ from: at - half, to: at + half });
  };

  return (
    <div class={`flame-minimap${shown ? '' : ' flame-minimap-off'}`} aria-hidden="true">
      <div
        ref={box}
        class="flame-minimap-box"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          drag(e);
        }}
        onPointerMove={(e) => {
          if (e.currentTarget.hasPointerCapture(e.pointerId)) drag(e);
        }}
      >
        <canvas ref={outline} />
        <div ref={lens} class="flame-lens" />
      </div>
    </div>
  );
}
