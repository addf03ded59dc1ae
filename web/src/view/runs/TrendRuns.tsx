// The runs of a trend below its chart, the newest first.

import { useMemo } from 'preact/hooks';
import type { Trend, TrendRun, TrendSeries } from '../../api/runs';
import { spreadText, valueText } from '../../model/quantity';
import { goRuns, rowID, runsHref } from '../../state/runs';
import { follow } from '../link';
import { Icon } from '../parts';
import { changeText } from '../table/format';
import { Table, type Column } from '../table/Table';
import { comparisonOf, stepTo, type Point } from './trend';
import { whenIn } from './words';

export function TrendRuns({ trend, series }: { trend: Trend; series: TrendSeries }) {
  const points = useMemo(() => series.points.filter((p) => p.median !== null), [series]);
  const columns = useMemo(() => columnsOf(trend, series), [trend, series]);
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

function columnsOf(trend: Trend, series: TrendSeries): readonly Column<Point>[] {
  const step = (p: Point) => stepTo(trend, series, p);
  const changeOf = (p: Point) => changeText(step(p)?.by);
  const runOf = (p: Point) => trend.runs[p.run]!;
  return [
    { id: 'median', title: 'Median', width: '7rem', align: 'right', cell: (p) => valueText(p.median!, series.unit),
      text: (p) => String(p.median) },
    { id: 'spread', title: '±', about: '95 % interval', width: '4.5rem', align: 'right', from: 26,
      kind: () => 'soft', cell: (p) => spreadText(p.median!, p.lo, p.hi).replace('± ', ''),
      text: (p) => spreadText(p.median!, p.lo, p.hi) },
    { id: 'change', title: 'Change', width: '5.5rem',
      about: 'Against the run before; grey if the 95 % intervals overlap or the machine changed',
      align: 'right', kind: (p) => step(p)?.tone ?? 'soft', cell: changeOf, text: changeOf },
    { id: 'compare', title: '', about: 'Comparison with the run before', width: '2.5rem',
      cell: (p) => <CompareLink trend={trend} series={series} point={p} /> },
    { id: 'commit', title: 'Commit', cell: (p) => <Commit run={runOf(p)} />, text: (p) => runOf(p).revision },
    { id: 'when', title: 'When', width: '11rem', from: 42, kind: () => 'soft', cell: (p) => whenIn(runOf(p).created),
      text: (p) => runOf(p).created },
  ];
}

/** Leads to what changed since the run before. */
function CompareLink({ trend, series, point }: { trend: Trend; series: TrendSeries; point: Point }) {
  const step = stepTo(trend, series, point);
  if (!step) return null;
  const to = comparisonOf(trend, series, step);
  const label = `Compare ${trend.runs[point.run]!.revision} with ${trend.runs[step.before.run]!.revision}`;
  return (
    <a
      class="btn btn-plain btn-icon"
      tabIndex={-1}
      href={runsHref(to)}
      aria-label={label}
      title={label}
      onClick={(e) => { e.stopPropagation(); follow(() => goRuns(to))(e); }}
    >
      <Icon name="compare" />
    </a>
  );
}

/** What was measured: the commit's subject, where there is one, before its branch and revision. */
function Commit({ run: { subject, branch, revision } }: { run: TrendRun }) {
  const named = branch && !revision.startsWith(`${branch} `) ? `${branch} · ${revision}` : revision;
  return (
    <span class="cut" title={[subject, named].filter(Boolean).join('\n')}>
      {subject && <>{subject} </>}<span class={subject ? 'mono soft' : 'mono'}>{named}</span>
    </span>
  );
}
