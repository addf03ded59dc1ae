// The runs of a trend below its chart, the newest first.

import { useMemo } from 'preact/hooks';
import type { Trend, TrendSeries } from '../../api/runs';
import { spreadText, valueText } from '../../model/quantity';
import { goRuns, rowID } from '../../state/runs';
import { changeText } from '../table/format';
import { Table, type Column } from '../table/Table';
import { whenIn } from './words';

type Point = TrendSeries['points'][number];

export function TrendRuns({ trend, series }: { trend: Trend; series: TrendSeries }) {
  const points = useMemo(() => series.points.filter((p) => p.median !== null), [series]);
  const columns = useMemo(() => columnsOf(trend, series, points), [trend, series, points]);
  return (
    <div class="trend-runs">
      <Table<Point>
        label="Runs of the trend"
        columns={columns}
        count={points.length}
        row={(i) => points[points.length - 1 - i]}
        rowKey={(p) => String(p.run)}
        onOpen={(p) => goRuns({ page: 'run', run: [trend.runs[p.run]!.id], pick: rowID(series) })}
      />
    </div>
  );
}

/** Whether two points of a series are sure to differ: measured on the same machine, and their 95 % intervals don't overlap. */
export function differ(trend: Trend, a: Point, b: Point): boolean {
  if (trend.runs[a.run]!.machine !== trend.runs[b.run]!.machine) return false;
  return a.lo !== null && a.hi !== null && b.lo !== null && b.hi !== null && (a.hi < b.lo || b.hi < a.lo);
}

function columnsOf(trend: Trend, series: TrendSeries, points: readonly Point[]): readonly Column<Point>[] {
  const before = (p: Point): Point | undefined => points[points.indexOf(p) - 1];
  const change = (p: Point): number | undefined => {
    const from = before(p)?.median;
    return from ? (p.median! - from) / from : undefined;
  };
  const tone = (p: Point): string => {
    const from = before(p);
    const by = change(p);
    if (!from || !by || !differ(trend, from, p)) return 'soft';
    return series.better === 0 ? '' : by * series.better > 0 ? 'less' : 'more';
  };
  return [
    { id: 'median', title: 'Median', width: '7rem', align: 'right', cell: (p) => valueText(p.median!, series.unit),
      text: (p) => String(p.median) },
    { id: 'spread', title: '±', about: '95 % interval', width: '4.5rem', align: 'right', kind: () => 'soft',
      cell: (p) => spreadText(p.median!, p.lo, p.hi).replace('± ', ''), text: (p) => spreadText(p.median!, p.lo, p.hi) },
    { id: 'change', title: 'Change', width: '5.5rem',
      about: 'Against the run before; grey if the 95 % intervals overlap or the machine changed',
      align: 'right', kind: tone, cell: (p) => changeText(change(p)), text: (p) => changeText(change(p)) },
    { id: 'commit', title: 'Run', cell: (p) => <span class="cut mono">{trend.runs[p.run]!.revision}</span>,
      text: (p) => trend.runs[p.run]!.revision },
    { id: 'when', title: 'When', width: '11rem', from: 42, kind: () => 'soft', cell: (p) => whenIn(trend.runs[p.run]!.created),
      text: (p) => trend.runs[p.run]!.created },
  ];
}
