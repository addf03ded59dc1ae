import { useState } from 'preact/hooks';
import { clockText, lately, PRESETS, spanText, zoneText } from '../../state/selection';
import { selected } from '../../state/selected';
import { state } from '../../state/state';
import { selectTime, shift, showNow, showTime, showWhen, timelineSpan, toggleLive, widen, zoomIn } from '../../state/time';
import { parseWhen, type When } from '../../state/when';
import { Button, IconButton, Popover } from '../parts';
import { timing } from './picking';

/** When. */
export function TimeControl() {
  const s = selected.value;
  const live = state.value.own.live ?? '';
  if (!s) return null;
  const preset = PRESETS.find((p) => p.text === live);
  return (
    <div class="sel-time" role="group" aria-label="Time">
      <IconButton icon="left" label="Earlier" keys="," disabled={!s.from || !s.to} onClick={() => shift(-1)} />
      <Popover
        kind="quiet"
        label="Selected time: type another"
        keys="T"
        open={timing.value}
        onOpen={(to) => { timing.value = to; }}
        align="end"
        class="time-box"
        buttonClass="sel-span"
        button={live || s.id
          ? <span>{live ? `Last ${preset?.title ?? live}` : 'One profile'}</span>
          : <span>{spanText(s)} <span class="soft sel-zone">{zoneText(s.to || s.from || Date.now())}</span></span>}
      >
        {(close) => <TimeForm close={close} />}
      </Popover>
      <IconButton icon="right" label="Later" keys="." disabled={!s.from || !s.to || s.to > Date.now()} onClick={() => shift(1)} />
      <NowAndLive />
    </div>
  );
}

/** Beside the time, or where that takes all room, in its form. */
function NowAndLive({ done }: { done?: () => void }) {
  const live = state.value.own.live ?? '';
  const take = (act: () => void) => () => {
    done?.();
    act();
  };
  return (
    <>
      <Button kind="quiet" onClick={take(showNow)} data-tip="The same length, ending now" data-keys="r">Now</Button>
      <Button
        kind="quiet"
        class={`sel-live${live ? ' sel-live-on' : ''}`}
        aria-pressed={live !== ''}
        onClick={take(toggleLive)}
        data-tip="Keep up with new profiles"
        data-keys="l"
      >
        Live
      </Button>
    </>
  );
}

function TimeForm({ close }: { close: () => void }) {
  const span = selected.value?.from && selected.value.to ? selected.value : timelineSpan.value!;
  const [first] = useState(spanText(span));
  const [text, setText] = useState(first);
  const when = text === first ? { selected: span, timeline: span } : parseWhen(text, Date.now());
  const live = state.value.own.live ?? '';
  const around = timelineSpan.value;
  const isPart = when !== null && around !== null && when.selected.from >= around.from && when.selected.to <= around.to;
  const take = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <form
      class="time-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (when) take(() => showWhen(when))();
      }}
    >
      <label>
        Time, {zoneText(span.to)}
        <input
          class="find"
          type="text"
          value={text}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="time-means"
          onFocus={(e) => e.currentTarget.select()}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </label>
      <p id="time-means" class={when ? 'soft' : 'form-problem'} role="status">{when ? meaning(when) : `Type a time like ${EXAMPLES}.`}</p>
      <div class="button-row">
        <Button kind="primary" type="submit" disabled={when === null}>Show</Button>
        <Button
          disabled={!isPart}
          onClick={take(() => selectTime(when!.selected))}
          data-tip="The timeline stays, and this part of it is selected"
        >
          Select on the timeline
        </Button>
      </div>
      <div class="time-presets" role="group" aria-label="Up to now">
        {PRESETS.map((p) => (
          <Button
            key={p.text}
            kind="quiet"
            aria-pressed={live === p.text}
            aria-label={`Last ${p.title}`}
            onClick={take(() => showTime(lately(p.length, Date.now()), live ? p.text : ''))}
          >
            {p.text}
          </Button>
        ))}
      </div>
      <div class="time-now button-row"><NowAndLive done={close} /></div>
      <div class="button-row">
        <Button kind="quiet" onClick={take(widen)} data-tip="Double the time range" data-keys="<">Zoom out</Button>
        <Button kind="quiet" onClick={take(zoomIn)} data-tip="Zoom the timeline to the selection" data-keys=">">Zoom in</Button>
      </div>
    </form>
  );
}

const EXAMPLES = '14:05, yesterday 14:05, 21 Nov, 14:00 – 15:00, or 2h';

/** What Show does, or what else can be typed. */
function meaning({ selected: part, timeline }: When): string {
  if (part === timeline) return `Or type another, like ${EXAMPLES}.`;
  return `Shows ${spanText(timeline)}, with ${clockText(part.from)} – ${clockText(part.to)} selected.`;
}

/** A time as a field has it, in the page's time zone. */
export function local(t: number): string {
  return new Date(t - new Date(t).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
