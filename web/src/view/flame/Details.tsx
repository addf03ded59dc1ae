import { measures, place, title, traits, wholeOf, type Words } from './describe';
import type { Controller } from './controller';

interface DetailsProps {
  graphs: readonly Controller[];
  words: Words | null;
  /** Told while there is no frame to tell about. */
  note?: string | undefined;
}

/** The line below the graph: the frame under the pointer, else the one in focus, else the one zoomed to. */
export function Details({ graphs, words, note }: DetailsProps) {
  const pick = (of: 'hover' | 'focus') => graphs.map((g) => g[of].value).find((s) => s !== null);
  const hovered = pick('hover');
  const spot = hovered ?? pick('focus') ?? graphs[0]!.path.value.at(-1);
  if (!words) return <div class="flame-details" />;
  if (!spot) {
    return (
      <div class="flame-details" data-part="details">
        <p class="soft flame-help">
          <span class="flame-mouse">
            Click a frame to zoom, double-click to show all.
            <span class="flame-wheel"> Ctrl or ⌘ + wheel zooms, dragging moves.</span>
          </span>
          <span class="flame-touch">Tap a frame to see what it is, double-tap to zoom. Pinch and drag to move.</span>
          {note !== undefined && ` ${note}`}
        </p>
      </div>
    );
  }
  const where = place(spot);
  // Of another frame it is another text, not the same that moved: hence the key.
  return (
    <div key={`${spot.depth} ${spot.x}`} class="flame-details" data-part="details">
      <p class="flame-details-name">
        <b>{title(spot)}</b> {where && <span class="soft">{where}</span>}
      </p>
      <p class="flame-details-values">
        {measures(words, spot).map((m) => (
          <span key={m.label}>
            <span class="soft">{m.label}</span> {m.value} <b>{m.ofAll}</b>
            {spot.kind !== 'rest' && <span class="soft">{wholeOf(words.about)}</span>}
            {m.ofZoomed && <span class="soft"> {m.ofZoomed} of zoomed</span>}
          </span>
        ))}
        <span class="soft">{traits(words, spot).join(' · ')}</span>
      </p>
    </div>
  );
}
