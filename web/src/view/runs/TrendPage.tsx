import { useMemo } from 'preact/hooks';
import { runTrend, type Trend, type TrendSeries } from '../../api/runs';
import { spreadText, valueText } from '../../model/quantity';
import { useAnswer } from '../../state/answer';
import { farApart } from '../../layout/axis';
import { finder } from '../../state/pattern';
import { goRuns, rowID, runsHref, setRuns, type RunsState } from '../../state/runs';
import { TimeChart, type ChartPoint } from '../chart/TimeChart';
import { Button, Empty, ReportState } from '../parts';
import { saveTable } from '../table/csv';
import { Find } from '../table/Find';
import { changeText, plural } from '../table/format';
import { Table, TWO_LINES, type Column } from '../table/Table';
import { BenchName } from './BenchName';
import type { PageProps } from '../props';
import { changeWords, comparisonOf, lastStep, stepTo } from './trend';
import { TrendRuns } from './TrendRuns';
import { UnitPicker } from './UnitPicker';
import { dayText, whenIn } from './words';

/** Each benchmark over all runs. */
export function TrendPage({ state }: PageProps<RunsState>) {
  const loading = useAnswer('trend', runTrend);
  const trend = loading.answer?.report;
  const all = trend?.series ?? [];
  const units = useMemo(() => [...new Set(all.map((s) => s.unit))], [all]);
  const rows = useMemo(() => {
    const finds = finder(state.find);
    return all.filter((s) => (!state.unit || s.unit === state.unit) && (finds?.(rowID(s)) ?? true));
  }, [all, state.find, state.unit]);
  // Without a choice the first is shown: an empty chart tells nothing.
  const found = rows.findIndex((s) => rowID(s) === state.pick);
  const selected = found >= 0 ? found : state.pick === '' || !all.some((s) => rowID(s) === state.pick) ? 0 : -1;
  const shown = rows[selected] ?? all.find((s) => rowID(s) === state.pick);
  const columns = useMemo(() => columnsOf(trend, new Set(all.map((s) => s.package)).size > 1), [trend]);
  return (
    <section class="pane" aria-label="Trends">
      <ReportState
        loading={loading}
        empty={({ report }) => (report.series.length > 0 ? undefined : (
          <Empty title="Nothing was measured yet"><p>Each run of <code>hone bench</code> adds a point.</p></Empty>
        ))}
      >
        {({ report }) => (
          <div class="split">
            <div class="list">
              <div class="pane-bar">
                <Find label="Find benchmarks" value={state.find} onChange={(find) => setRuns({ find })} />
                <UnitPicker units={units} value={state.unit} />
              </div>
              <Table<TrendSeries>
                label="Benchmarks"
                columns={columns}
                count={rows.length}
                row={(i) => rows[i]}
                rowKey={rowID}
                rowRem={TWO_LINES}
                selected={selected}
                onSelect={(s) => setRuns({ pick: rowID(s) })}
                empty="No benchmark matches."
              />
            </div>
            <div class="split-main">{shown && <Series trend={report} series={shown} state={state} />}</div>
          </div>
        )}
      </ReportState>
    </section>
  );
}

/** What a series' points are in a chart. */
export function chartPoints(trend: Trend, s: TrendSeries): ChartPoint[] {
  return s.points.flatMap((p) => {
    const run = trend.runs[p.run]!;
    if (p.median === null) return [];
    const at = { page: 'run', run: [run.id], pick: rowID(s) } as const;
    const step = stepTo(trend, s, p);
    return [{
      time: Date.parse(run.created), value: p.median, lo: p.lo, hi: p.hi, group: run.machine, partial: run.state !== 'complete',
      ...(step?.sure && step.by ? { note: changeText(step.by), noteKind: step.tone } : {}),
      facts: [
        `${valueText(p.median, s.unit)} ${spreadText(p.median, p.lo, p.hi)}`, [run.subject, run.revision].filter(Boolean).join(', '),
        ...(step ? [changeWords(step)] : []), whenIn(run.created),
        `${p.n} samples${run.state === 'complete' ? '' : ', partial run'}`, [run.go, run.machine].filter(Boolean).join(', '),
      ],
      href: runsHref(at), onOpen: () => goRuns(at),
    }];
  });
}

/** What stands below the points: the commit, and when it was measured. */
function feetOf(trend: Trend, s: TrendSeries): [string, string][] {
  return s.points.flatMap((p): [string, string][] => {
    const run = trend.runs[p.run]!;
    return p.median === null ? [] : [[commitText(run.revision), dayText(run.created)]];
  });
}

/** A revision's commit where there is little room, with a plus if files had changed: main 3f2a9c1d2+dirty is 3f2a9c1+. */
export function commitText(revision: string): string {
  const [, commit, dirty] = /(\S+?)(\+dirty)?$/.exec(revision) ?? [];
  return commit === undefined ? '' : commit.slice(0, /^[0-9a-f]+$/.test(commit) ? 7 : 12) + (dirty ? '+' : '');
}

function Series({ trend, series, state }: { trend: Trend; series: TrendSeries; state: RunsState }) {
  const points = useMemo(() => chartPoints(trend, series), [trend, series]);
  const feet = useMemo(() => feetOf(trend, series), [trend, series]);
  const far = farApart(points.map((p) => p.value));
  const log = far && state.scale !== 'linear';
  const machines = new Set(points.map((p) => p.group)).size;
  const last = series.points.findLast((p) => p.median !== null);
  const step = stepTo(trend, series, last);
  const boundText = (b: TrendSeries['bounds'][number]) => `${b.kind} ${axisText(b.value, series.unit)}`;
  const file = `trend-${series.benchmark.replaceAll(/[^\w.-]+/g, '_')}.csv`;
  return (
    <>
      <div class="trend-head">
        <h2>{series.package && <span class="soft">{series.package}.</span>}{series.benchmark}</h2>
        <span>{series.unit}{series.better !== 0 && <span class="soft">, {series.better < 0 ? 'lower' : 'higher'} is better</span>}</span>
        {last && (
          <span>
            <b>{valueText(last.median, series.unit)}</b> {spreadText(last.median, last.lo, last.hi)}
            {step && <>, <span class={step.tone}>{changeWords(step)}</span></>}
          </span>
        )}
        <span class="button-row">
          {far && (
            <span class="segments" role="group" aria-label="Scale">
              <Button aria-pressed={log} onClick={() => setRuns({ scale: '' })}>Log</Button>
              <Button aria-pressed={!log} onClick={() => setRuns({ scale: 'linear' })}>Linear</Button>
            </span>
          )}
          <Button icon="download" onClick={() => saveTable(file, csvColumns(trend, series), series.points)}>CSV</Button>
          {step && <Button icon="compare" onClick={() => goRuns(comparisonOf(trend, series, step))}>Compare the last two</Button>}
        </span>
      </div>
      <div class="trend-chart">
        <TimeChart
          label={`${series.benchmark} ${series.unit} over ${plural(points.length, 'run')}`}
          points={points}
          bounds={series.bounds.map((b) => ({ value: b.value, kind: b.kind, text: `${boundText(b)}${b.name ? ` ${b.name}` : ''}` }))}
          format={(v) => axisText(v, series.unit)}
          binary={/^B\//.test(series.unit)}
          even
          feet={feet}
          log={log}
        />
      </div>
      <TrendRuns trend={trend} series={series} />
      <div class="pane-facts">
        <span>{plural(points.length, 'run')}</span>
        <span>points are equally spaced; bars are 95 % intervals of the median</span>
        {series.bounds.length > 0 && <span>objective: {series.bounds.map(boundText).join(', ')}</span>}
        {machines > 1 && <span>{machines} machines: their points are not joined</span>}
      </div>
    </>
  );
}

/** A tick's value without digits that say nothing. */
export function axisText(value: number, unit: string): string {
  if (value === 0) return '0';
  return valueText(value, unit).replace(/(\.\d*?)0+(?=[^\d.]*$)/, '$1').replace(/\.(?=[^\d.]*$)/, '');
}

function csvColumns(trend: Trend, s: TrendSeries): Column<TrendSeries['points'][number]>[] {
  const text = (v: number | null) => (v === null ? '' : String(v));
  const column = (title: string, of: (
    p: TrendSeries['points'][number],
  ) => string): Column<TrendSeries['points'][number]> => ({ id: title, title, cell: of, text: of });
  return [
    column('run', (p) => trend.runs[p.run]!.id), column('created', (p) => trend.runs[p.run]!.created),
    column('revision', (p) => trend.runs[p.run]!.revision),
    column('benchmark', () => s.benchmark), column('unit', () => s.unit), column('median', (p) => text(p.median)),
    column('lo', (p) => text(p.lo)),
    column('hi', (p) => text(p.hi)), column('samples', (p) => String(p.n)), column('machine', (p) => trend.runs[p.run]!.machine),
    column('go', (p) => trend.runs[p.run]!.go ?? ''),
  ];
}

function columnsOf(trend: Trend | undefined, packages: boolean): readonly Column<TrendSeries>[] {
  const lastOf = (s: TrendSeries) => valueText(s.points.findLast((p) => p.median !== null)?.median, s.unit);
  const step = (s: TrendSeries) => trend && lastStep(trend, s);
  return [
    {
      id: 'benchmark', title: 'Benchmark',
      cell: (s) => (
        <span class="trend-two">
          <BenchName name={s.benchmark} pkg={packages ? s.package : undefined} />
          <span class="cut soft">{s.unit}</span>
        </span>
      ),
      text: (s) => `${s.benchmark} ${s.unit}`,
    },
    {
      id: 'last', title: 'Last run', width: '6.5rem', align: 'right',
      about: 'The last median, and its change from the run before; grey if it may be noise',
      cell: (s) => (
        <span class="trend-two trend-last">
          <span>{lastOf(s)}</span>
          <span class={step(s)?.tone ?? 'soft'}>{changeText(step(s)?.by)}</span>
        </span>
      ),
      text: (s) => `${lastOf(s)} ${changeText(step(s)?.by)}`,
    },
    {
      id: 'spark', title: '', about: 'Over time', width: '5.5rem',
      cell: (s) => <Spark values={s.points.flatMap((p) => (p.median === null ? [] : [p.median]))} />,
    },
  ];
}

/** The shape of a series, for the eye alone. */
function Spark({ values }: { values: readonly number[] }) {
  const top = Math.max(...values);
  const bottom = Math.min(...values, top * 0.9);
  const path = values.map((v, i) =>
    `${i === 0 ? 'M' : 'L'}${values.length === 1 ? 0 : (100 * i) / (values.length - 1)} `
    + `${top === bottom ? 10 : 20 - (20 * (v - bottom)) / (top - bottom)}`).join('');
  return (
    <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d={values.length === 1 ? `${path}L100 10` : path} />
    </svg>
  );
}
