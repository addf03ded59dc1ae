import { useState } from 'preact/hooks';
import { lately, PRESETS, spanText, zoneText } from '../../state/selection';
import { selected } from '../../state/selected';
import { state } from '../../state/state';
import { selectTime, shift, showNow, showTime, timelineSpan, toggleLive, widen, zoomIn } from '../../state/time';
import { Button, IconButton, Popover } from '../parts';

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
        label="Selected time"
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
  const [from, setFrom] = useState(local(span.from));
  const [to, setTo] = useState(local(span.to));
  const start = Date.parse(from);
  const end = Date.parse(to);
  const problem =
    Number.isNaN(start) || Number.isNaN(end) ? 'Enter both times' : start >= end ? 'The end must be after the start' : '';
  const live = state.value.own.live ?? '';
  const around = timelineSpan.value;
  const isPart = problem === '' && around !== null && start >= around.from && end <= around.to;
  const take = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <form
      class="time-form"
      onSubmit={(e) => {
        e.preventDefault();
        if (!problem) take(() => showTime({ from: start, to: end }))();
      }}
    >
      <h2>Time</h2>
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
      <label>From<input class="find" type="datetime-local" step="1" value={from} onInput={(e) => setFrom(e.currentTarget.value)} /></label>
      <label>To<input class="find" type="datetime-local" step="1" value={to} onInput={(e) => setTo(e.currentTarget.value)} /></label>
      {problem && <p class="form-problem" role="alert">{problem}</p>}
      <div class="button-row">
        <Button kind="primary" type="submit" disabled={problem !== ''}>Show</Button>
        <Button
          disabled={!isPart}
          onClick={take(() => selectTime({ from: start, to: end }))}
          data-tip="Keep the timeline, and select this part of it"
        >
          Select
        </Button>
        <Button kind="quiet" onClick={take(widen)} data-tip="Double the time range" data-keys="<">Zoom out</Button>
        <Button kind="quiet" onClick={take(zoomIn)} data-tip="Zoom the timeline to the selection" data-keys=">">Zoom in</Button>
      </div>
    </form>
  );
}

/** A time as a field has it, in the page's time zone. */
export function local(t: number): string {
  return new Date(t - new Date(t).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
