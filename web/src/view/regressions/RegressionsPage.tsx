// What costs more in production than before, the costliest first.

import '../table/pane.css';
import './regressions.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { acknowledge, regressions as ask, takeBack, type Regression, type Regressions } from '../../api/regressions';
import { useLasting } from '../../state/answer';
import type { PageState } from '../../state/pages';
import { finder } from '../../state/pattern';
import { askSummary } from '../../state/regressions';
import { go } from '../../state/state';
import { Button, ReportState, tip, toast, useKeys } from '../parts';
import type { PageProps } from '../props';
import { plural } from '../table/format';
import { Card } from './Card';
import { FilterBar } from './FilterBar';
import { Looked, Nothing } from './Nothing';
import { comparisonOf, counts, listed, ordered, weights } from './order';

const EVERY = 60_000; // ms
const STEP = 100; // cards at first, and how many more at once

export default function RegressionsPage({ state }: PageProps<PageState>) {
  const [round, setRound] = useState(0);
  const again = () => setRound((n) => n + 1);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && again(), EVERY);
    return () => clearInterval(timer);
  }, []);
  const loading = useLasting<Regressions>(`regressions ${round}`, (signal) => ask('', signal));
  const all = loading.answer?.report.regressions ?? [];
  const of = useMemo(() => weights(all), [all]);
  const latest = state.order === 'latest';
  const rows = useMemo(
    () => listed(ordered(all, latest, of), state, finder(state.find)),
    [all, state.order, state.service, state.kind, state.state, state.id, state.find],
  );
  const [most, setMost] = useState(STEP);
  const shown = rows.slice(0, Math.max(most, rows.findIndex((r) => r.id === state.id) + 1));
  const change = async (what: Promise<void>, done: string) => {
    try {
      await what;
      toast(done);
    } catch (err) {
      toast(err instanceof Error ? err.message : String(err), 'error');
    }
    again();
    void askSummary();
  };
  const openAgain = (r: Regression) => void change(takeBack(r.id), 'Open again');
  const { list, current, setCurrent, asking, setAsking } = useWalk(shown, (r) => go(comparisonOf(r, all)), openAgain);
  return (
    <section class="pane regressions" aria-label="Regressions">
      <FilterBar state={state} all={all} rows={rows} counts={counts(all, state)} />
      <ReportState loading={loading} empty={() => (rows.length === 0 ? <Nothing state={state} all={all} /> : undefined)}>
        {() => (
          <>
            <div class="pane-scroll" tabIndex={0} role="region" aria-label="List of regressions">
              <div class="regression-columns" aria-hidden="true">
                <span>Regression</span><span>Growth</span><span>Cost</span>
                <span {...tip('The growth, as a share of what the service spends')}>Of the service</span>
                <span {...tip('The growth, as a share of what services with such a regression spend; waiting beside their CPU')}>
                  Of these services{latest ? '' : ' ▾'}
                </span>
              </div>
              <ol ref={list} class="regression-list">
                {shown.map((r) => (
                  <Card
                    key={r.id}
                    regression={r}
                    all={all}
                    weight={of.get(r.id)!}
                    asked={r.id === state.id}
                    current={r.id === current}
                    onFocus={() => setCurrent(r.id)}
                    asking={r.id === asking}
                    onAsk={(open) => setAsking(open ? r.id : '')}
                    onAcknowledge={(reason) => void change(acknowledge(r.id, reason), 'Acknowledged')}
                    onTakeBack={() => openAgain(r)}
                  />
                ))}
              </ol>
              {rows.length > shown.length && (
                <p class="regression-rest">
                  <Button onClick={() => setMost(shown.length + STEP)}>Show {Math.min(STEP, rows.length - shown.length)} more</Button>
                </p>
              )}
            </div>
            <div class="pane-facts">
              <span>{plural(rows.length, 'regression')}, {latest ? 'latest' : 'costliest'} first</span>
              <Looked />
            </div>
          </>
        )}
      </ReportState>
    </section>
  );
}

/** The keys of the list. They move the focus from card to card, and act on the one that has it. */
function useWalk(rows: readonly Regression[], onOpen: (r: Regression) => void, onTakeBack: (r: Regression) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [now, setCurrent] = useState('');
  const [asking, setAsking] = useState('');
  const at = Math.max(0, rows.findIndex((r) => r.id === now));
  const focused = () => list.current?.contains(document.activeElement) ?? false;
  const walk = (to: number) => {
    const cards = list.current?.querySelectorAll<HTMLElement>('.regression');
    const card = cards?.[Math.max(0, Math.min(cards.length - 1, to))];
    if (!card) return false;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: 'nearest' });
  };
  const act = (what: (r: Regression) => void | false) => () => {
    const r = rows[at];
    return r && focused() ? what(r) : false;
  };
  useKeys('Regressions', [
    { keys: 'ArrowDown|j', label: 'Next', run: () => walk(focused() ? at + 1 : at) },
    { keys: 'ArrowUp|k', label: 'Previous', run: () => walk(focused() ? at - 1 : at) },
    { keys: 'Home', label: 'First', run: () => walk(0) },
    { keys: 'End', label: 'Last', run: () => walk(rows.length - 1) },
    { keys: 'Enter', label: 'Compare before and after', run: act(onOpen) },
    {
      keys: 'a', label: 'Acknowledge, or take that back',
      run: act((r) => {
        if (r.state === 'open') setAsking(r.id);
        else if (r.state === 'acknowledged') onTakeBack(r);
        else return false;
      }),
    },
  ]);
  return { list, current: rows[at]?.id ?? '', setCurrent, asking, setAsking };
}
