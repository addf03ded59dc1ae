// Values over time: a line with its intervals, points that lead somewhere, and
// limits. It is drawn as SVG, so that colours are the theme's and every point is
// a link or a button that keys reach.

import './chart.css';
import { useState } from 'preact/hooks';
import { logRangeOf, logTicks, place, rangeOf, ticks, type Scale } from '../../layout/axis';
import { fitting } from '../../layout/timeline';
import { zoneText } from '../../state/selection';
import { follow } from '../link';
import { useElementSize } from '../parts';
import { dateText, timelineDates } from './dates';
import { useEdge } from './edge';
import { sizes } from './sizes';

export interface ChartPoint {
  /** In ms since 1970. */
  time: number;
  value: number;
  lo?: number | null;
  hi?: number | null;
  /** What the point is, a line each; the first says its value. */
  facts: readonly string[];
  href: string;
  onOpen: () => void;
  /** Points of different groups are not joined: what was measured elsewhere is not comparable. */
  group?: string;
  /** Hollow: not measured to its end. */
  partial?: boolean;
  /** The one that is looked at. */
  selected?: boolean;
  /** The colour of its line, where there are several. */
  tone?: number;
  /** Small until it is pointed at: one of many. */
  quiet?: boolean;
  /** Of the line that is looked at. */
  strong?: boolean;
  /** A few characters above it, and the class of their colour. */
  note?: string;
  noteKind?: string;
}

/** What happened when: a line across with its name on top. */
export interface ChartFlag {
  time: number;
  text: string;
  /** Told by somebody, instead of seen. */
  posted: boolean;
  /** What its name leads to. */
  open?: { label: string; href: string; onOpen: () => void };
}

export interface ChartBound {
  value: number;
  text: string;
  kind: 'max' | 'min';
}

interface TimeChartProps {
  label: string;
  points: readonly ChartPoint[];
  bounds?: readonly ChartBound[];
  /** Values as text; binary: bytes, whose ticks stand at powers of two. */
  format: (value: number) => string;
  binary?: boolean;
  /** Points in equal steps instead of in proportion to time, and what stands below them, a line above the other. */
  even?: boolean;
  feet?: readonly (readonly [string, string])[];
  /** By the values' logarithms; all are above 0. */
  log?: boolean;
  /** The time of the axis, if more than that of the points; and a part of it to mark. */
  range?: { from: number; to: number };
  band?: { from: number; to: number } | undefined;
  flags?: readonly ChartFlag[];
  /** The values' axis begins at 0, whatever the values are. */
  zero?: boolean;
}

const RIGHT = 16;
const OVER = 5.5; // radius of the point that is pointed at

/** Quiet points stay small when they are selected: there are many, and large ones hide each other. */
const radius = ({ quiet, selected }: ChartPoint): number => (quiet ? (selected ? 3 : 2) : selected ? OVER : 4);

export function TimeChart({
  label, points, bounds = [], format, binary = false, even = false, feet, log = false, range, band, flags = [], zero = false,
}: TimeChartProps) {
  const { FLAGS, FOOT, LINE, CHAR, TICK, ...plain } = sizes();
  const TOP = flags.length > 0 ? plain.TOP + FLAGS : plain.TOP;
  const { ref: box, width, height } = useElementSize<HTMLDivElement>();
  const foot = feet ? FOOT + LINE : FOOT;
  const [over, setOver] = useState(-1);
  const values = points.flatMap((p) => [p.value, ...(p.lo == null ? [] : [p.lo]), ...(p.hi == null ? [] : [p.hi])]);
  const [min, max] = log ? logRangeOf(values) : rangeOf(zero ? [...values, 0] : values);
  // A limit is shown where it can be; one far above must not flatten the line.
  const near = bounds.filter((b) => b.value <= max * 2 && b.value >= min / 2);
  const room = (max - min) * 0.06;
  const top = near.reduce((m, b) => Math.max(m, log ? b.value * 1.2 : b.value + room), max);
  const bottom = near.reduce((m, b) => Math.min(m, log ? b.value / 1.2 : b.value - room), min);
  const scaled = (v: number) => (log ? Math.log10(Math.max(v, bottom)) : v);
  const ends = { from: Math.max(TOP, height - foot), to: TOP };
  const y: Scale = { min: log || min < 0 ? scaled(bottom) : Math.max(0, bottom), max: scaled(top), ...ends };
  const high = (v: number) => place(y, scaled(v));
  const wanted = Math.max(2, Math.floor((height - TOP - foot) / (zero ? 24 : 44)));
  const lines = log ? logTicks(bottom, top, binary) : ticks(y.min, y.max, wanted, binary);
  const times = points.map((p) => p.time);
  const zone = zoneText(range?.to ?? Math.max(...times, 0));
  // Below the timeline, the plot is as wide as that.
  const left = useEdge(range ? 'chart' : '', 14 + CHAR * Math.max(4, zone.length, ...lines.map((v) => format(v).length)));
  const [inset, right] = range ? [0, 4] : [10, RIGHT];
  const x: Scale = {
    min: even ? 0 : (range?.from ?? Math.min(...times)), max: even ? points.length - 1 : (range?.to ?? Math.max(...times)),
    from: left + inset, to: Math.max(left + 20, width - right),
  };
  const at = (p: ChartPoint, i: number) => ({ x: place(x, even ? i : p.time), y: high(p.value) });
  const dates = even
    ? evenDates(times, Math.floor((width - left) / TICK))
    : timelineDates(x.min, x.max, Math.floor((width - left) / TICK)).map((t) => ({ at: t, text: t }));
  const span = range ? range.to - range.from : Math.max(...times) - Math.min(...times);
  const shown = points[over];
  // One stop of the tab key: arrows walk along a line and from line to line. It is tabindex below, since the names of
  // SVG's attributes have one case, and the other would be no attribute at all.
  const stop = over >= 0 && over < points.length ? over : Math.max(0, points.findIndex((p) => p.selected));
  const walk = (e: KeyboardEvent, i: number) => {
    const p = points[i]!;
    const nearest = (of: readonly number[]) =>
      of.reduce((best, j) => (Math.abs(points[j]!.time - p.time) < Math.abs(points[best]!.time - p.time) ? j : best), of[0]!);
    const groups = [...new Set(points.map((q) => q.group))];
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const across = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    let to: number | undefined;
    if (sideways !== undefined) to = i + sideways;
    else if (across !== undefined) {
      const group = groups[groups.indexOf(p.group) + across];
      const of = points.flatMap((q, j) => (q.group === group && groups.length > 1 && group !== p.group ? [j] : []));
      if (of.length > 0) to = nearest(of);
    }
    if (to === undefined || !points[to]) return;
    e.preventDefault();
    e.stopPropagation();
    box.current?.querySelectorAll<SVGElement>('.chart-point')[to]?.focus();
  };

  return (
    <div ref={box} class={range ? 'chart chart-timed' : 'chart'} onPointerLeave={() => setOver(-1)}>
      {width > 0 && height > 0 && points.length > 0 && (
        <svg width={width} height={height} role="group" aria-label={label}>
          {band && (
            <rect
              class="chart-band"
              x={place(x, band.from)}
              width={Math.max(2, place(x, band.to) - place(x, band.from))}
              y={TOP}
              height={Math.max(0, height - foot - TOP)}
            />
          )}
          {lines.map((v) => (
            <g key={v}>
              <line class="chart-grid" x1={left} x2={width - right} y1={high(v)} y2={high(v)} />
              <text class="chart-text chart-left" x={left - 8} y={high(v)}>{format(v)}</text>
            </g>
          ))}
          {dates.map((d) => (
            <text
              key={d.at}
              class={`chart-text chart-foot${place(x, d.at) > width - TICK / 2 ? ' chart-end' : ''}`}
              x={place(x, d.at)}
              y={height - foot + 18}
            >
              {feet?.[d.at] ? feet[d.at]!.map((line, i) => (
                <tspan key={i} x={place(x, d.at)} {...(i > 0 ? { dy: LINE } : { class: 'mono' })}>{line}</tspan>
              )) : dateText(d.text, span)}
            </text>
          ))}
          <text class="chart-text" x={2} y={height - foot + 18 + (feet ? LINE : 0)}>{zone}</text>
          <Flags flags={flags.filter((f) => f.time >= x.min && f.time <= x.max)} x={x} right={right} foot={height - foot} />
          {near.map((b) => (
            <g key={`${b.kind}${b.value}`}>
              <line class="chart-bound" x1={left} x2={width - right} y1={high(b.value)} y2={high(b.value)} />
              <text class="chart-text chart-bound-text" x={width - right} y={high(b.value) + (b.kind === 'max' ? -6 : 12)}>
                {b.text}
              </text>
            </g>
          ))}
          {joined(points).map(([first, end]) => {
            const { tone, strong } = points[first]!;
            const steps = points.slice(first, end).map((p, i) => at(p, first + i));
            return (
              <path
                key={first}
                class={`chart-line${tone === undefined ? '' : ` tone-${tone}`}${strong ? ' chart-strong' : ''}`}
                d={`M${steps.map((to) => `${to.x.toFixed(1)} ${to.y.toFixed(1)}`).join('L')}`}
              />
            );
          })}
          <Notes points={points} at={at} top={(p) => high(p.hi ?? p.value)} least={TOP} most={width} />
          {points.map((p, i) => {
            const a = at(p, i);
            return (
              <a
                key={i}
                href={p.href}
                class={`chart-point${p.partial ? ' chart-partial' : ''}${p.selected ? ' chart-selected' : ''}`
                  + `${p.tone === undefined ? '' : ` tone-${p.tone}`}${p.quiet ? ' chart-quiet' : ''}`}
                tabindex={i === stop ? 0 : -1}
                onKeyDown={(e) => walk(e, i)}
                aria-label={p.facts.join(', ')}
                onClick={follow(p.onOpen)}
                onPointerEnter={() => setOver(i)}
                onFocus={() => setOver(i)}
                onBlur={() => setOver(-1)}
              >
                <circle class="chart-target" cx={a.x} cy={a.y} r={p.quiet ? 8 : 13} />
                {p.lo != null && p.hi != null && <line class="chart-whisker" x1={a.x} x2={a.x} y1={high(p.lo)} y2={high(p.hi)} />}
                <circle class="chart-dot" cx={a.x} cy={a.y} r={i === over ? OVER : radius(p)} />
              </a>
            );
          })}
        </svg>
      )}
      {shown && (
        <div
          class="chart-tip"
          style={{
            left: `${Math.max(4, Math.min(at(shown, over).x + 14, width - 250))}px`,
            top: `${at(shown, over).y > height / 2 ? at(shown, over).y - 14 : at(shown, over).y + 14}px`,
            transform: at(shown, over).y > height / 2 ? 'translateY(-100%)' : 'none',
          }}
        >
          {shown.facts.map((line, i) => (i === 0 ? <b key={i}>{line}</b> : <span key={i}>{line}</span>))}
        </div>
      )}
    </div>
  );
}

/** Where the lines that join points of a group begin and end. */
function joined(points: readonly ChartPoint[]): (readonly [first: number, end: number])[] {
  const starts = points.flatMap((p, i) => (i > 0 && points[i - 1]!.group === p.group ? [] : [i]));
  return starts.map((first, i) => [first, starts[i + 1] ?? points.length] as const);
}

interface NotesProps {
  points: readonly ChartPoint[];
  at: (p: ChartPoint, i: number) => { x: number; y: number };
  /** How high a point or its interval reaches, the highest place for a note, and the width. */
  top: (p: ChartPoint) => number;
  least: number;
  most: number;
}

/** The notes above points that there is room for; they are among the points' facts, too. */
function Notes({ points, at, top, least, most }: NotesProps) {
  const { CHAR } = sizes();
  const noted = points.flatMap((p, i) => (p.note ? [{ p, note: p.note, x: at(p, i).x, width: CHAR * p.note.length }] : []));
  const shown = fitting(noted, (n) => n.x - n.width / 2, (n) => n.width + 6);
  return (
    <>
      {[...shown].map(({ p, note, x, width }) => {
        const end = x + width / 2 > most;
        return (
          <text
            key={x}
            class={`chart-text chart-note ${p.noteKind ?? ''} ${end ? 'chart-end' : 'chart-foot'}`}
            x={end ? most - 4 : x}
            y={Math.max(least - 4, top(p) - 14)}
            aria-hidden="true"
          >
            {note}
          </text>
        );
      })}
    </>
  );
}

/** Lines where something happened, with the names that there is room for. */
function Flags({ flags, x, right, foot }: { flags: readonly ChartFlag[]; x: Scale; right: number; foot: number }) {
  const { FLAGS, CHAR } = sizes();
  const width = (f: ChartFlag) => 0.92 * CHAR * Math.min(f.text.length, NAME) + 14; // px, roughly
  // At the right end a name stands before its line.
  const from = (f: ChartFlag) => Math.min(place(x, f.time), x.to + right - width(f));
  const named = fitting(flags, from, (f) => width(f) + 6);
  return (
    <>
      {flags.map((f) => (
        <g key={`${f.time} ${f.text}`} class={f.posted ? 'chart-flag chart-flag-posted' : 'chart-flag'}>
          <line x1={place(x, f.time)} x2={place(x, f.time)} y1={named.has(f) ? FLAGS : FLAGS + 6} y2={foot} />
          {named.has(f) && <FlagName flag={f} x={from(f)} width={width(f)} height={FLAGS} />}
        </g>
      ))}
    </>
  );
}

const NAME = 18; // characters of a flag's name

function FlagName({ flag: { text, open }, x, width, height }: { flag: ChartFlag; x: number; width: number; height: number }) {
  const name = (
    <>
      <rect x={x} y={2} width={width} height={height - 3} rx={3} />
      <text class="chart-text" x={x + 7} y={height / 2 + 1}>{text.length > NAME ? `${text.slice(0, NAME - 1)}…` : text}</text>
    </>
  );
  if (!open) return name;
  return <a href={open.href} aria-label={open.label} onClick={follow(open.onOpen)}><title>{open.label}</title>{name}</a>;
}

/** The times of some of the points. */
function evenDates(times: readonly number[], wanted: number): { at: number; text: number }[] {
  const step = Math.max(1, Math.ceil(times.length / Math.max(1, wanted)));
  return times.flatMap((t, i) => (i % step === 0 ? [{ at: i, text: t }] : []));
}
