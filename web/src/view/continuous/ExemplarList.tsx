// The costliest profile of each time, with its costliest span: from a slow moment to what a request did then.

import { exemplars as askExemplars, type Exemplar, type Exemplars } from '../../api/endpoints';
import { columnFigures } from '../../model/column';
import { formatRate, formatValue, rateOf } from '../../model/units';
import { useLasting } from '../../state/answer';
import { formatSpan, lengthText, timeText, zoneText, type Selection, type Span } from '../../state/selection';
import { go, href, setOwn, type State } from '../../state/state';
import { follow } from '../link';
import { Button, Empty, ReportState } from '../parts';
import { plural } from '../table/format';
import { orderText, parseOrder, sorted } from '../table/order';
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
  const all = loading.answer?.report.exemplars ?? [];
  const spans = all.filter((e) => e.span).length;
  const order = parseOrder(state.own.order ?? '') ?? { column: 'value', descending: true };
  const rows = sorted(all, order.column === 'time' ? (e) => e.time : rateIn, order.descending);
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
              columns={columnsOf(rows, state, span)}
              count={rows.length}
              row={(i) => rows[i]}
              rowKey={(e) => e.profile}
              order={order}
              onOrder={(column) => setOwn(
                'order', orderText({ column, descending: order.column !== column || !order.descending }), 'replace',
              )}
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
const rateIn = ({ value, duration }: Exemplar): number => (duration > 0 ? value / (duration / 1e9) : value);

function valueText(e: Exemplar): string {
  if (e.duration <= 0) return formatValue(e.value, e.unit);
  return formatRate(rateIn(e), e.unit, 'minimum', rateOf({ ...e, perSecond: true }));
}

function columnsOf(rows: readonly Exemplar[], state: State, span: Span): Column<Exemplar>[] {
  const printed = (e: Exemplar) => ({ value: rateIn(e), text: valueText(e) });
  const figure = columnFigures(rows.map(printed), rows[0]?.unit ?? '');
  const label = (name: string, from: number): Column<Exemplar> => ({
    id: name, title: name, width: 'minmax(5rem, 9rem)', from, cell: (e) => <span class="cut">{e.labels[name] ?? ''}</span>,
    text: (e) => e.labels[name] ?? '',
  });
  const link = (profile: string, text: string, title?: string) => {
    const to = stateOf(state, profile, span);
    return <a class="record-link cut" title={title} href={href(to)} onClick={follow(() => go(to))}>{text}</a>;
  };
  const spanColumn: Column<Exemplar> = {
    id: 'span', title: 'Costliest span', about: 'Of a trace: leads to its flame graph',
    cell: (e) => (e.span
      ? link(e.span.profile, `${e.span.name || e.span.id}, ${formatValue(e.span.value, e.unit)}`, `span ${e.span.id}`)
      : <span class="soft">none</span>),
    text: (e) => e.span?.id ?? '',
  };
  return [
    {
      id: 'time', title: `Began, ${zoneText(span.to)}`, order: 'descending', width: '9rem',
      cell: (e) => link(e.profile, timeText(e.time, true)), text: (e) => new Date(e.time).toISOString(),
    },
    {
      id: 'value', title: 'Cost', about: 'Per second', order: 'descending', width: '7rem', align: 'right', cell: (e) => figure(printed(e)),
      text: (e) => String(e.value),
    },
    ...(rows.some((e) => e.span) ? [spanColumn] : []),
    {
      id: 'top', title: 'Top function', width: 'minmax(9rem, 1.6fr)', ...(rows.some((e) => e.span) && { from: 40 }),
      cell: (e) => <TopFunction profile={e.profile} type={e.type} />,
    },
    label('instance', 52), label('version', 60),
  ];
}
