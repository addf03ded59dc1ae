import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { HeatMap } from '../../api/continuous';
import { forget, nextFrame } from '../../draw/scheduler';
import { place, type Scale } from '../../layout/axis';
import {
  areaOf, cellAt, columnOf, heatShare, moved, namedRows, pulled, rowBox, timeBox, type Area, type Cell, type Grid, type Place,
} from '../../layout/heat';
import { selectArea } from '../../state/heat';
import { chosenRows, wide, withRows } from '../../state/rows';
import { spanText, zoneText, type Selection, type Span } from '../../state/selection';
import { compareTo } from '../../state/selected';
import { dark } from '../../state/theme';
import { selectTime } from '../../state/time';
import { heatColor, heatColors } from '../../theme/heat';
import { dateText, timelineDates } from '../chart/dates';
import { useEdge } from '../chart/edge';
import { sizes } from '../chart/sizes';
import { chooseBase, Handles } from '../continuous/Timeline';
import { picking } from '../continuous/picking';
import { overTimeText } from '../continuous/words';
import { IconButton } from '../parts';
import { useEscape } from '../useEscape';

const TOP = 16; // room for markers' names, as above the lines
const FOOT = 18;
const RIGHT = 4;
const CHARS = 16; // of a row's name, at most

/** The cell that is pointed at, by the mouse or the keys. */
export type Pointed = Cell;

interface HeatPlotProps {
  map: HeatMap;
  /** The value that each cell's colour shows. */
  amounts: readonly (number | null)[];
  range: { min: number; max: number };
  sel: Selection;
  span: Span;
  base: Selection | null;
  width: number;
  height: number;
  pointed: Pointed | null;
  onPoint: (cell: Pointed | null) => void;
  children: (x: Scale) => ComponentChildren;
}

export function HeatPlot(props: HeatPlotProps) {
  const { map, sel, span, base, width, height, pointed, onPoint, children } = props;
  const chosen = chosenOf(map, sel); // rows that are selected, by their label; none: all
  const names = map.rows.map((_, i) => rowName(map, i, sel));
  const { CHAR } = sizes();
  const left = useEdge('timeline', 8 + CHAR * Math.max(3, ...names.map((n) => n.length)));
  const x: Scale = { min: span.from, max: span.to, from: left, to: Math.max(left + 10, width - RIGHT) };
  const grid: Grid = { x, step: map.step, rows: map.rows.length, top: TOP, foot: Math.max(TOP + 1, height - FOOT), up: map.label === '' };
  const box = useRef<HTMLDivElement>(null);
  // Signals, since the next event may come before what this one changes is drawn.
  const dragging = useSignal<{ from: Place; at: Place; base: boolean } | null>(null);
  const anchor = useSignal<Cell | null>(null); // the fixed corner while keys extend the area
  const drag = dragging.value;
  const placeOf = (e: PointerEvent): Place => {
    const { left, top } = box.current!.getBoundingClientRect();
    return { x: e.clientX - left, y: e.clientY - top };
  };
  useEscape(dragging);

  const now = areaOfSelection(map, sel, chosen, span);
  const then = base ? areaOfSelection(map, base, chosenOf(map, base), span) : null;
  const extended = anchor.value && pointed ? areaOf(grid, anchor.value, pointed) : null;
  const pull = drag ? whole(pulled(grid, drag.from, drag.at), map) : null;
  const [head, other] = [pull && !drag!.base ? pull : now, pull && drag!.base ? pull : then];
  const take = (area: Area, asBase: boolean) => choose(whole(area, map), map, sel, asBase);

  const onKeyDown = (e: KeyboardEvent) => {
    const from = pointed ?? { row: map.label ? 0 : grid.rows - 1, time: columnOf(grid, now.from) };
    if (e.key === 'Enter' || e.key === ' ') {
      take(extended ?? areaOf(grid, from, from), e.shiftKey || picking.peek());
      picking.value = false;
      anchor.value = null;
    } else if (e.key === 'Escape' && (anchor.peek() || pointed)) {
      anchor.value = null;
      onPoint(null);
    } else {
      const to = moved(grid, from, e.key);
      if (!to) return;
      if (!e.shiftKey) anchor.value = null;
      else if (!anchor.peek()) anchor.value = from;
      onPoint(pointed ? to : from);
    }
    e.preventDefault();
    e.stopPropagation();
  };
  const everything = now.from <= span.from && now.to >= span.to;
  return (
    <>
      <div
        ref={box}
        class={`heat${picking.value ? ' timeline-picking' : ''}`}
        role="application"
        tabIndex={0}
        aria-label={`Heat map by time and ${map.label || 'value'}, ${spanText(span)}. ${hottest(props)}`
          + ' Arrow keys move, with Shift they extend, Enter selects, Shift Enter chooses what to compare with.'}
        onKeyDown={onKeyDown}
        onBlur={() => {
          anchor.value = null;
          onPoint(null);
        }}
        onPointerDown={(e) => {
          if (e.button !== 0) return;
          e.currentTarget.setPointerCapture(e.pointerId);
          const at = placeOf(e);
          dragging.value = { from: at, at, base: e.shiftKey || picking.peek() };
        }}
        onPointerMove={(e) => {
          const at = placeOf(e);
          anchor.value = null;
          onPoint(at.x < left ? null : cellAt(grid, at));
          if (dragging.peek()) dragging.value = { ...dragging.peek()!, at };
        }}
        onPointerUp={() => {
          const drag = dragging.peek();
          if (!drag) return;
          dragging.value = null;
          if (drag.base) picking.value = false;
          take(pulled(grid, drag.from, drag.at), drag.base);
        }}
        onPointerCancel={() => (dragging.value = null)}
        onPointerLeave={() => onPoint(null)}
      >
        <Cells {...props} grid={grid} />
        <svg width={width} height={height} aria-hidden="true">
          {!(everything && chosen.length === 0) && <Veil grid={grid} area={head} />}
          {other && <Outline grid={grid} area={other} kind="heat-area heat-area-base" />}
          {(!(everything && chosen.length === 0) || pull) && <Outline grid={grid} area={head} kind="heat-area" />}
          {(extended || pointed) && <Outline grid={grid} area={extended ?? areaOf(grid, pointed!, pointed!)} kind="heat-cell" />}
          {namedRows(grid, CHAR * 1.7).map((i) => {
            const { y, height } = rowBox(grid, i);
            const of = chosen.includes(map.rows[i]!.label) ? ' heat-row-chosen' : '';
            return <text key={i} class={`heat-row${of}`} x={left - 6} y={y + height / 2 + 4}>{names[i]}</text>;
          })}
          <text class="timeline-zone" x={0} y={height - 6}>{zoneText(span.to)}</text>
          {timelineDates(span.from, span.to, Math.floor(width / 90)).map((time) => (
            <text key={time} class="timeline-date" x={dateAt(x, time, span, CHAR, width)} y={height - 6}>
              {dateText(time, span.to - span.from)}
            </text>
          ))}
        </svg>
      </div>
      {children(x)}
      {then && <Handles range={base!} span={span} step={map.step} x={x} kind="base" onChange={(to) => chooseBase(to, 'replace')} />}
      <Handles range={now} span={span} step={map.step} x={x} kind="selected" onChange={(to) => selectTime(to, 'replace')} />
      {!(everything && chosen.length === 0) && (
        <div class="timeline-whole" style={{ left: `${Math.max(left, Math.min(width - 34, place(x, now.to) - 30))}px` }}>
          <IconButton icon="close" label="Select the whole timeline" onClick={() => selectArea(span, wideOf(map, sel))} />
        </div>
      )}
    </>
  );
}

const wideOf = (map: HeatMap, sel: Selection) => (map.label ? wide(sel.q, map.label) : sel.q);

/** Keeps a date within the plot, and after the time zone. */
function dateAt(x: Scale, time: number, span: Span, char: number, width: number): number {
  const half = (char * dateText(time, span.to - span.from).length) / 2;
  return Math.max(char * (zoneText(span.to).length + 1) + half, Math.min(width - half, place(x, time)));
}

/** With rows by value, an area has all rows: a selection can't select by value. */
const whole = (area: Area, map: HeatMap): Area => (map.label ? area : { ...area, first: 0, last: map.rows.length - 1 });

const chosenOf = (map: HeatMap, s: Selection): readonly string[] => (map.label ? chosenRows(s.q, map.label) ?? [] : []);

/** The area of a selection. If its rows aren't adjacent, it reaches from the first to the last. */
function areaOfSelection(map: HeatMap, s: Selection, chosen: readonly string[], span: Span): Area {
  const rows = map.rows.flatMap((r, i) => (chosen.includes(r.label) ? [i] : []));
  return {
    from: Math.max(s.from || span.from, span.from), to: Math.min(s.to || span.to, span.to),
    first: rows[0] ?? 0, last: rows.at(-1) ?? map.rows.length - 1,
  };
}

/** Selects an area, or compares with it. */
function choose(area: Area, map: HeatMap, sel: Selection, asBase: boolean): void {
  const all = area.first === 0 && area.last === map.rows.length - 1;
  const rows = all ? null : map.rows.slice(area.first, area.last + 1).map((r) => r.label);
  const q = map.label ? withRows(sel.q, map.label, rows) : sel.q;
  const time = { from: area.from, to: area.to };
  if (!asBase) selectArea(time, q);
  else if (q === sel.q) chooseBase(time);
  else compareTo('', { ...sel, ...time, q, id: '' });
}

function rowName(map: HeatMap, row: number, sel: Selection): string {
  if (!map.label) return overTimeText(map.rows[row]!.low, map, sel.per);
  const name = map.rows[row]!.label || 'none';
  return name.length > CHARS ? `${name.slice(0, 6)}…${name.slice(-(CHARS - 7))}` : name;
}

/** The cell with the most, for people who can't see the colours. */
function hottest({ map, amounts, sel }: HeatPlotProps): string {
  let most = -1;
  amounts.forEach((v, i) => {
    if (v !== null && (most < 0 || v > amounts[most]!)) most = i;
  });
  if (most < 0 || !map.label) return '';
  const time = map.time[map.column[most]!]!;
  const row = map.rows[map.row[most]!]!.label || `no ${map.label}`;
  return `Most: ${row}, ${spanText({ from: time, to: time + map.step })}, ${overTimeText(map.value[most]!, map, sel.per)}.`;
}

function Outline({ grid, area, kind }: { grid: Grid; area: Area; kind: string }) {
  const { x, width } = timeBox(grid, area.from, area.to);
  const { y, height } = rowBox(grid, area.first, area.last);
  return <rect class={kind} x={x} y={y} width={Math.max(2, width)} height={height} />;
}

/** Hatches what isn't selected: a cover would change its colours, which say how much. */
function Veil({ grid, area }: { grid: Grid; area: Area }) {
  const { x, width } = timeBox(grid, area.from, area.to);
  const { y, height } = rowBox(grid, area.first, area.last);
  const { from, to } = grid.x;
  const hole = `M${x} ${y}v${height}h${width}v${-height}z`;
  return (
    <>
      <pattern id="heat-hatch" class="heat-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="1.5" height="6" />
      </pattern>
      <path fill="url(#heat-hatch)" fill-rule="evenodd" d={`M${from} ${grid.top}H${to}V${grid.foot}H${from}z${hole}`} />
    </>
  );
}

function Cells({ map, amounts, range, grid, width, height }: HeatPlotProps & { grid: Grid }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = dark.value;
  useLayoutEffect(() => {
    const draw = () => {
      const el = canvas.current;
      const context = el?.getContext('2d');
      if (!el || !context) return;
      const scale = devicePixelRatio || 1;
      el.width = Math.round(width * scale);
      el.height = Math.round(height * scale);
      context.setTransform(scale, 0, 0, scale, 0, 0);
      const colors = heatColors(isDark);
      map.row.forEach((row, i) => {
        const value = amounts[i];
        if (value === null || value === undefined) return;
        const time = map.time[map.column[i]!]!;
        const { x, width } = timeBox(grid, time, time + map.step);
        const { y, height } = rowBox(grid, row);
        const gap = height > 8 ? 1 : 0;
        context.fillStyle = heatColor(colors, heatShare(range, value));
        context.fillRect(x, y, Math.max(1, width - (width > 8 ? 1 : 0)), Math.max(1, height - gap));
      });
    };
    nextFrame(draw);
    return () => forget(draw);
  }, [map, amounts, range, width, height, isDark, grid.x.from, grid.x.min, grid.x.max]);
  return <canvas ref={canvas} aria-hidden="true" style={{ width: `${width}px`, height: `${height}px` }} />;
}

/** The legend of the colours. */
export function HeatScale({ low, high }: { low: string; high: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = dark.value;
  useLayoutEffect(() => {
    const draw = () => {
      const el = canvas.current;
      const context = el?.getContext('2d');
      if (!el || !context) return;
      const colors = heatColors(isDark);
      el.width = colors.length;
      el.height = 1;
      colors.forEach((color, i) => {
        context.fillStyle = color;
        context.fillRect(i, 0, 1, 1);
      });
    };
    nextFrame(draw);
    return () => forget(draw);
  }, [isDark]);
  return (
    <span class="heat-scale" role="img" aria-label={`Colours from ${low} to ${high}`}>
      {low}<canvas ref={canvas} aria-hidden="true" />{high}
    </span>
  );
}
