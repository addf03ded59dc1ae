// Lines over something else than a date. It is looked at through a cursor, which
// the pointer or the arrow keys move; what stands there is read out.

import './chart.css';
import { useState } from 'preact/hooks';
import { logTicks, place, ticks, valueAt, type Scale } from '../../layout/axis';
import type { Span, XY } from '../../model/load';
import { useElementSize } from '../parts';
import { sizes } from './sizes';

export interface ChartLine {
  name: string;
  /** Its look: classes of chart.css. */
  look: string;
  /** Parts that are not joined. */
  parts: readonly (readonly XY[])[];
  /** There is a line of such a look already in the legend. */
  again?: boolean;
}

export interface ChartMark {
  at: number;
  text: string;
}

/** Times that lie behind the lines in a colour of their own. */
export interface ChartBands {
  name: string;
  /** Its look: a class of chart.css. */
  look: string;
  spans: readonly Span[];
}

interface LineChartProps {
  label: string;
  lines: readonly ChartLine[];
  /** The ends of the x axis, in the unit of the lines, and what stands along it. */
  from: number;
  to: number;
  feet: readonly { at: number; text: string }[];
  log: boolean;
  format: (value: number) => string;
  /** Where the cursor can stand, from left to right; where it does, -1 for nowhere; and what is said there. */
  stops: readonly number[];
  at: number;
  onAt: (stop: number) => void;
  facts: (stop: number) => readonly string[];
  /** Thin lines across, as between periods. */
  borders?: readonly number[];
  marks?: readonly ChartMark[];
  bands?: readonly ChartBands[];
  /** Values that are not to be passed. */
  limits?: readonly { value: number; text: string }[];
}

const RIGHT = 16;
const FAR = 3; // times as high or low as the lines
const TIP = 240; // width of the tip, px

export function LineChart({
  label, lines, from, to, feet, log, format, stops, at, onAt, facts, borders = [], marks = [], bands = [], limits = [],
}: LineChartProps) {
  const { ref: box, width, height } = useElementSize<HTMLDivElement>();
  const { TOP, FOOT, CHAR } = sizes();
  const known = (v: number | null): v is number => v !== null && Number.isFinite(v) && !(log && v <= 0);
  const drawn = lines.flatMap((l) => l.parts.flatMap((p) => p.map((v) => v.y).filter(known)));
  // One far away must not flatten the lines.
  const near = limits.filter(({ value }) => value <= FAR * Math.max(...drawn) && value >= Math.min(...drawn) / FAR);
  const values = [...drawn, ...near.map((l) => l.value)];
  const most = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  const least = log ? values.reduce((a, b) => Math.min(a, b), most) : 0;
  const scaled = (v: number) => Math.min(y.max, log ? Math.log10(Math.max(v, least / 2)) : v); // Infinity stands on top
  const y: Scale = {
    min: log ? Math.log10(least) - 0.06 : 0, max: log ? Math.log10(Math.max(most, least * 2)) + 0.06 : most * 1.08,
    from: Math.max(TOP, height - FOOT), to: TOP,
  };
  const linear = () => ticks(0, y.max, Math.max(2, Math.floor((height - TOP - FOOT) / 30)));
  const grid = values.length === 0 ? [] : log ? logTicks(10 ** y.min, 10 ** y.max) : linear();
  const left = 14 + CHAR * Math.max(4, ...grid.map((v) => format(v).length));
  const x: Scale = { min: from, max: to, from: left + 6, to: Math.max(left + 20, width - RIGHT) };
  const stop = stops[at];
  // Charts that share a cursor don't all tell what is there.
  const [mine, setMine] = useState(false);
  const shown = stop === undefined || !mine ? [] : facts(at);
  const point = (e: PointerEvent) => {
    setMine(true);
    const px = e.clientX - (e.currentTarget as Element).getBoundingClientRect().left;
    const value = valueAt(x, px);
    let best = -1;
    stops.forEach((s, i) => {
      if (best < 0 || Math.abs(s - value) < Math.abs(stops[best]! - value)) best = i;
    });
    if (best >= 0 && best !== at) onAt(best);
  };
  const keys = (e: KeyboardEvent) => {
    const step = Math.max(1, Math.round(stops.length / 10));
    const next = {
      ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, PageDown: at - step, PageUp: at + step, Home: 0,
      End: stops.length - 1,
    }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    setMine(true);
    onAt(Math.max(0, Math.min(stops.length - 1, next)));
  };
  const leave = () => {
    setMine(false);
    onAt(-1);
  };
  const cursor = stop === undefined ? 0 : place(x, stop);
  return (
    <div
      ref={box}
      class="chart line-chart"
      tabIndex={0}
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, stops.length - 1)}
      aria-valuenow={Math.max(0, at)}
      aria-valuetext={shown.length > 0 ? shown.join(', ') : 'arrow keys read the values'}
      onKeyDown={keys}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={leave}
      onFocus={(e) => {
        if (!e.currentTarget.matches(':focus-visible')) return;
        setMine(true);
        if (at < 0) onAt(0);
      }}
      onBlur={leave}
    >
      {width > 0 && height > 0 && (
        <svg width={width} height={height} aria-hidden="true" focusable="false">
          {bands.flatMap((b) => b.spans.map(({ from, to }) => (
            <rect
              key={`${b.name} ${from}`}
              class={b.look}
              x={place(x, from)}
              width={Math.max(1, place(x, to) - place(x, from))}
              y={TOP}
              height={Math.max(0, height - FOOT - TOP)}
            />
          )))}
          {grid.map((v) => (
            <g key={v}>
              <line class="chart-grid" x1={left} x2={width - RIGHT} y1={place(y, scaled(v))} y2={place(y, scaled(v))} />
              <text class="chart-text chart-left" x={left - 8} y={place(y, scaled(v))}>{format(v)}</text>
            </g>
          ))}
          {borders.map((b) => <line key={b} class="chart-border" x1={place(x, b)} x2={place(x, b)} y1={TOP} y2={height - FOOT} />)}
          {thinned(feet, x, CHAR).map((f) => (
            <text
              key={f.at}
              class={`chart-text chart-foot${place(x, f.at) > width - 34 ? ' chart-end' : ''}`}
              x={place(x, f.at) > width - 34 ? width - 4 : place(x, f.at)}
              y={height - 10}
            >
              {f.text}
            </text>
          ))}
          {marks.map((m) => {
            const before = place(x, m.at) > width / 2;
            return (
              <g key={m.text}>
                <line class="chart-bound" x1={place(x, m.at)} x2={place(x, m.at)} y1={TOP} y2={height - FOOT} />
                <text
                  class={`chart-text chart-mark${before ? ' chart-end' : ''}`}
                  x={place(x, m.at) + (before ? -6 : 6)}
                  y={height - FOOT - 8}
                >
                  {m.text}
                </text>
              </g>
            );
          })}
          {near.map(({ value, text }) => (
            <line key={text} class="chart-bound" x1={left} x2={width - RIGHT} y1={place(y, scaled(value))} y2={place(y, scaled(value))} />
          ))}
          {lines.map((l) => (
            <path key={l.name} class={`chart-path ${l.look}`} d={l.parts.map((p) => pathOf(p, x, y, scaled)).join('')} />
          ))}
          {near.map(({ value, text }) => (
            <text key={text} class="chart-text chart-bound-text" x={width - RIGHT} y={place(y, scaled(value)) - 6}>{text}</text>
          ))}
          {stop !== undefined && <line class="chart-cursor" x1={cursor} x2={cursor} y1={TOP} y2={height - FOOT} />}
        </svg>
      )}
      {shown.length > 0 && (
        <div
          class="chart-tip"
          aria-hidden="true"
          style={{
            left: `${Math.max(4, cursor > width / 2 ? cursor - TIP - 12 : cursor + 12)}px`, width: `${TIP}px`,
            ...(inTheWay(lines, stop!, (v) => place(y, scaled(v)) < height / 2) ? { bottom: `${FOOT + 4}px` } : { top: `${TOP}px` }),
          }}
        >
          {shown.map((line, i) => (i === 0 ? <b key={i}>{line}</b> : <span key={i}>{line}</span>))}
        </div>
      )}
    </div>
  );
}

/** Whether more of the lines are in the upper half at a place than below it: the tip goes to the other one. */
function inTheWay(lines: readonly ChartLine[], at: number, above: (y: number) => boolean): boolean {
  let votes = 0;
  for (const l of lines) {
    let best: XY | undefined;
    for (const p of l.parts.flat()) if (p.y !== null && (!best || Math.abs(p.x - at) < Math.abs(best.x - at))) best = p;
    if (best) votes += above(best.y!) ? 1 : -1;
  }
  return votes > 0;
}

function pathOf(points: readonly XY[], x: Scale, y: Scale, scaled: (v: number) => number): string {
  let path = '';
  let drawing = false;
  for (const p of points) {
    if (p.y !== null) path += `${drawing ? 'L' : 'M'}${place(x, p.x).toFixed(1)} ${place(y, scaled(p.y)).toFixed(1)}`;
    drawing = p.y !== null;
  }
  return path;
}

/** Those of the texts below the axis that have room. */
function thinned<T extends { at: number; text: string }>(feet: readonly T[], x: Scale, char: number): T[] {
  let free = -Infinity;
  return feet.filter((f) => {
    const half = (char * f.text.length) / 2;
    if (place(x, f.at) - half < free) return false;
    free = place(x, f.at) + half + 10;
    return true;
  });
}

/** What the lines and the bands are. */
export function LineLegend({ lines, bands = [] }: { lines: readonly ChartLine[]; bands?: readonly ChartBands[] }) {
  return (
    <ul class="line-legend">
      {lines.filter((l) => !l.again).map((l) => (
        <li key={l.name}>
          <svg width="22" height="10" aria-hidden="true" focusable="false"><path class={`chart-path ${l.look}`} d="M1 5H21" /></svg>
          {l.name}
        </li>
      ))}
      {bands.map((b) => (
        <li key={b.name}>
          <svg width="22" height="10" aria-hidden="true" focusable="false"><rect class={b.look} width="22" height="10" /></svg>
          {b.name}
        </li>
      ))}
    </ul>
  );
}
