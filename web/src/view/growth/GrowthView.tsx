// Which lines of code hold more and more memory or goroutines: each line with its slope and a small
// chart over what is selected of the timeline.

import '../continuous/continuous.css';
import '../table/pane.css';
import './growth.css';
import { useMemo } from 'preact/hooks';
import { history as askHistory, type FunctionHistory, type History } from '../../api/continuous';
import { useLasting } from '../../state/answer';
import { HISTORY, historyOptions } from '../../state/options';
import { foldable } from '../../state/profiles';
import { formatSpan, isInstant, lengthText, spanText, type Selection, type Span } from '../../state/selection';
import { selected, withSelection } from '../../state/selected';
import { go, href, setOption, type State } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { TimeChart, type ChartPoint } from '../chart/TimeChart';
import { isBytes } from '../continuous/words';
import { Button, Empty, ReportState, tip } from '../parts';
import { saveTable } from '../table/csv';
import { plural } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { Table, type Column } from '../table/Table';
import type { ViewProps } from '../props';
import { COSTS } from '../vocabulary';
import { amountText, drawn, grownIn, growthWords, shortOf, slopeText, sparkPath, spotOf, valuesOf, verdict } from './growth';

export default function GrowthView({ state }: ViewProps) {
  const sel = selected.value;
  const span = timelineSpan.value;
  if (!sel || !span) return <Empty title="Growth needs profiles in the store"><p>Open a service of <code>hone serve</code>.</p></Empty>;
  if (!isInstant(sel.q)) {
    return (
      <Empty title="Growth is for memory and goroutines">
        <p>Choose a kind that is held, such as the heap. History shows what others cost.</p>
      </Empty>
    );
  }
  return <Shown state={state} sel={sel} timeline={span} />;
}

function Shown({ state, sel, timeline }: { state: State; sel: Selection; timeline: Span }) {
  const span = grownIn(sel, timeline);
  const cum = state.options.sort === 'cum';
  const params: Record<string, string | number> = {
    q: sel.q, from: span.from, to: span.to, sample_type: state.options.sample_index ?? sel.sampleType, points: HISTORY.points,
    limit: HISTORY.rows, rank: 'growth', order: cum ? 'cum' : '',
  };
  Object.assign(params, historyOptions(state, foldable()));
  params.granularity ??= 'lines';
  const loading = useLasting<History>(`growth ${JSON.stringify(params)}`, (signal) => askHistory(params, signal));
  const report = loading.answer?.report;
  const functions = report?.functions ?? [];
  const chosen = functions.find((f) => isAt(f, state))?.name ?? '';
  const told = report?.functions.some((f) => f.growth) ? verdict(report, cum) : [];
  const lines = useMemo(() => drawn(functions, chosen), [report, chosen]);
  const points = useMemo(
    () => (report ? functions.flatMap((f) => pointsOf(report, f, cum, lines, chosen, state, timeline, span)) : []),
    [report, cum, lines, state],
  );
  return (
    <section class="pane" aria-label="Growth">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label="Value">
          <Button aria-pressed={!cum} onClick={() => setOption('sort', '', 'replace')} {...tip(COSTS.flat.about('line'))}>
            {COSTS.flat.title}
          </Button>
          <Button aria-pressed={cum} onClick={() => setOption('sort', 'cum', 'replace')} {...tip(COSTS.cum.about('line'))}>
            {COSTS.cum.title}
          </Button>
        </div>
        {told.length > 0 && <b>{told[0]}</b>}
        <span class="grow" />
        <Button
          icon="download"
          disabled={functions.length === 0}
          onClick={() => report && saveTable('growth.csv', columnsOf(report, cum, lines), functions)}
        >
          CSV
        </Button>
      </div>
      <ReportState
        loading={loading}
        skeleton="area"
        empty={({ report }) => (report.time.length === 0 ? (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ) : report.functions.every((f) => !f.growth) ? (
          <Empty title="Too few profiles to tell" icon="clock">
            <p>Growth needs profiles at six times or more. Choose a longer time above.</p>
          </Empty>
        ) : undefined)}
      >
        {({ report }) => (
          <div class="history">
            <div class="history-chart">
              <TimeChart
                label={`${report.type} of ${plural(lines.size, 'line')} over ${spanText(span)}`}
                points={points}
                format={(v) => amountText(v, report)}
                binary={isBytes(report.unit)}
                range={span}
                zero
              />
            </div>
            <div class="history-table">
              <Table<FunctionHistory>
                label="Lines by growth"
                columns={columnsOf(report, cum, lines)}
                count={functions.length}
                row={(i) => functions[i]}
                rowKey={(f) => f.name}
                selected={functions.findIndex((f) => f.name === chosen)}
                onSelect={(f) => look(f, state)}
                onOpen={(f) => go({ ...look(f, state, true) })}
                empty="These profiles have no functions."
              />
            </div>
          </div>
        )}
      </ReportState>
      <div class="pane-facts">
        {told.slice(1).map((text) => <span key={text}>{text}</span>)}
        <span>{report ? `mean per profile, ${plural(report.time.length, 'window')} of ${lengthText(report.step)}` : ''}</span>
      </div>
    </section>
  );
}

/** Whether a line is selected. */
function isAt(f: FunctionHistory, s: State): boolean {
  const { fn, line } = spotOf(f.name);
  return s.fn === fn && (s.own.at ?? '') === line;
}

/** Selects a line; open also shows its source. */
function look(f: FunctionHistory, s: State, open = false): Partial<State> {
  const { fn, line } = spotOf(f.name);
  const { at: _, ...own } = s.own;
  const to = { fn, own: line ? { ...own, at: line } : own };
  if (open) return { ...to, view: 'source' };
  go(to, 'replace');
  return to;
}

function pointsOf(
  h: History, f: FunctionHistory, cum: boolean, lines: ReadonlyMap<string, number | undefined>, chosen: string, state: State,
  timeline: Span, span: Span,
): ChartPoint[] {
  if (!lines.has(f.name)) return [];
  const tone = lines.get(f.name);
  const values = valuesOf(h, f, cum);
  return h.time.flatMap((time, i): ChartPoint[] => {
    const value = values[i] ?? null;
    if (value === null) return [];
    const window = { from: Math.max(time, span.from), to: Math.min(time + h.step, span.to) };
    const to = { ...withSelection(state, window, { span: formatSpan(timeline), live: '' }), view: 'flame' as const, fn: spotOf(f.name).fn };
    return [{
      time: (window.from + window.to) / 2, value, group: f.name, quiet: true, strong: f.name === chosen,
      ...(tone === undefined ? {} : { tone }),
      facts: [amountText(value, h), f.name, spanText(window), plural(h.profiles[i]!, 'profile')],
      href: href(to), onOpen: () => go(to),
    }];
  });
}

const NARROW = 30; // characters: with less, only the line is shown

function columnsOf(h: History, cum: boolean, lines: ReadonlyMap<string, number | undefined>): Column<FunctionHistory>[] {
  const toneOf = (f: FunctionHistory) => (lines.has(f.name) ? ` tone-${lines.get(f.name) ?? 'chosen'}` : '');
  return [
    {
      id: 'name', title: 'Line', text: (f) => f.name,
      cell: (f, { chars }) => (
        <>
          <i class={`growth-tick${toneOf(f)}`} aria-hidden="true" />
          {chars < NARROW && spotOf(f.name).line
            ? <span class="cut mono" title={f.name}>{spotOf(f.name).place}</span>
            : <FunctionName place={shortOf(f.name)} chars={Math.max(8, chars - 3)} title={f.name} />}
        </>
      ),
    },
    {
      id: 'slope', title: 'Growth', about: 'Per hour: the slope of the line that fits best', width: '7.5rem', align: 'right',
      cell: (f) => <span class={wayOf(f)} title={growthWords(f, h)}>{slopeText(f, h)}</span>,
      text: (f) => String(f.growth?.slope ?? ''),
    },
    {
      id: 'change', title: 'First → last third', about: 'Mean per profile of the first and of the last third of the time', width: '11rem',
      align: 'right', from: 40,
      cell: (f) => f.growth && (
        <span class={`growth-change${f.growth.sure === 0 ? ' soft' : ''}`} title={growthWords(f, h)}>
          {amountText(f.growth.before, h)} → {amountText(f.growth.after, h)}
        </span>
      ),
      text: (f) => (f.growth ? `${f.growth.before} ${f.growth.after}` : ''),
    },
    {
      id: 'spark', title: 'Over time', about: 'From 0 to the highest value of this line', width: 'clamp(5rem, 20cqi, 18rem)', from: 22,
      cell: (f) => (
        <svg class={`growth-spark${toneOf(f)}`} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          <path d={sparkPath(valuesOf(h, f, cum))} />
        </svg>
      ),
    },
  ];
}

const wayOf = (f: FunctionHistory) => {
  const sure = f.growth?.sure ?? 0;
  return sure === 0 ? 'soft' : sure > 0 ? 'growth-more' : 'growth-less';
};
