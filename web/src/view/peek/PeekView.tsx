import { useMemo, useRef, useState } from 'preact/hooks';
import type { Call, Quantity, Tree, TreeRow } from '../../api/types';
import { columnFigures, type Figure } from '../../model/column';
import { exactly, patternOf } from '../../state/pattern';
import { useReport } from '../../state/report';
import { go, queryOf, setOwn, state as current } from '../../state/state';
import { Button, Empty, openFunctionMenu, ReportState } from '../parts';
import { Find } from '../table/Find';
import { count, percentText, plural, shareText, signedText, wayOf } from '../table/format';
import { FunctionName } from '../table/FunctionName';
import { selects } from '../table/names';
import { extend } from '../table/query';
import { useMarked } from '../table/useMarked';
import { useSearch } from '../table/useSearch';
import { NoSamples } from '../NoSamples';
import type { ViewProps } from '../props';
import { COSTS } from '../vocabulary';
import '../table/pane.css';
import './peek.css';

const STEP = 50; // blocks; each may have hundreds of rows

/** Callers and callees of all functions that match a pattern; without one, of those that cost most. */
export default function PeekView({ state }: ViewProps) {
  const match = state.own['match'] ?? (state.fn ? exactly(state.fn) : '');
  const box = useRef<HTMLElement>(null);
  const matches = useSearch(state, useMarked(box));
  const [more, setMore] = useState({ match, limit: STEP });
  const limit = more.match === match ? more.limit : STEP;
  const peek = useReport<Tree>('peek', extend(queryOf(state), { match: match ? patternOf(match) : '.', limit: String(limit) }));
  return (
    <section ref={box} class="pane" aria-label="Peek">
      <div class="pane-bar">
        <Find
          label="Functions that match a pattern"
          value={match}
          pattern
          onChange={(text) => setOwn('match', text)}
          error={match && peek.error?.param === 'match' ? peek.error.message : undefined}
        />
        {peek.answer && !peek.error && (
          <span class="soft num">{plural(peek.answer.rows ?? peek.answer.report.rows.length, 'function')}</span>
        )}
      </div>
      <ReportState
        loading={peek}
        empty={({ report }) => (report.rows.length > 0 ? undefined : match === '' ? <NoSamples /> : (
          <Empty title="No function matches"><p>Change the pattern above.</p></Empty>
        ))}
      >
        {({ report, rows }) => (
          <div class="pane-scroll peek" tabIndex={0} role="region" aria-label="Callers and callees">
            {report.rows.map((row, i) => <Block key={`${row.name}#${i}`} row={row} unit={report.unit} matches={matches} />)}
            {rows !== undefined && rows > report.rows.length && (
              <p class="peek-more">
                {count(report.rows.length)} of {count(rows)} functions{' '}
                <Button onClick={() => setMore({ match, limit: limit * 4 })}>Show more</Button>
              </p>
            )}
          </div>
        )}
      </ReportState>
    </section>
  );
}

/** Goes on to a function: the pattern is made from it again. */
function goTo(name: string): void {
  const { match: _, ...own } = current.value.own;
  go({ fn: name, own });
}

type Matches = ((name: string) => boolean) | null;

function Block({ row, unit, matches }: { row: TreeRow; unit: string; matches: Matches }) {
  const calls = [...row.callers, ...row.callees];
  const compared = current.value.base.length > 0; // then, values are changes
  const figure = useMemo(() => {
    const plain = columnFigures([row.flat, row.cum, ...calls.map((c) => c.weight)], unit);
    return (q: Figure) => signedText(plain(q), q.value, compared);
  }, [row, unit, compared]);
  const percent = ({ percent: p, value }: Quantity) => signedText(percentText(p), value, compared);
  const most = calls.reduce((m, c) => Math.max(m, Math.abs(c.share)), 0) || 1;
  return (
    <table class="peek-block">
      <caption class="visually-hidden">{row.name}</caption>
      <thead>
        <tr>
          <th scope="col">Value</th>
          <th scope="col" title={`Of the function’s ${compared ? 'change' : 'total'}`}>{compared ? 'Of its change' : 'Share'}</th>
          <th scope="col" class="text">Callers, the function, callees</th>
        </tr>
      </thead>
      <tbody class="peek-callers">
        {row.callers.map((call, i) => <CallRow key={i} call={call} way="from" figure={figure} most={most} matches={matches} />)}
        {row.callers.length === 0 && <tr><td colSpan={2} /><td class="text soft">no callers: stacks start here</td></tr>}
      </tbody>
      <tbody>
        <tr class={`peek-self${matches?.(row.name) ? ' marked' : ''}`}>
          <td title={COSTS.flat.about('function')}>{figure(row.flat)} <span class="soft">{COSTS.flat.title.toLowerCase()}</span></td>
          <td title={COSTS.cum.about('function')}>{figure(row.cum)} <span class="soft">{COSTS.cum.title.toLowerCase()}</span></td>
          <th scope="row" class="text">
            <button type="button" class="link-button" onClick={(e) => openFunctionMenu(selects(row), e.currentTarget)}>
              <FunctionName place={row} />
            </button>
            <span class="peek-of soft num" title="Of the profile’s total">
              {' '}self {percent(row.flat)}, total {percent(row.cum)}
            </span>
          </th>
        </tr>
      </tbody>
      <tbody>
        {row.callees.map((call, i) => <CallRow key={i} call={call} way="to" figure={figure} most={most} matches={matches} />)}
        {row.callees.length === 0 && <tr><td colSpan={2} /><td class="text soft">no callees in this profile</td></tr>}
      </tbody>
    </table>
  );
}

interface CallRowProps {
  call: Call;
  way: 'from' | 'to';
  figure: (q: Figure) => string;
  /** The largest share, whose bar fills its column. */
  most: number;
  matches: Matches;
}

function CallRow({ call, way: to, figure, most, matches }: CallRowProps) {
  const way = wayOf(call.weight.value, current.value.base.length > 0);
  return (
    <tr class={matches?.(call.name) ? 'marked' : ''}>
      <td class={way}>{figure(call.weight)}</td>
      <td
        class={`share${call.weight.value < 0 ? ' negative' : ''} ${way}`}
        style={{ '--share': `${(100 * Math.abs(call.share)) / most}%` }}
      >
        <span>{shareText(call.share)}</span>
      </td>
      <td class="text">
        <div class="peek-name">
          <span class="soft" aria-hidden="true">{to === 'from' ? '↘' : '↳'}</span>
          <button type="button" class="link-button" onClick={() => goTo(selects(call))}>
            <FunctionName place={call} />
          </button>
          {call.inline && <span class="badge">inlined</span>}
        </div>
      </td>
    </tr>
  );
}
