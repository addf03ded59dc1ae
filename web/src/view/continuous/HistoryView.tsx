import './continuous.css';
import '../table/pane.css';
import { useMemo } from 'preact/hooks';
import { history as askHistory, type History } from '../../api/continuous';
import type { Top } from '../../api/types';
import { useLasting } from '../../state/answer';
import {
  formatSelection, formatSpan, formatValues, lengthText, parseSpan, parseValues, spanText, type Selection, type Span,
} from '../../state/selection';
import { patternOf } from '../../state/pattern';
import { selected, withSelection } from '../../state/selected';
import { useReport } from '../../state/report';
import { go, href, setOption, setOwn, state as shownState, type State } from '../../state/state';
import { timelineSpan } from '../../state/time';
import { TimeChart, type ChartPoint } from '../chart/TimeChart';
import { Button, Empty, IconButton, Popover, ReportState, tip } from '../parts';
import { saveTable } from '../table/csv';
import { percentText, plural } from '../table/format';
import type { Column } from '../table/Table';
import { FunctionName } from '../table/FunctionName';
import type { ViewProps } from '../props';
import { formatValue } from '../../model/units';

/** Options that a history heeds. */
const HEEDED = [
  'focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from', 'tagfocus', 'tagignore', 'granularity', 'noinlines', 'mine',
] as const;
const TONES = 8;
const POINTS = 60;

const functionsOf = (s: State): string[] => (s.own.fns ?? '').split('\n').filter(Boolean);
const setFunctions = (names: readonly string[]) => setOwn('fns', names.join('\n'));

/** How the share of functions went, over all of the timeline. */
export default function HistoryView({ state }: ViewProps) {
  const sel = selected.value;
  const span = timelineSpan.value;
  if (!sel || !span) return <Empty title="History is of profiles in the store"><p>Open a service of <code>hone serve</code>.</p></Empty>;
  return <Chart state={state} sel={sel} span={span} />;
}

function Chart({ state, sel, span }: { state: State; sel: Selection; span: Span }) {
  const named = functionsOf(state);
  const cum = state.options.sort === 'cum';
  const params: Record<string, string | number | readonly string[]> = {
    q: sel.q, from: span.from, to: span.to, sample_type: state.options.sample_index ?? sel.sampleType, top: sel.top, points: POINTS,
    order: cum ? 'cum' : '',
    ...(named.length > 0 ? { function: named } : { limit: TONES }),
  };
  for (const name of HEEDED) if (state.options[name]) params[name] = state.options[name]!;
  const loading = useLasting(`history ${JSON.stringify(params)}`, (signal) => askHistory(params, signal));
  const off = useMemo(() => new Set(parseValues(state.own.off)), [state.own.off]);
  const report = loading.answer?.report;
  const points = useMemo(() => (report ? pointsOf(report, cum, off, state, sel, span) : []), [report, cum, off, state]);
  const toggle = (name: string) => {
    const next = new Set(off);
    if (!next.delete(name)) next.add(name);
    setOwn('off', formatValues(next), 'replace');
  };
  const shown = report?.functions.map((f) => f.name) ?? [];
  return (
    <section class="pane" aria-label="History">
      <div class="pane-bar">
        <div class="segments" role="group" aria-label="Share">
          <Button aria-pressed={!cum} onClick={() => setOption('sort', '', 'replace')} {...tip('In the function itself')}>Flat</Button>
          <Button aria-pressed={cum} onClick={() => setOption('sort', 'cum', 'replace')} {...tip('In the function and all it calls')}>
            Cum
          </Button>
        </div>
        <Add known={shown} />
        {state.fn !== '' && !shown.includes(state.fn) && (
          <Button icon="plus" onClick={() => setFunctions([...(named.length > 0 ? named : shown), state.fn])}>The selected function</Button>
        )}
        {named.length > 0 && <Button kind="plain" icon="reset" onClick={() => setFunctions([])}>The largest</Button>}
        <span class="grow" />
        <Button
          icon="download"
          disabled={!report}
          onClick={() => report && saveTable('history.csv', csvColumns(report), report.time.map((_, i) => i))}
        >CSV</Button>
      </div>
      <ReportState
        loading={loading}
        skeleton="area"
        empty={({ report }) => (report.time.length > 0 ? undefined : (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ))}
      >
        {({ report }) => (
          <div class="split history">
            <div class="list">
              <ul class="history-list" aria-label="Functions">
                {report.functions.map((f, i) => (
                  <li key={f.name} class={`history-item tone-${i % TONES}${off.has(f.name) ? ' history-off' : ''}`}>
                    <button
                      type="button"
                      class="history-name"
                      aria-pressed={!off.has(f.name)}
                      onClick={() => toggle(f.name)}
                      {...tip(f.name)}
                    >
                      <i class="history-tick" aria-hidden="true" />
                      <FunctionName place={f} chars={34} />
                    </button>
                    <span class="num">{shareText(report, cum ? f.cum : f.flat)}</span>
                    <IconButton icon="close" label={`Take ${f.name} out`} onClick={() => setFunctions(shown.filter((n) => n !== f.name))} />
                  </li>
                ))}
              </ul>
            </div>
            <div class="split-main history-chart">
              <TimeChart
                label={`Share of ${plural(report.functions.length, 'function')} over ${spanText(span)}`}
                points={points}
                format={(v) => `${Number(v.toPrecision(3))}%`}
                range={span}
                band={parseSpan(state.own.span) ? sel : undefined}
              />
            </div>
          </div>
        )}
      </ReportState>
      <div class="pane-facts">
        <span>{report ? `${plural(report.time.length, 'window')} of ${lengthText(report.step)}` : ''}</span>
        <span>A point leads to the profiles of its window</span>
      </div>
    </section>
  );
}

/** The mean of the windows' shares, which is the order of the list. */
function shareText(h: History, values: readonly number[]): string {
  const shares = values.flatMap((v, i) => (h.total[i]! > 0 ? [(100 * v) / h.total[i]!] : []));
  return shares.length === 0 ? '' : percentText(shares.reduce((a, b) => a + b, 0) / shares.length);
}

function pointsOf(h: History, cum: boolean, off: ReadonlySet<string>, state: State, sel: Selection, span: Span): ChartPoint[] {
  return h.functions.flatMap((f, tone) => {
    if (off.has(f.name)) return [];
    const values = cum ? f.cum : f.flat;
    return h.time.flatMap((time, i): ChartPoint[] => {
      const total = h.total[i]!;
      if (!(total > 0)) return [];
      const share = (100 * values[i]!) / total;
      const window = { from: Math.max(time, span.from), to: Math.min(time + h.step, span.to) };
      const to = { ...withSelection(state, window, { span: formatSpan(span), live: '' }), view: 'flame' as const, fn: f.name };
      const here = window.from >= sel.from && window.to <= sel.to && (sel.from > span.from || sel.to < span.to);
      return [{
        time: time + h.step / 2, value: share, group: f.name, tone: tone % TONES, selected: here, quiet: true,
        facts: [
          percentText(share), f.name, spanText(window),
          `${formatValue(values[i]!, h.unit)} of ${formatValue(total, h.unit)}, ${plural(h.profiles[i]!, 'profile')}`,
        ],
        href: href(to), onOpen: () => go(to),
      }];
    });
  });
}

/** A function to show, found among those of the selection. */
function Add({ known }: { known: readonly string[] }) {
  return (
    <Popover kind="quiet" icon="plus" label="Add a function" button="Function" class="sel-editor">
      {(close) => <Finder known={known} close={close} />}
    </Popover>
  );
}

function Finder({ known, close }: { known: readonly string[]; close: () => void }) {
  const s = shownState.value;
  const find = s.own.find ?? '';
  const q = new URLSearchParams({ profile: formatSelection(selected.value!), limit: '30' });
  if (find) q.set('find', patternOf(find));
  const loading = useReport<Top>('top', q);
  const rows = (loading.answer?.report.rows ?? []).filter((r) => !known.includes(r.function ?? r.name));
  const take = (name: string) => {
    close();
    const { find: _, ...own } = shownState.peek().own;
    go({ own: { ...own, fns: [...known, name].join('\n') } });
  };
  return (
    <div class="choice">
      <h2>Add a function</h2>
      <input
        class="find sel-text"
        type="search"
        aria-label="Find a function"
        placeholder="Find a function"
        value={find}
        spellcheck={false}
        onInput={(e) => setOwn('find', e.currentTarget.value, 'replace')}
        onKeyDown={(e) => e.key === 'Enter' && rows[0] && take(rows[0].function ?? rows[0].name)}
      />
      <div class="choice-list">
        {rows.map((r) => (
          <button key={r.name} type="button" class="choice-item" onClick={() => take(r.function ?? r.name)}>
            <span class="mono">{r.name}</span><span class="soft">{percentText(r.flat.percent)}</span>
          </button>
        ))}
        {!loading.stale && rows.length === 0 && <p class="soft">No function has that.</p>}
      </div>
    </div>
  );
}

/** A row for each window, a column for each function. */
function csvColumns(h: History): Column<number>[] {
  const column = (title: string, of: (i: number) => string): Column<number> => ({ id: title, title, cell: of, text: of });
  return [
    column('time', (i) => new Date(h.time[i]!).toISOString()), column('profiles', (i) => String(h.profiles[i])),
    column(`total ${h.unit}`, (i) => String(h.total[i])),
    ...h.functions.flatMap((f) => [column(`${f.name} flat`, (i) => String(f.flat[i])), column(`${f.name} cum`, (i) => String(f.cum[i]))]),
  ];
}
