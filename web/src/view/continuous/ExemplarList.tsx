// The costliest profile of each time, with its costliest span: from a slow moment to what a request did then.

import { exemplars as askExemplars, type Exemplar, type Exemplars } from '../../api/endpoints';
import { formatRate, formatValue, rateOf } from '../../model/units';
import { useLasting } from '../../state/answer';
import { formatSpan, lengthText, timeText, zoneText, type Selection, type Span } from '../../state/selection';
import { go, href, setOwn, type State } from '../../state/state';
import { follow } from '../link';
import { Button, Empty, ReportState } from '../parts';
import { plural } from '../table/format';
import { Table, type Column } from '../table/Table';
import { TopFunction } from './TopFunction';

/** Chooses between all profiles, and the costliest one of each time. */
export function WhichProfiles({ costliest }: { costliest: boolean }) {
  return (
    <span class="segments" role="group" aria-label="Which profiles">
      <Button aria-pressed={!costliest} onClick={() => setOwn('measure', '', 'replace')}>All</Button>
      <Button aria-pressed={costliest} onClick={() => setOwn('measure', 'exemplars', 'replace')}>Costliest and their spans</Button>
    </span>
  );
}

export function ExemplarList({ state, sel, span }: { state: State; sel: Selection; span: Span }) {
  const time = sel.id ? span : { from: sel.from, to: sel.to };
  const params = { q: sel.q, ...time, sample_type: state.options.sample_index ?? sel.sampleType };
  const loading = useLasting<Exemplars>(`exemplars ${JSON.stringify(params)}`, (signal) => askExemplars(params, signal));
  const rows = loading.answer?.report.exemplars ?? [];
  const spans = rows.filter((e) => e.span).length;
  return (
    <section class="pane" aria-label="Profiles">
      <div class="pane-bar"><WhichProfiles costliest /></div>
      <ReportState
        loading={loading}
        empty={({ report }) => (report.exemplars.length > 0 ? undefined : (
          <Empty title="No profiles in this time" icon="clock"><p>Choose another time above.</p></Empty>
        ))}
      >
        {({ report }) => (
          <>
            <Table<Exemplar>
              label="Costliest profiles"
              columns={columnsOf(state, span)}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(e) => e.profile}
              onOpen={(e) => go(stateOf(state, e.span?.profile ?? e.profile, span))}
            />
            <div class="pane-facts">
              <span>{plural(rows.length, 'profile')}, the costliest of each {lengthText(report.step)}</span>
              {spans > 0
                ? <span class="pane-keys">Double-click or Enter opens the span</span>
                : <span>No sample has the label span_id of a trace</span>}
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

/** A profile, or a span of one, in the flame graph; the timeline stays. */
function stateOf(s: State, profile: string, span: Span): State {
  const { measure: _, order: __, find: ___, zoom: ____, live: _____, ...own } = s.own;
  return { ...s, view: 'flame', profile: [profile], base: [], own: { ...own, span: formatSpan(span) } };
}

/** Per second, where the profile has a duration. */
function valueText({ value, duration, type, unit }: Exemplar): string {
  if (duration <= 0) return formatValue(value, unit);
  return formatRate(value / (duration / 1e9), unit, 'minimum', rateOf({ type, unit, perSecond: true }));
}

function columnsOf(state: State, span: Span): Column<Exemplar>[] {
  const label = (name: string, from: number): Column<Exemplar> => ({
    id: name, title: name, width: 'minmax(5rem, 9rem)', from, cell: (e) => <span class="cut">{e.labels[name] ?? ''}</span>,
    text: (e) => e.labels[name] ?? '',
  });
  const link = (profile: string, text: string, title?: string) => {
    const to = stateOf(state, profile, span);
    return <a class="record-link cut" title={title} href={href(to)} onClick={follow(() => go(to))}>{text}</a>;
  };
  return [
    {
      id: 'time', title: `Began, ${zoneText(span.to)}`, width: '9rem', cell: (e) => link(e.profile, timeText(e.time, true)),
      text: (e) => new Date(e.time).toISOString(),
    },
    { id: 'value', title: 'Cost', about: 'Per second', width: '7rem', align: 'right', cell: valueText, text: (e) => String(e.value) },
    {
      id: 'span', title: 'Costliest span', about: 'Of a trace: leads to its flame graph',
      cell: (e) => (e.span
        ? link(e.span.profile, `${e.span.name || e.span.id}, ${formatValue(e.span.value, e.unit)}`, `span ${e.span.id}`)
        : <span class="soft">none</span>),
      text: (e) => e.span?.id ?? '',
    },
    {
      id: 'top', title: 'Top function', width: 'minmax(9rem, 1.6fr)', from: 40,
      cell: (e) => <TopFunction profile={e.profile} type={e.type} />,
    },
    label('instance', 52), label('version', 60),
  ];
}
