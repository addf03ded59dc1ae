// Totals over time, in groups, with what is selected, what it is compared with,
// and what was deployed when. A drag selects; so do two handles, for keys.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  labels as askLabels, markers as askMarkers, series as askSeries, type GroupSeries, type Marker, type OverTime,
} from '../../api/continuous';
import { dragged, nudged, pointAt, areaPath, linePath, runs, split, type Point } from '../../layout/timeline';
import { place, valueAt, type Scale } from '../../layout/axis';
import { useLasting } from '../../state/answer';
import { markersRound } from '../../state/continuous';
import {
  againstText, formatSelection, formatValues, isInstant, kindOf, otherSide, parseValues, REQUESTS, serviceOf, spanText, thisSide, timeText,
  zoneText, type Per, type Selection, type Span,
} from '../../state/selection';
import { formatSelector } from '../../state/selector';
import { compareTo, select, selected, selectedBase } from '../../state/selected';
import { BY_VALUE } from '../../state/heat';
import { go, setOwn, state } from '../../state/state';
import { selectTime, timelineSpan } from '../../state/time';
import { dateText, timelineDates } from '../chart/dates';
import { useEdge } from '../chart/edge';
import { sizes } from '../chart/sizes';
import { IconButton, Progress, tip, useElementSize } from '../parts';
import { AddMarker, Markers } from './Markers';
import { picking } from './picking';
import { RestButton } from './Rest';
import { RegressionMarks } from '../regressions/Marks';
import { useEscape } from '../useEscape';
import { groupName, isPerInstance, overTimeText, PER_TITLES, totalOf, valueTicks } from './words';

const GROUPS = 8; // lines that colours tell apart
const VALUE = 8; // characters of a value of the axis, beside the plot
const RIGHT = 4;
const TOP = 16; // room for markers' names
const FOOT = 18;

interface Line {
  name: string;
  /** Colour, 0 to GROUPS-1; -1 is what is compared with. */
  tone: number;
  type: string;
  unit: string;
  points: Point[];
  total: number | null;
  hidden: boolean;
  /** The selection of its profiles. */
  profile: string;
}

export function Timeline({ sel }: { sel: Selection }) {
  const span = timelineSpan.value!;
  const { own, options } = state.value;
  const by = own.by ?? '';
  const base = selectedBase.value;
  const { ref: box, width, height } = useElementSize<HTMLDivElement>();
  const points = Math.max(40, Math.min(300, Math.floor((width || 1000) / 5)));
  const sampleType = options.sample_index ?? sel.sampleType;
  const params = (s: Selection, time: Span) => ({
    q: s.q, from: time.from, to: time.to, sample_type: sampleType, top: s.top, per: s.per, points,
  });
  const asked = { ...params(sel, span), by, limit: GROUPS };
  const known = width > 0;
  const totals = useLasting<OverTime>(known ? `series ${JSON.stringify(asked)}` : null, (signal) => askSeries(asked, signal));
  const over = totals.answer?.report;
  const error = totals.error?.message;
  const step = over?.step ?? 1;

  // What is compared with, laid over it: of another time, moved to where it compares.
  const offset = base && base.from && sel.from && !overlaps(base, span) ? base.from - sel.from : 0;
  const other = base && !by && (base.q !== sel.q || base.top !== sel.top || offset !== 0)
    ? { ...params(base, { from: span.from + offset, to: span.to + offset }), step }
    : null;
  const before =
    useLasting<OverTime>(other && over ? `series ${JSON.stringify(other)}` : null, (signal) => askSeries(other!, signal)).answer?.report;

  // What is seen of it may be more or less than what the comparison is with.
  const apart = base !== null && base.from > 0 && base.to - base.from !== span.to - span.from;
  const baseAsked = other && apart ? { ...params(base, base), points: 1 } : null;
  const baseTotal = useTotals(baseAsked)?.series[0];

  // The figures are those of what is selected, as in the views below.
  const band = { from: sel.from || span.from, to: sel.to || span.to };
  const part = band.from > span.from || band.to < span.to ? { ...params(sel, band), by, limit: GROUPS, points: 1 } : null;
  const partTotals = useTotals(part);

  const service = serviceOf(sel.q);
  const markersAsked = { from: span.from, to: span.to, service: service ?? '' };
  const marks =
    useLasting<{ markers: Marker[] }>(
      `markers ${JSON.stringify(markersAsked)} ${markersRound.value}`,
      async (signal) => ({ markers: await askMarkers(markersAsked, signal) }),
    ).answer?.report;

  const counted = useCounted(sel, span);
  const off = useMemo(() => new Set(parseValues(own.off)), [own.off]);
  const lines = useMemo(() => {
    const all = (over?.series ?? []).map((s, i) => lineOf(s, by, i, off, 0));
    const bases = (before?.series ?? []).map((s) => {
      const line = lineOf(s, '', 0, off, offset);
      return { ...line, tone: -1, name: 'base', total: baseAsked ? baseTotal?.total.value ?? null : line.total };
    });
    const selectedOnes = part ? all.map((line) => ({ ...line, total: totalOf(partTotals, by, line.name) })) : all;
    return other ? [...bases.slice(0, 1), ...selectedOnes] : selectedOnes;
  }, [over, before, by, off, offset, other === null, baseAsked === null, baseTotal, part === null, partTotals]);
  const [hover, setHover] = useState<number | null>(null);

  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-bar">
        <Unfold open={own.line === 'on'} />
        <GroupBy sel={sel} span={span} by={by} />
        <PerControl per={sel.per} requests={counted} />
        <Legend
          lines={lines}
          by={by}
          left={over?.left ?? 0}
          per={sel.per}
          at={hover}
          step={step}
          part={part !== null}
          sides={base ? sidesOf(own.vs ?? '', sel, base) : null}
        />
        <span class="timeline-words" aria-live="off">{hover === null
          ? (base && baseOn(span, sel, base) && base.q === sel.q && base.from !== sel.from ? `${spanText(base)} → ${spanText(sel)}` : '')
          : timeText(hover)}</span>
        <RestButton />
        <AddMarker service={service ?? ''} time={span.to - 1000} />
      </div>
      <div ref={box} class="timeline-box" aria-busy={totals.stale && !error && !over}>
        {totals.stale && !error && over && <Progress />}
        {known && height > 0 && (
          <Plot
            lines={lines}
            span={span}
            band={band}
            base={baseOn(span, sel, base)}
            step={step}
            width={width}
            height={height}
            per={sel.per}
            onHover={setHover}
            whole={band.from <= span.from && band.to >= span.to}
          >
            {(x) => (
              <>
                <Markers markers={marks?.markers ?? []} x={x} sel={sel} span={span} step={step} />
                <RegressionMarks service={service} x={x} span={span} />
              </>
            )}
          </Plot>
        )}
        {error !== undefined && <p class="timeline-note" role="alert">{error}</p>}
        {over && error === undefined && over.series.length === 0 && <p class="timeline-note">No profiles in this time</p>}
        {over?.warnings.length ? <p class="timeline-note">{over.warnings[0]}</p> : null}
      </div>
    </section>
  );
}

/** In a low window the bar is there alone, until more is asked for. */
function Unfold({ open }: { open: boolean }) {
  return (
    <IconButton
      class="timeline-unfold"
      icon={open ? 'down' : 'right'}
      label={open ? 'Fold the timeline' : 'Unfold the timeline'}
      aria-expanded={open}
      onClick={() => setOwn('line', open ? '' : 'on', 'replace')}
    />
  );
}

const useTotals = (asked: Parameters<typeof askSeries>[0] | null): OverTime | undefined =>
  useLasting<OverTime>(asked ? `series ${JSON.stringify(asked)}` : null, (signal) => askSeries(asked!, signal)).answer?.report;

export const overlaps = (a: { from: number; to: number }, b: Span) => a.from < b.to && (a.to || Infinity) > b.from;

/** The time of the base, if the base is another part of the timeline. */
export const baseOn = (span: Span, sel: Selection, base: Selection | null): Span | null =>
  (base && !base.except && overlaps(base, span) && !(base.from === sel.from && base.to === sel.to)
    ? { from: base.from, to: base.to }
    : null);

function lineOf(s: GroupSeries, by: string, i: number, off: ReadonlySet<string>, offset: number): Line {
  const name = groupName(s.labels, by);
  return {
    name, tone: i % GROUPS, type: s.type, unit: s.unit, hidden: by !== '' && off.has(name), total: s.type === '' ? null : s.total.value,
    profile: s.profile,
    points: s.time.map((time, j) => ({ time: time - offset, value: s.value[j] ?? null })),
  };
}

export function GroupBy({ sel, span, by }: { sel: Selection; span: Span; by: string }) {
  const params = { q: sel.q, from: span.from, to: span.to, limit: 2 };
  const known =
    useLasting(`labels ${JSON.stringify(params)}`, async (signal) => ({ labels: await askLabels(params, signal) })).answer?.report;
  const heat = state.value.own.heat ?? '';
  // A label with one value makes no groups.
  const names = (known?.labels ?? []).filter((l) => l.values.length + l.more > 1).map((l) => l.name);
  const all = [...new Set([...names, ...(by ? [by] : []), ...(heat && heat !== BY_VALUE ? [heat] : [])])];
  return (
    <label class="picklist timeline-by" {...tip('Lines, or a heat map by time and a label or the value of each profile')}>
      <span class="visually-hidden">Group by</span>
      <select
        value={heat ? `heat ${heat}` : by}
        onChange={(e) => {
          const { off: _, by: __, heat: ___, ...own } = state.peek().own;
          const [, rows] = /^heat (.*)$/.exec(e.currentTarget.value) ?? [];
          go({ own: rows ? { ...own, heat: rows } : e.currentTarget.value ? { ...own, by: e.currentTarget.value } : own });
        }}
      >
        <optgroup label="Lines">
          <option value="">All</option>
          {all.map((n) => <option key={n} value={n}>by {n}</option>)}
        </optgroup>
        <optgroup label="Heat map">
          {all.map((n) => <option key={n} value={`heat ${n}`}>Heat map by {n}</option>)}
          <option value={`heat ${BY_VALUE}`}>Heat map by value</option>
        </optgroup>
      </select>
    </label>
  );
}

/** Whether the requests of a service are counted, so that its costs have values per request. */
function useCounted(sel: Selection, span: Span): boolean {
  const service = serviceOf(sel.q);
  const q = service !== undefined && !isInstant(sel.q) ? formatSelector([{ name: 'service', op: '=', value: service }]) : null;
  const params = { q: q ?? '', from: span.from, to: span.to, name: 'kind', limit: 100 };
  const known = useLasting(
    q === null ? null : `labels ${JSON.stringify(params)}`, async (signal) => ({ labels: await askLabels(params, signal) }),
  ).answer?.report;
  return q !== null && (known?.labels[0]?.values.includes(REQUESTS) ?? false);
}

export function PerControl({ per, requests = false }: { per: Per; requests?: boolean }) {
  const offered = (Object.keys(PER_TITLES) as Per[]).filter((p) => p !== 'request' || requests || per === p);
  return (
    <label
      class="picklist timeline-per"
      {...tip(`Sum, per profile${requests ? ', per second or per request' : ' or per second'}, here and below`)}
    >
      <span class="visually-hidden">Values</span>
      <select value={per} onChange={(e) => select({ per: e.currentTarget.value as Per })}>
        {offered.map((p) => <option key={p} value={p}>{PER_TITLES[p]}</option>)}
      </select>
    </label>
  );
}

/** The names of the two lines of a comparison. */
function sidesOf(vs: string, sel: Selection, base: Selection) {
  const { name, time } = otherSide(vs, sel, base);
  return { base: name || time, whole: againstText(vs, sel, base), head: thisSide(sel, base) };
}

interface LegendProps {
  lines: readonly Line[];
  by: string;
  left: number;
  per: Per;
  /** A time that is pointed at. */
  at: number | null;
  step: number;
  /** Whether a part of the timeline is selected. */
  part: boolean;
  /** The sides of a comparison. */
  sides: ReturnType<typeof sidesOf> | null;
}

function Legend({ lines, by, left, per, at, step, part, sides }: LegendProps) {
  const toggle = (name: string) => {
    const off = new Set(parseValues(state.peek().own.off));
    if (!off.delete(name)) off.add(name);
    setOwn('off', formatValues(off), 'replace');
  };
  const named = lines.length > 1 ? sides?.head : '';
  const head = named ? named : lines.length > 1 || (part && at === null) ? 'selected' : (kindOf(selected.value?.q ?? '') ?? 'total');
  const value = (l: Line) => (at === null ? l.total : (pointAt(l.points, at, step)?.value ?? null));
  return (
    <div class="timeline-legend" role="group" aria-label="Lines">
      {lines.map((l) => (by && l.tone >= 0 ? (
        <button
          key={l.name}
          type="button"
          class={`legend-item tone-${l.tone}`}
          aria-pressed={!l.hidden}
          onClick={() => toggle(l.name)}
          {...tip(`${l.hidden ? 'Show' : 'Hide'} ${by} ${l.name}`)}
        >
          <i aria-hidden="true" /><span class="cut">{l.name}</span> <b>{overTimeText(value(l), l, per)}</b>
        </button>
      ) : (
        <span key={l.tone} class={`legend-item ${l.tone < 0 ? 'tone-base' : `tone-${l.tone}`} ${lines.length === 1 ? 'legend-one' : ''}`}>
          <i aria-hidden="true" /><span class="cut" title={l.tone < 0 ? sides?.whole : ''}>{l.tone < 0 ? sides?.base : head}</span>{' '}
          <b>{overTimeText(value(l), l, per)}</b>
        </span>
      )))}
      {isPerInstance(per, by) && lines.length > 0 && <span class="legend-note">per instance</span>}
      {left > 0 && <span class="soft">and {left} smaller</span>}
    </div>
  );
}

interface PlotProps {
  lines: readonly Line[];
  span: Span;
  band: Span;
  base: Span | null;
  step: number;
  width: number;
  height: number;
  per: Per;
  /** All of it is selected. */
  whole: boolean;
  onHover: (time: number | null) => void;
  children: (x: Scale) => preact.ComponentChildren;
}

function Plot({ lines, span, band, base, step, width, height, per, whole, onHover, children }: PlotProps) {
  const shown = lines.filter((l) => !l.hidden);
  const top = Math.max(0, ...shown.flatMap((l) => l.points.map((p) => p.value ?? 0)));
  const y: Scale = { min: 0, max: top > 0 ? top * 1.05 : 1, from: height - FOOT, to: TOP };
  const of = shown[0] ?? { type: '', unit: '' };
  const empty = shown.every((l) => l.points.length === 0);
  const values = empty ? [] : valueTicks(y.max, of.unit, Math.max(2, Math.floor((height - TOP - FOOT) / 24)));
  const zone = zoneText(span.to);
  const { CHAR } = sizes();
  const left = useEdge('timeline', 8 + CHAR * Math.max(VALUE, ...values.map((v) => overTimeText(v, of, per).length)));
  const x: Scale = { min: span.from, max: span.to, from: left, to: Math.max(left + 10, width - RIGHT) };
  const dates = timelineDates(span.from, span.to, Math.floor(width / 90)).map((time) => {
    const text = dateText(time, span.to - span.from);
    const half = (CHAR * text.length) / 2; // at the edges a date stands within, and behind the zone
    return { time, text, at: Math.max(CHAR * (zone.length + 1) + half, Math.min(width - half, place(x, time))) };
  });
  // A signal, since the next event may come before what this one changes is drawn.
  const dragging = useSignal<{ from: number; at: number; base: boolean } | null>(null);
  const drag = dragging.value;
  const area = useRef<SVGSVGElement>(null);
  useEscape(dragging);
  const placeOf = (e: PointerEvent | MouseEvent) => e.clientX - area.current!.getBoundingClientRect().left;
  const pulled = drag ? dragged(drag.from, drag.at, x, step) : null;
  const head = pulled && drag && !drag.base ? pulled : band;
  const other = pulled && drag?.base ? pulled : base;
  const box = (s: Span, kind: string) => (
    <rect
      class={kind}
      x={place(x, Math.max(s.from, span.from))}
      y={TOP - 4}
      width={Math.max(1, place(x, Math.min(s.to, span.to)) - place(x, Math.max(s.from, span.from)))}
      height={height - FOOT - TOP + 4}
    />
  );
  return (
    <>
      <svg
        ref={area}
        class={`timeline-plot${picking.value ? ' timeline-picking' : ''}`}
        width={width}
        height={height}
        role="img"
        aria-label={`${lines.map((l) => l.name || 'All').join(', ') || 'Nothing'} over ${spanText(span)}`}
        onPointerDown={(e) => {
          if (e.button !== 0) return;
          e.currentTarget.setPointerCapture(e.pointerId);
          const at = placeOf(e);
          dragging.value = { from: at, at, base: e.shiftKey || picking.peek() };
        }}
        onPointerMove={(e) => {
          const at = placeOf(e);
          onHover(Math.min(x.max, Math.max(x.min, valueAt(x, at))));
          if (dragging.peek()) dragging.value = { ...dragging.peek()!, at };
        }}
        onPointerUp={() => {
          const drag = dragging.peek();
          if (!drag) return;
          dragging.value = null;
          const to = dragged(drag.from, drag.at, x, step);
          if (!to) return;
          if (drag.base) {
            picking.value = false;
            chooseBase(to);
          } else selectTime(to);
        }}
        onPointerCancel={() => (dragging.value = null)}
        onPointerLeave={() => onHover(null)}
        onDblClick={() => selectTime(span)}
      >
        {values.map((v) => (
          <line key={v} class="chart-grid" x1={left} x2={width - RIGHT} y1={place(y, v)} y2={place(y, v)} />
        ))}
        <line class="timeline-foot" x1={left} x2={width - RIGHT} y1={y.from} y2={y.from} />
        {other && box(other, 'band-base')}
        {(!whole || drag) && box(head, 'band')}
        {shown.map((l) => runs(l.points, step).map((run, i) => {
          const { whole: line, partial } = split(run, step, span, per === 'sum');
          return (
            <g key={`${l.tone} ${i}`} class={l.tone < 0 ? 'tone-base' : `tone-${l.tone}`}>
              {shown.length === 1 && line.length > 1 && <path class="line-area" d={areaPath(line, step, x, y)} />}
              {line.length > 1 && <path class="line" d={linePath(line, step, x, y)} />}
              {partial.map((part) => <path key={part[0]!.time} class="line line-partial" d={linePath(part, step, x, y)} />)}
              {run.length === 1 && <circle class="line-dot" cx={place(x, run[0]!.time + step / 2)} cy={place(y, run[0]!.value!)} r="2.5" />}
            </g>
          );
        }))}
        {(empty ? [] : [0, ...values]).map((v) => (
          <text key={v} class="timeline-value" x={left - 6} y={place(y, v) + 4}>{overTimeText(v, of, per)}</text>
        ))}
        <text class="timeline-zone" x={0} y={height - 6}>{zone}</text>
        {dates.map((d) => <text key={d.time} class="timeline-date" x={d.at} y={height - 6}>{d.text}</text>)}
      </svg>
      {children(x)}
      {other && base && <Handles range={base} span={span} step={step} x={x} kind="base" onChange={(to) => chooseBase(to, 'replace')} />}
      <Handles range={band} span={span} step={step} x={x} kind="selected" onChange={(to) => selectTime(to, 'replace')} />
      {!whole && (
        <div
          class="timeline-whole"
          style={{ left: `${Math.max(left, Math.min(width - 34, place(x, Math.min(band.to, span.to)) - 30))}px` }}
        >
          <IconButton icon="close" label="Select the whole timeline" onClick={() => selectTime(span)} />
        </div>
      )}
    </>
  );
}

export function chooseBase(to: Span, how: 'push' | 'replace' = 'push'): void {
  const now = selectedBase.peek();
  const s = state.peek();
  if (now && how === 'replace') {
    go({ base: [formatSelection({ ...now, ...to })], own: { ...s.own, vs: 'range' } }, how);
    return;
  }
  compareTo('range', { q: '', from: to.from, to: to.to, sampleType: '', top: '', id: '', per: 'sum' });
}

interface HandlesProps {
  range: Span;
  span: Span;
  step: number;
  x: Scale;
  kind: 'selected' | 'base';
  onChange: (to: Span) => void;
}

/** The two ends of a range, for the mouse, fingers and keys. */
export function Handles({ range, span, step, x, kind, onChange }: HandlesProps) {
  // Keys come faster than what they ask for: it is asked for when they rest.
  // Signals, since the next event may come before what this one changes is drawn.
  const moved = useSignal<Span | null>(null);
  const pulling = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => void (moved.value = null), [range.from, range.to]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const now = () => moved.value ?? { from: Math.max(range.from, span.from), to: Math.min(range.to, span.to) };
  const shown = now();
  const take = (to: Span, wait: number) => {
    moved.value = to;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(to), wait);
  };
  const onKeyDown = (end: 'from' | 'to') => (e: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[e.key];
    let to: Span | null = null;
    const shown = now();
    if (by !== undefined) to = nudged(shown, end, e.shiftKey ? by * 10 : by, step, x);
    else if (e.key === 'Home' && end === 'from') to = { ...shown, from: span.from };
    else if (e.key === 'End' && end === 'to') to = { ...shown, to: span.to };
    else if (e.key === 'Escape') to = { ...span };
    if (!to) return;
    e.preventDefault();
    e.stopPropagation();
    take(to, 250);
  };
  return (
    <>
      {(['from', 'to'] as const).map((end) => (
        <div
          key={end}
          class={`timeline-handle handle-${kind}`}
          role="slider"
          tabIndex={0}
          aria-label={`${end === 'from' ? 'Start' : 'End'} of the ${kind === 'base' ? 'time before' : 'selection'}`}
          aria-valuemin={0}
          aria-valuemax={Math.round((span.to - span.from) / 1000)}
          aria-valuenow={Math.round((shown[end] - span.from) / 1000)}
          aria-valuetext={timeText(shown[end], true)}
          style={{ left: `${place(x, shown[end])}px` }}
          onKeyDown={onKeyDown(end)}
          onPointerDown={(e) => {
            e.currentTarget.setPointerCapture(e.pointerId);
            pulling.value = true;
          }}
          onPointerMove={(e) => {
            if (!pulling.peek()) return;
            const left = e.currentTarget.parentElement!.getBoundingClientRect().left;
            const t = Math.round(valueAt(x, e.clientX - left) / step) * step;
            const shown = now();
            const to = end === 'from'
              ? { ...shown, from: Math.max(span.from, Math.min(t, shown.to - step)) }
              : { ...shown, to: Math.min(span.to, Math.max(t, shown.from + step)) };
            moved.value = to;
          }}
          onPointerUp={() => {
            pulling.value = false;
            if (moved.peek()) onChange(moved.peek()!);
          }}
          onPointerCancel={() => {
            pulling.value = false;
            moved.value = null;
          }}
        />
      ))}
    </>
  );
}
