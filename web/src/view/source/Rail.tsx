import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The lines with samples, in their order. Listing marks them. */
export function hotRows(scroller: HTMLElement): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>('[data-heat]')];
}

interface Props {
  scroller: RefObject<HTMLElement | null>;
  /** Changes when lines move. */
  version: string;
}

interface Mark {
  at: number; // share of the height
  heat: number; // 0 to 1
}

/** Where in all of the text the lines that cost are. A click goes there; keys have [ and ]. */
export function Rail({ scroller, version }: Props) {
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const measure = () => {
      const height = box.scrollHeight;
      setMarks(hotRows(box).map((r) => ({ at: (r.offsetTop + r.offsetHeight / 2) / height, heat: Number(r.dataset['heat']) })));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller, version]);
  return (
    <div
      class="rail"
      aria-hidden="true"
      onPointerDown={(e) => {
        const box = scroller.current;
        if (!box) return;
        const area = e.currentTarget.getBoundingClientRect();
        box.scrollTop = ((e.clientY - area.top) / area.height) * box.scrollHeight - box.clientHeight / 2;
      }}
    >
      {marks.map((m, i) => <i key={i} style={{ top: `${100 * m.at}%`, opacity: 0.25 + 0.75 * m.heat }} />)}
    </div>
  );
}
