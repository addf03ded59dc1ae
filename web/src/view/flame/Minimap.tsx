import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { dark } from '../../state/theme';
import { nextFrame } from '../../draw/scheduler';
import { frameTheme, type ColorBy } from '../../theme/frames';
import { useElementSize } from '../parts';
import type { Controller } from './controller';

/**
 * Whole graph, small, with what is shown marked. A drag moves that; while all of it is shown, a drag
 * chooses a part. Keys do the same with the graph itself, so it is not there for screen readers.
 */
export function Minimap({ graph, colors }: { graph: Controller; colors: ColorBy }) {
  const outline = useRef<HTMLCanvasElement>(null);
  const lens = useRef<HTMLDivElement>(null);
  const model = graph.whole.value;
  const settled = graph.settled.value;
  const isDark = dark.value;
  const all = model?.about.width || 1;
  const shown = model !== null && settled.to - settled.from < all * 0.999;

  const { ref: box, width, height } = useElementSize<HTMLDivElement>();
  const from = useRef<number | null>(null); // where a drag that chooses a part began
  useLayoutEffect(() => {
    if (width > 0) graph.drawOutline(outline.current!, frameTheme(isDark), colors);
  }, [model, isDark, colors, width, height]);

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
    const at = Math.min(1, Math.max(0, (e.clientX - left) / width)) * all;
    const v = graph.view.peek();
    const half = (v.to - v.from) / 2;
    if (from.current === null) graph.setView({ from: at - half, to: at + half });
    else if (Math.abs(at - from.current) > (all * 4) / width) {
      graph.setView({ from: Math.min(at, from.current), to: Math.max(at, from.current) });
    }
  };

  return (
    <div class="flame-minimap" aria-hidden="true">
      <div
        ref={box}
        class={`flame-minimap-box${shown ? ' flame-minimap-part' : ''}`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          from.current = null;
          if (shown) drag(e);
          else from.current = ((e.clientX - box.current!.getBoundingClientRect().left) / width) * all;
        }}
        onPointerMove={(e) => {
          if (e.currentTarget.hasPointerCapture(e.pointerId)) drag(e);
        }}
        onPointerUp={() => (from.current = null)}
        onPointerCancel={() => (from.current = null)}
        onDblClick={() => graph.showAll()}
      >
        <canvas ref={outline} />
        <div ref={lens} class="flame-lens" />
      </div>
    </div>
  );
}
