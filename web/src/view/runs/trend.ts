// How a benchmark went from run to run. Pure.

import type { Trend, TrendSeries } from '../../api/runs';
import type { RunsState } from '../../state/runs';
import { rowID } from '../../state/runs';
import { changeText } from '../table/format';

export type Point = TrendSeries['points'][number];

/** From one run with the benchmark to the next. */
export interface Step {
  before: Point;
  point: Point;
  /** The relative change; missing if there was nothing before. */
  by?: number;
  /** Whether it is more than noise. */
  sure: boolean;
  /** The class of its colour. */
  tone: 'more' | 'less' | 'soft' | '';
}

/** Whether two points of a series are sure to differ: measured on the same machine, and their 95 % intervals don't overlap. */
export function differ(trend: Trend, a: Point, b: Point): boolean {
  if (trend.runs[a.run]!.machine !== trend.runs[b.run]!.machine) return false;
  return a.lo !== null && a.hi !== null && b.lo !== null && b.hi !== null && (a.hi < b.lo || b.hi < a.lo);
}

/** What changed with a point since the one before it; undefined for the first. */
export function stepTo(trend: Trend, series: TrendSeries, point: Point | undefined): Step | undefined {
  if (!point || point.median === null) return undefined;
  const before = series.points.slice(0, series.points.indexOf(point)).findLast((p) => p.median !== null);
  if (!before) return undefined;
  const sure = differ(trend, before, point);
  const by = before.median ? (point.median - before.median) / before.median : undefined;
  const worse = (point.median - before.median!) * series.better < 0;
  return {
    before, point, ...(by === undefined ? {} : { by }), sure, tone: !sure ? 'soft' : series.better === 0 ? '' : worse ? 'more' : 'less',
  };
}

/** A step in words: "+11.2% from the run before, may be noise". */
export function changeWords({ by, sure }: Step): string {
  if (by === undefined) return 'was 0 in the run before';
  if (by === 0) return 'as in the run before';
  return `${changeText(by)} from the run before${sure ? '' : ', may be noise'}`;
}

/** The last change of a series. */
export const lastStep = (trend: Trend, series: TrendSeries): Step | undefined =>
  stepTo(trend, series, series.points.findLast((p) => p.median !== null));

/** The comparison of the runs of a step, at the benchmark. */
export const comparisonOf = (trend: Trend, series: TrendSeries, { before, point }: Step): Partial<RunsState> & { page: 'compare' } =>
  ({ page: 'compare', run: [trend.runs[before.run]!.id, trend.runs[point.run]!.id], pick: rowID(series) });
