import { useState } from 'preact/hooks';
import { postMarker, removeMarker, type Marker } from '../../api/continuous';
import { place, type Scale } from '../../layout/axis';
import { fitting } from '../../layout/timeline';
import { markersChanged, status } from '../../state/continuous';
import { formatSpan, timeText, type Selection, type Span } from '../../state/selection';
import { formatSelector, matcherOf, withMatcher } from '../../state/selector';
import { comparedState, matchersShown, select, withSelection } from '../../state/selected';
import { go, state } from '../../state/state';
import { Button, MenuList, Popover, toast, tip, type MenuItem } from '../parts';
import { local } from './TimeControl';

interface MarkersProps {
  markers: readonly Marker[];
  x: Scale;
  sel: Selection;
  span: Span;
  step: number;
}

const nameOf = (m: Marker) => m.version || m.text;

/** What happened when, along the top of the timeline. */
export function Markers({ markers, x, sel, span, step }: MarkersProps) {
  const [open, setOpen] = useState<{ marker: Marker; anchor: HTMLElement } | null>(null);
  const within = markers.filter((m) => m.time >= span.from && m.time <= span.to);
  const room = (m: Marker) => 24 + 6 * Math.min(nameOf(m).length, 18); // px, roughly
  const fits = fitting(within, (m) => place(x, m.time), room);
  const flips = (m: Marker) => place(x, m.time) + room(m) > x.to;
  // At the edge a name stands on the other side, if nothing else does.
  const named = new Set([...fits].filter((m) => !flips(m)
    || ![...fits].some((o) => o.time < m.time && place(x, o.time) + room(o) > place(x, m.time) - room(m))));
  return (
    <>
      {within.map((m) => {
        const what = m.posted
          ? [m.text, m.version && `version ${m.version}`].filter(Boolean).join(', ')
          : `First profile of version ${m.version} of ${m.service}`;
        return (
          <div
            key={m.id}
            class={`marker${m.posted ? ' marker-posted' : ''}${flips(m) ? ' marker-flip' : ''}`}
            style={{ left: `${place(x, m.time)}px` }}
          >
            <button
              type="button"
              class="marker-head"
              aria-haspopup="menu"
              aria-label={`${what}, ${timeText(m.time)}`}
              {...tip(`${what}, ${timeText(m.time)}`)}
              onClick={(e) => setOpen({ marker: m, anchor: e.currentTarget })}
            >
              {named.has(m) && <span class="marker-name">{nameOf(m)}</span>}
            </button>
          </div>
        );
      })}
      {open && (
        <MenuList
          anchor={open.anchor}
          label={`Marker ${nameOf(open.marker)}`}
          items={itemsOf(open.marker, sel, span, step)}
          onClose={(refocus) => {
            setOpen(null);
            if (refocus) open.anchor.focus();
          }}
        />
      )}
    </>
  );
}

function itemsOf(m: Marker, sel: Selection, span: Span, step: number): MenuItem[] {
  const matchers = matchersShown.peek() ?? [];
  const at = Math.round(m.time / 1000) * 1000;
  const after = { from: at, to: span.to };
  const before = { from: span.from, to: at };
  const may = status.peek()?.user.roles.includes('admin');
  return [
    { heading: `${nameOf(m)}, ${timeText(m.time)}` },
    {
      label: 'Compare after with before', icon: 'compare',
      disabled: after.to - after.from < step || before.to - before.from < step || sel.id !== '',
      run: () => {
        const s = withSelection({ ...state.peek(), base: [] }, after, { span: formatSpan(span), live: '' });
        go(comparedState(s, 'range', { ...sel, ...before }));
      },
    },
    ...(m.version ? [{
      label: `Only version ${m.version}`, icon: 'filter' as const,
      run: () => select({ q: formatSelector(withMatcher(matchers, 'version', matcherOf('version', [m.version]))) }),
    }] : []),
    { label: 'Select from here on', icon: 'right', run: () => select(after, { span: formatSpan(span), live: '' }) },
    ...(m.posted && may ? ['separator' as const, {
      label: 'Remove the marker', icon: 'trash' as const,
      run: () => void removeMarker(m.id).then(markersChanged, (err: Error) => toast(err.message, 'error')),
    }] : []),
  ];
}

/** Tells the timeline of something that happened. */
export function AddMarker({ service, time }: { service: string; time: number }) {
  const may = status.value?.user.roles.includes('write') ?? false;
  return (
    <div class={`timeline-add${may ? '' : ' timeline-mute'}`}>
      <Popover
        kind="plain"
        icon="bookmark"
        label="Add a marker: what happened, and when"
        align="end"
        button={<span class="sel-word">Marker</span>}
      >
        {(close) => <MarkerForm service={service} time={time} close={close} />}
      </Popover>
    </div>
  );
}

function MarkerForm({ service, time, close }: { service: string; time: number; close: () => void }) {
  const [text, setText] = useState('');
  const [version, setVersion] = useState('');
  const [at, setAt] = useState(local(Math.min(time, Date.now())));
  const [problem, setProblem] = useState('');
  const send = async () => {
    try {
      await postMarker({ time: Date.parse(at), service, version, text });
      close();
      markersChanged();
    } catch (err) {
      setProblem(err instanceof Error ? err.message : String(err));
    }
  };
  const ready = (text.trim() !== '' || version.trim() !== '') && !Number.isNaN(Date.parse(at));
  return (
    <form class="time-form" onSubmit={(e) => { e.preventDefault(); if (ready) void send(); }}>
      <h2>Add a marker</h2>
      <label>
        What<input
          class="find"
          type="text"
          maxLength={200}
          placeholder="cache switched on"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </label>
      <label>
        Version<input class="find" type="text" maxLength={200} value={version} onInput={(e) => setVersion(e.currentTarget.value)} />
      </label>
      <label>When<input class="find" type="datetime-local" step="1" value={at} onInput={(e) => setAt(e.currentTarget.value)} /></label>
      <p class="soft">{service ? `For ${service}.` : 'For all services.'}</p>
      {problem && <p class="form-problem" role="alert">{problem}</p>}
      <div class="button-row"><Button kind="primary" type="submit" disabled={!ready}>Add</Button></div>
    </form>
  );
}
