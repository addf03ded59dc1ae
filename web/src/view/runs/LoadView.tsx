// A load, or two: its course, how response times are distributed, what failed and
// what a request cost.

import './load.css';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LoadSide, LoadTimes, LoadWindow } from '../../api/runs';
import { ticks } from '../../layout/axis';
import {
  answered, answeredLate, byPeriod, curveLine, evened, levels, perSecond, pointAt, quantileText, quantileTicks, rarity, seconds, spans,
  windowAt,
} from '../../model/load';
import { flagOn } from '../../state/options';
import { profileState, setRuns, type RunsState } from '../../state/runs';
import { go, href, type State } from '../../state/state';
import { LineChart, LineLegend, type ChartBands, type ChartLine } from '../chart/LineChart';
import { follow } from '../link';
import { Button, CommandText } from '../parts';
import { figureText } from '../../api/figures';
import { count, percentText, shareText } from '../table/format';
import { Contents, Tiles } from './LoadTiles';
import { asked, costs, costText, goalLines, rateText, timeText, type ShownLoad } from './loadWords';
import { AllLinks, type ProfilePair } from './ProfileLinks';
import { axisText } from './TrendPage';

interface LoadViewProps {
  state: RunsState;
  loads: readonly ShownLoad[];
  profiles: readonly ProfilePair[];
}

const axisTime = (ns: number) => axisText(seconds(ns), 'sec');

/** The look of a load's lines: of two, the base is the second colour and dashed. */
const look = (loads: readonly ShownLoad[], i: number) => (loads.length > 1 && i === 0 ? 'tone-1 line-second' : 'tone-0');
const named = (l: ShownLoad, text: string) => (l.name ? `${l.name}: ${text}` : text);

export function LoadView({ state, loads, profiles }: LoadViewProps) {
  const log = state.scale !== 'linear';
  const [at, setAt] = useState(-1);
  const [over, setOver] = useState(-1);
  const failed = loads.some((l) => l.side.failed > 0);
  return (
    <div class="pane-scroll load" role="group" aria-label="Load" tabIndex={-1}>
      {loads.map((l) => <Summary key={l.name} load={l} />)}
      <Tiles loads={loads} />
      <div class="load-bar">
        <span class="soft">Times</span>
        <span class="segments" role="group" aria-label="Time axis">
          <Button aria-pressed={log} onClick={() => setRuns({ scale: '' })}>Log</Button>
          <Button aria-pressed={!log} onClick={() => setRuns({ scale: 'linear' })}>Linear</Button>
        </span>
        <Contents failed={failed} />
      </div>
      <div class="load-charts">
        <Course loads={loads} of="rate" log={false} at={at} onAt={setAt} />
        <Course loads={loads} of="time" log={log} at={at} onAt={setAt} />
        <Curve loads={loads} log={log} at={over} onAt={setOver} />
        <Section title="Quantiles">
          <Times loads={loads} />
        </Section>
        {failed && <Section title="Failures"><Failures loads={loads} /></Section>}
        <Section title="A request costs"><Costs loads={loads} profiles={profiles} /></Section>
      </div>
      <Section title="Profiled under the same load"><AllLinks of={profiles} unit="cpu-sec/op" load /></Section>
    </div>
  );
}

interface SectionProps {
  title: string;
  legend?: readonly ChartLine[];
  bands?: readonly ChartBands[];
  children: ComponentChildren;
}

function Section({ title, legend, bands, children }: SectionProps) {
  return (
    <section class="load-section" aria-label={title} tabIndex={-1}>
      <header><h2>{title}</h2>{legend && <LineLegend lines={legend} bands={bands ?? []} />}</header>
      {children}
    </section>
  );
}

/** How many silences are shown. */
const SILENCES = 5;

/** The share of late answers up to which they are nothing to worry about. */
const FEW = 0.01;

/** What came of a load, in a line; the goals. Whatever else speaks against it is a warning of the run. */
function Summary({ load }: { load: ShownLoad }) {
  const { side: s } = load;
  const all = asked(load);
  const facts = [
    `${count(s.succeeded - (s.overdue ?? 0))} answered in ${timeText(s.period || s.elapsed)}: ${rateText(s.rate)}`
      + (s.asked > 0 ? ` of ${rateText(s.asked)}` : ''),
    ...(s.connections ? [`${count(s.connections)} connection${s.connections === 1 ? '' : 's'}`] : []),
    ...(s.streams ? [`${count(s.streams)} stream${s.streams === 1 ? '' : 's'} at once`] : []),
    ...(s.redirected ? [`${count(s.redirected)} redirection${s.redirected === 1 ? '' : 's'} followed`] : []),
    ...(s.failed > 0 ? [`${count(s.failed)} failed, ${percentText((100 * s.failed) / all)}`] : ['none failed']),
    ...(s.late > 0 ? [`${count(s.late)} sent late`] : []),
    ...(s.waited > 0 ? [`${count(s.waited)} waited for a connection`] : []),
  ];
  return (
    <div class="load-summary">
      <p>{load.name && <b>{load.name} </b>}{facts.join(' · ')}</p>
      {!!s.overdue && (
        <p class={s.overdue > FEW * all ? 'load-wrong' : 'soft'}>
          {count(s.overdue)} answered after their period ended: not counted in the rate
        </p>
      )}
      {s.stopped && <p class="load-wrong">stopped: {s.stopped}</p>}
      {(s.silences ?? []).slice(0, SILENCES).map((q) => (
        <p key={q.start} class="load-wrong">
          no answer for {timeText(q.end - q.start)}, from {timeText(q.start)} on, while {count(q.due)} requests were due
        </p>
      ))}
      {(s.goals ?? []).map((g) => (
        <p key={g.text} class={g.met ? 'load-met' : 'load-wrong'}><code>{g.text}</code> {g.met ? '✓ met' : '✗ missed'}</p>
      ))}
    </div>
  );
}

interface ChartProps {
  loads: readonly ShownLoad[];
  log: boolean;
  at: number;
  onAt: (stop: number) => void;
}

/** Throughput or response times over the time of the load. Both have one cursor. */
function Course({ loads, of, log, at, onAt }: ChartProps & { of: 'rate' | 'time' }) {
  const head = loads.at(-1)!.side;
  const lines = useMemo(() => (of === 'rate' ? rateLines(loads) : timeLines(loads)), [loads, of]);
  const stops = useMemo(() => {
    const longest = loads.reduce((a, b) => ((b.side.windows ?? []).length > (a.side.windows ?? []).length ? b : a));
    return evened(longest.side, longest.side.windows ?? []).map((w) => (seconds(w.start) + seconds(w.end)) / 2);
  }, [loads]);
  const end = Math.max(1e-3, ...loads.map((l) => seconds((l.side.windows ?? []).at(-1)?.end ?? 0)));
  const title = of === 'rate' ? 'Throughput' : 'Response times';
  const bands = useMemo(() => (of === 'rate' ? rateBands(loads) : []), [loads, of]);
  const limits = useMemo(() => goalLines(loads), [loads]);
  const borders = (head.periods ?? []).slice(1).map((p) => seconds(p.start));
  return (
    <Section title={title} legend={lines} bands={bands}>
      <LineChart
        label={`${title} over time`}
        lines={lines}
        bands={bands}
        from={0}
        to={end}
        feet={ticks(0, end, 8).map((t) => ({ at: t, text: axisText(t, 'sec') }))}
        log={log}
        format={of === 'rate' ? (v) => figureText(String(Number(v.toPrecision(4)))) : axisTime}
        stops={stops}
        at={at}
        onAt={onAt}
        borders={borders.length > 30 ? [] : borders}
        limits={of === 'time' ? limits : []}
        facts={(i) => courseFacts(loads, stops[i]!)}
      />
    </Section>
  );
}

function rateLines(loads: readonly ShownLoad[]): ChartLine[] {
  const lines: ChartLine[] = [];
  const head = loads.at(-1)!;
  const periods = loads.map((l) => byPeriod(l.side).map((windows) => evened(l.side, windows)));
  // Two that were asked the same have one line for it, but for what the end of a period adds.
  const rest = loads.filter((l) => Math.abs(l.side.asked - head.side.asked) > 0.01 * head.side.asked);
  for (const l of [...rest, head]) {
    if (l.side.asked === 0) continue;
    const name = rest.length > 0 ? named(l, 'asked') : 'asked';
    lines.push({ name, look: 'line-asked', parts: levels(periods[loads.indexOf(l)]!, (w) => w.asked) });
  }
  loads.forEach((l, i) => {
    lines.push({ name: named(l, 'answered'), look: look(loads, i), parts: levels(periods[i]!, answered) });
  });
  loads.forEach((l, i) => {
    if (l.side.failed === 0) return;
    const kind = loads.length > 1 && i === 0 ? 'line-failed line-second' : 'line-failed';
    // Many that were due before may fail at once: they were asked for at no higher rate.
    const most = l.side.asked > 0 ? Math.max(...periods[i]!.flat().map((w) => w.asked)) : Infinity;
    lines.push({ name: named(l, 'failed'), look: kind, parts: levels(periods[i]!, (w) => Math.min(most, perSecond(w.failed, w))) });
  });
  return lines;
}

/** When nobody was answered, and when those were who had waited since before. */
function rateBands(loads: readonly ShownLoad[]): ChartBands[] {
  return loads.flatMap((l) => [
    {
      name: named(l, 'no answer'), look: 'band-silent',
      spans: (l.side.silences ?? []).map((q) => ({ from: seconds(q.start), to: seconds(q.end) })),
    },
    {
      name: named(l, 'late answers'), look: 'band-late',
      spans: spans(byPeriod(l.side).flatMap((p) => evened(l.side, p)), (w) => answeredLate(w) > 0),
    },
  ].filter((b) => b.spans.length > 0));
}

function timeLines(loads: readonly ShownLoad[]): ChartLine[] {
  return loads.flatMap((l, i) => {
    const periods = byPeriod(l.side);
    const tone = loads.length > 1 && i === 0 ? 'tone-1' : 'tone-0';
    const lines: ChartLine[] = [
      { name: named(l, 'p99'), look: tone, parts: levels(periods, (w) => w.p99) },
      { name: named(l, 'p50'), look: `${tone} line-thin`, parts: levels(periods, (w) => w.p50) },
    ];
    const failed = (w: LoadWindow) => w.p99 === null && w.failed > 0;
    if ((l.side.windows ?? []).some(failed)) {
      lines.push({ name: named(l, 'p99 failed'), look: 'line-failed', parts: levels(periods, (w) => (failed(w) ? Infinity : null)) });
    }
    return lines;
  });
}

function courseFacts(loads: readonly ShownLoad[], second: number): string[] {
  const facts: string[] = [];
  for (const l of loads) {
    const w = windowAt(evened(l.side, l.side.windows ?? []), second);
    if (!w) continue;
    if (facts.length === 0) facts.push(`${axisText(Number(seconds(w.start).toFixed(1)), 'sec')} to ${seconds(w.end).toFixed(1)}s`);
    const of = w.asked > 0 ? ` of ${rateText(w.asked)}` : '';
    const late = answeredLate(w);
    facts.push(
      named(l, `${rateText(answered(w))} answered${of}${late > 0 ? `, ${count(late)} late answers` : ''}`),
      `${w.failed > 0 ? `${count(w.failed)} failed, ` : ''}p50 ${windowTime(w.p50, w.failed)}, p99 ${windowTime(w.p99, w.failed)}`
      + `, max ${timeText(w.max)}${(w.late ?? 0) > 0 ? `, ${count(w.late!)} late` : ''}`,
    );
  }
  return facts;
}

const windowTime = (ns: number | null, failed: number) => (ns === null && failed > 0 ? 'failed' : timeText(ns));

/** Quantiles on a scale of 1/(1-q). */
function Curve({ loads, log, at, onAt }: ChartProps) {
  const most = Math.max(2, ...loads.map(asked));
  const lines = useMemo(() => curveLines(loads), [loads]);
  const stops = useMemo(() => {
    const longest = loads.map((l) => l.side.response.curve ?? []).reduce((a, b) => (b.length > a.length ? b : a));
    return longest.map((p) => p.q);
  }, [loads]);
  // A failed request is slower than any: there the curve ends.
  const marks = loads.flatMap((l) => (l.side.failed > 0 && l.side.succeeded > 0
    ? [{ at: rarity(1 - l.side.failed / asked(l), most), text: named(l, `${percentText((100 * l.side.failed) / asked(l))} failed`) }]
    : []));
  if (stops.length === 0) return <Section title="Quantiles of response times"><p class="soft">No request succeeded.</p></Section>;
  return (
    <Section title="Quantiles of response times" legend={lines}>
      <LineChart
        label="Quantiles of response times"
        lines={lines}
        from={0}
        to={rarity(1, most)}
        feet={quantileTicks(most)}
        log={log}
        format={axisTime}
        stops={stops.map((q) => rarity(q, most))}
        at={at}
        onAt={onAt}
        marks={loads.length === 1 ? marks : []}
        facts={(i) => curveFacts(loads, stops[i]!)}
      />
    </Section>
  );
}

function curveLines(loads: readonly ShownLoad[]): ChartLine[] {
  return loads.flatMap((l, i) => {
    const n = asked(l);
    const response = { name: named(l, 'response'), look: look(loads, i), parts: [curveLine(l.side.response.curve ?? [], n)] };
    // From when it was sent: beside another load that would be a line too many.
    return loads.length > 1
      ? [response]
      : [response, { name: 'service', look: 'tone-0 line-thin', parts: [curveLine(l.side.service.curve ?? [], n)] }];
  });
}

function curveFacts(loads: readonly ShownLoad[], q: number): string[] {
  const share = q === 1 ? 'The slowest request' : `${quantileText(q)} of the requests`;
  return [share, ...loads.map((l) => {
    const p = pointAt(l.side.response.curve ?? [], q);
    const service = loads.length > 1 ? undefined : pointAt(l.side.service.curve ?? [], q);
    const beside = service ? `, service ${timeText(service.time)}` : '';
    return named(l, p ? `${q === 1 ? '' : 'at most '}${timeText(p.time)}${beside}` : 'failed');
  })];
}

const QUANTILES = ['p50', 'p90', 'p99', 'p99.9', 'p99.99', 'max'] as const;

function Times({ loads }: { loads: readonly ShownLoad[] }) {
  const rows = (name: string, of: (s: LoadSide) => LoadTimes) =>
    loads.map((l) => ({ name: l.name ? `${l.name}, ${name}` : name, times: of(l.side), failed: l.side.failed }));
  return (
    <div class="load-wide" tabIndex={0} role="group" aria-label="Table of quantiles">
      <table class="load-table">
        <thead><tr><th scope="col">Time</th>{QUANTILES.map((q) => <th key={q} scope="col">{q}</th>)}</tr></thead>
        <tbody>
          {[...rows('response', (s) => s.response), ...rows('service', (s) => s.service)].map((r) => (
            <tr key={r.name}>
              <th scope="row">{r.name}</th>
              {QUANTILES.map((q) => <td key={q}>{r.times[q] === null && r.failed > 0 ? 'failed' : timeText(r.times[q])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">
        Response counts from when a request was due, service from when it was sent. Failed requests count as the slowest.
      </p>
    </div>
  );
}

function Failures({ loads }: { loads: readonly ShownLoad[] }) {
  const classes = new Map<string, { counts: number[]; samples: string[] }>();
  loads.forEach((l, i) => (l.side.failures ?? []).forEach((f) => {
    const of = classes.get(f.name) ?? { counts: loads.map(() => 0), samples: [] };
    of.counts[i]! += f.count;
    of.samples.push(...(f.samples ?? []).filter((s) => !of.samples.includes(s)));
    classes.set(f.name, of);
  }));
  if (classes.size === 0) return <p class="soft">No failed requests.</p>;
  return (
    <table class="load-table load-failures">
      <thead>
        <tr><th scope="col">Class</th>{loads.map((l) => <th key={l.name} scope="col">{l.name || 'Requests'}</th>)}</tr>
      </thead>
      <tbody>
        {[...classes].map(([name, { counts, samples }]) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {samples.map((s) => <span key={s} class="load-sample">{s}</span>)}
            </th>
            {counts.map((n, i) => (
              <td key={i}>{count(n)}<span class="soft"> {percentText((100 * n) / Math.max(1, asked(loads[i]!)))}</span></td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const sources: Record<string, string> = { memory: 'the runtime', process: 'the kernel' };

function Costs({ loads, profiles }: { loads: readonly ShownLoad[]; profiles: readonly ProfilePair[] }) {
  const units = [...new Set(loads.flatMap((l) => (l.side.costs ?? []).map((c) => c.unit)))];
  if (units.length === 0) {
    return <p class="soft">Not measured. <code><CommandText text="hone load -pprof HOST:PORT" /></code> gets it from the service.</p>;
  }
  const cost = (l: ShownLoad, unit: string) => l.side.costs?.find((c) => c.unit === unit);
  return (
    <>
      <table class="load-table">
        <thead>
          <tr>
            <th scope="col">Cost</th>
            {loads.map((l) => <th key={l.name} scope="col">{l.name || 'Per request'}</th>)}
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {units.map((unit) => {
            const kind = loads.map((l) => cost(l, unit)?.kind).find(Boolean) ?? '';
            return (
              <tr key={unit}>
                <th scope="row">{costs[unit]?.name ?? unit}</th>
                {loads.map((l) => <td key={l.name}>{costText(unit, cost(l, unit)?.value)}</td>)}
                <td class="soft">{sources[kind] ?? `the ${kind} profile`}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {loads.map((l) => <Hottest key={l.name} load={l} base={loads.length > 1 && l === loads[0]} profiles={profiles} />)}
    </>
  );
}

/** Where the CPU time goes. */
function Hottest({ load: { name, side }, base, profiles }: { load: ShownLoad; base: boolean; profiles: readonly ProfilePair[] }) {
  const hot = side.hottest ?? [];
  const pair = profiles.find((p) => p.kind === 'cpu');
  const profile = base ? pair?.base : pair?.profile;
  if (hot.length === 0 && side.gc_share === undefined) return null;
  // The names are those of your code with what it calls.
  const there = (id: string, fn: string): State => (
    { ...profileState('sandwich', id, undefined, ''), fn, options: { mine: flagOn('mine') } }
  );
  return (
    <table class="load-table">
      <caption>
        {name && `${name}: `}CPU time by function
        {side.gc_share !== undefined && `, ${percentText(100 * side.gc_share)} in garbage collection`}
      </caption>
      <thead class="visually-hidden"><tr><th scope="col">Function</th><th scope="col">Share</th></tr></thead>
      <tbody>
        {hot.map((h) => (
          <tr key={h.function}>
            <th scope="row" class="mono">
              {profile === undefined ? h.function : (
                <a href={href(there(profile, h.function))} onClick={follow(() => go(there(profile, h.function)))}>{h.function}</a>
              )}
            </th>
            <td>{shareText(100 * h.share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
