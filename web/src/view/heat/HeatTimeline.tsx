// The timeline as a heat map. Rows are instances or values of another label, or ranges of the values
// of single profiles. It has the drags, the handles and the markers of the lines.

import '../continuous/continuous.css';
import './heat.css';
import { useMemo, useState } from 'preact/hooks';
import { heat as askHeat, markers as askMarkers, type HeatMap, type Marker } from '../../api/continuous';
import { useLasting } from '../../state/answer';
import { markersRound } from '../../state/continuous';
import { BY_VALUE } from '../../state/heat';
import { wide } from '../../state/rows';
import { againstText, lengthText, serviceOf, spanText, timeText, type Per, type Selection } from '../../state/selection';
import { selectedBase } from '../../state/selected';
import { state } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { heatRange } from '../../layout/heat';
import { Progress, useElementSize } from '../parts';
import { plural } from '../table/format';
import { AddMarker, Markers } from '../continuous/Markers';
import { RestButton } from '../continuous/Rest';
import { baseOn, GroupBy, PerControl } from '../continuous/Timeline';
import { RegressionMarks } from '../regressions/Marks';
import { overTimeText } from '../continuous/words';
import { HeatPlot, HeatScale, type Pointed } from './HeatPlot';

const ROW = 6; // px, at least
const COLUMN = 5;

export default function HeatTimeline({ sel }: { sel: Selection }) {
  const span = timelineSpan.value!;
  const { own, options } = state.value;
  const label = own.heat === BY_VALUE ? '' : own.heat!;
  const base = selectedBase.value;
  const { ref: box, width, height } = useElementSize<HTMLDivElement>();
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const within = (n: number, most: number) => Math.max(10, Math.min(most, Math.floor(n)));
  const asked = {
    q: label ? wide(sel.q, label) : sel.q, from: span.from, to: span.to, sample_type: options.sample_index ?? sel.sampleType, per: sel.per,
    ...(label ? { by: label } : { values: '1' }), limit: label ? within(height / ROW, 60) : within(height / ROW / 2, 30),
    points: within(width / COLUMN, 300),
  };
  const known = width > 0 && height > 0;
  const loading = useLasting<HeatMap>(known ? `heat ${JSON.stringify(asked)}` : null, (signal) => askHeat(asked, signal));
  const map = loading.answer?.report;
  const error = loading.error?.message;
  const service = serviceOf(sel.q);
  const markersAsked = { from: span.from, to: span.to, service: service ?? '' };
  const marks = useLasting<{ markers: Marker[] }>(
    `markers ${JSON.stringify(markersAsked)} ${markersRound.value}`,
    async (signal) => ({ markers: await askMarkers(markersAsked, signal) }),
  ).answer?.report;
  // By value, colours count profiles; by label, they are the values.
  const amounts = useMemo(() => (map ? (map.label ? map.value : map.profiles) : []), [map]);
  const range = useMemo(() => heatRange(amounts.filter((v) => v !== null)), [amounts]);
  const amountText = (v: number) => (map?.label ? overTimeText(v, map, sel.per) : plural(v, 'profile'));
  const words = pointed && map
    ? cellText(map, pointed, sel.per)
    : base && baseOn(span, sel, base) ? `${againstText(own.vs ?? '', sel, base)} → ${spanText(sel)}` : '';
  const note = map && (map.rows.length === 0 ? 'No profiles in this time'
    : map.warnings[0] ?? (map.left > 0 ? `${plural(map.left, 'smaller row')} left out` : ''));
  return (
    <section class="timeline timeline-tall" aria-label="Timeline">
      <div class="timeline-bar">
        <GroupBy sel={sel} span={span} by="" />
        <PerControl per={sel.per} />
        {map && map.row.length > 0 && <HeatScale low={amountText(range.min)} high={amountText(range.max)} />}
        <span class="timeline-words heat-words" aria-live="polite">{words}</span>
        <RestButton />
        <AddMarker service={service ?? ''} time={span.to - 1000} />
      </div>
      <div ref={box} class="timeline-box" aria-busy={loading.stale && !error && !map}>
        {loading.stale && !error && map && <Progress />}
        {known && map && map.rows.length > 0 && (
          <HeatPlot
            map={map}
            amounts={amounts}
            range={range}
            sel={sel}
            span={span}
            base={baseOn(span, sel, base) && base}
            width={width}
            height={height}
            pointed={pointed}
            onPoint={setPointed}
          >
            {(x) => (
              <>
                <Markers
                  markers={marks?.markers ?? []}
                  x={x}
                  sel={sel}
                  span={span}
                  step={map.step}
                />
                <RegressionMarks service={service} x={x} span={span} />
              </>
            )}
          </HeatPlot>
        )}
        {error !== undefined && <p class="timeline-note" role="alert">{error}</p>}
        {error === undefined && note && <p class="timeline-note">{note}</p>}
      </div>
    </section>
  );
}

/** A cell in words. */
function cellText(map: HeatMap, { row, time }: Pointed, per: Per): string {
  const of = map.rows[row];
  if (!of) return '';
  const at = map.time.indexOf(time);
  const i = at < 0 ? -1 : map.row.findIndex((r, j) => r === row && map.column[j] === at);
  const name = map.label ? of.label || `no ${map.label}` : rangeText(map, row, per);
  const value = i < 0 ? 'no profiles' : map.label
    ? `${overTimeText(map.value[i]!, map, per)}, ${plural(map.profiles[i]!, 'profile')}`
    : plural(map.profiles[i]!, 'profile');
  return `${timeText(time)} (${lengthText(map.step)}) · ${name}: ${value}`;
}

/** The range of values of a row by value. */
function rangeText(map: HeatMap, row: number, per: Per): string {
  const { low, high } = map.rows[row]!;
  const text = (v: number) => overTimeText(v, map, per);
  return low === high ? text(low) : `${text(low)} – ${text(high)}`;
}
