import { useLayoutEffect, useRef } from 'preact/hooks';
import { measures, place, title, traits, wholeOf, type Words } from './describe';
import type { Spot } from './spot';

/** Of the pointer, in the window. */
export interface TipPlace {
  x: number;
  y: number;
}

/** What is known of the frame under the pointer, beside it. The line below the graph says the same. */
export function FlameTip({ spot, at: { x, y }, words }: { spot: Spot; at: TipPlace; words: Words }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const el = box.current!;
    const { offsetWidth: width, offsetHeight: height } = el;
    const right = x + 14 + width + 8 <= innerWidth;
    const below = y + 20 + height + 8 <= innerHeight;
    const left = right ? x + 14 : Math.max(8, Math.min(x - width / 2, innerWidth - width - 8));
    const top = below ? y + 20 : Math.max(8, y - height - 12);
    el.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }, [spot, x, y]);
  const rows = measures(words, spot);
  const columns = [
    { key: 'ofAll', head: (spot.kind === 'rest' ? '' : wholeOf(words.about)) || 'of all' },
    { key: 'ofZoomed', head: 'of zoomed' },
    { key: 'ofParent', head: words.about.inverted ? 'of callee' : 'of caller' },
  ] as const;
  const used = columns.filter((c) => rows.some((r) => r[c.key] !== ''));
  const where = place(spot);
  return (
    <div ref={box} class="flame-tip" aria-hidden="true">
      {/* Another frame is another text, not the same that moved. */}
      <div key={`${spot.depth} ${spot.x}`}>
        <div class="flame-tip-name">{title(spot)}</div>
        {where && <div class="flame-tip-place">{where}</div>}
        <table>
          <thead>
            <tr><th /><th />{used.map((c) => <th key={c.key}>{c.head}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.label}>
                <th>{r.label}</th>
                <td class="flame-tip-value">{r.value}</td>
                {used.map((c) => <td key={c.key}>{r[c.key]}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
        {traits(words, spot).length > 0 && <div class="soft">{traits(words, spot).join(' · ')}</div>}
      </div>
    </div>
  );
}
