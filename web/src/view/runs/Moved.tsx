// Which functions moved a benchmark, per operation: what they do themselves adds up to its change.

import type { Bounded, Explanation, Moved as Row } from '../../api/runs';
import { boundsText, valueText } from '../../model/quantity';
import { FunctionName } from '../table/FunctionName';

/** Functions shown; what is smaller is one line. */
const ROWS = 12;
const CALLERS = 5;
/** Characters of a name. */
const CHARS = 72;

export function Moved({ explanation: e }: { explanation: Explanation }) {
  const shown = e.functions.slice(0, ROWS);
  const smaller = e.functions.slice(ROWS);
  const sum = smaller.reduce((total, f) => total + (f.ownChange?.value ?? 0), 0);
  const callers = e.callers.slice(0, CALLERS);
  return (
    <>
      {shown.length > 0 && (
        <table class="runs-moved">
          <caption class="visually-hidden">What moved it, in {e.unit}; the first column adds up</caption>
          <thead>
            <tr><th>Own</th><th class="wide">95 % interval</th><th class="wide">With callees</th><th>What moved it</th></tr>
          </thead>
          <tbody>
            {shown.map((f) => <FunctionRow key={`${f.name} ${f.file ?? ''}`} row={f} change={f.ownChange} unit={e.unit} />)}
            {smaller.length > 0 && <SumRow value={sum} unit={e.unit} text={counted(smaller.length, 'smaller change')} />}
            {e.others && (
              <SumRow value={e.others.ownChange.value} bounds={e.others.ownChange} unit={e.unit}
                text={`${counted(e.others.functions, 'function')} within their noise`} />
            )}
            {e.remainder && <SumRow value={e.remainder.value} unit={e.unit} text={`the rest: ${e.remainder.why}`} />}
          </tbody>
          <tfoot><SumRow value={e.change.value} bounds={e.change} unit={e.unit} text="the change" /></tfoot>
        </table>
      )}
      {callers.length > 0 && (
        <table class="runs-moved">
          <caption>With callees: one is within another, so these do not add up</caption>
          <thead class="visually-hidden">
            <tr><th>Change</th><th class="wide">95 % interval</th><th class="wide">Before and after</th><th>Function</th></tr>
          </thead>
          <tbody>
            {callers.map((f) => <FunctionRow key={`${f.name} ${f.file ?? ''}`} row={f} change={f.cumChange} unit={e.unit} />)}
          </tbody>
        </table>
      )}
      {e.tooFewSamples && <p class="soft">{e.tooFewSamples.text}</p>}
    </>
  );
}

function FunctionRow({ row: f, change, unit }: { row: Row; change: Bounded | undefined; unit: string }) {
  return (
    <tr>
      <Change value={change?.value ?? 0} unit={unit} />
      <td class="soft wide">{change && boundsText(change, unit)}</td>
      <td class="soft wide">{plain(f.baseCum, unit)} → {plain(f.headCum, unit)}</td>
      <td>
        <FunctionName place={{ name: f.name, function: f.name }} chars={CHARS} />
        {f.baseCum === 0 && <span class="badge more">new</span>}{f.headCum === 0 && <span class="badge less">gone</span>}
      </td>
    </tr>
  );
}

function SumRow({ value, bounds, unit, text }: { value: number; bounds?: Bounded; unit: string; text: string }) {
  return (
    <tr>
      <Change value={value} unit={unit} />
      <td class="soft wide">{bounds && boundsText(bounds, unit)}</td>
      <td class="wide" />
      <td class="soft">{text}</td>
    </tr>
  );
}

function Change({ value: v, unit }: { value: number; unit: string }) {
  return (
    <td class={v > 0 ? 'more' : v < 0 ? 'less' : 'soft'}>
      {v === 0 ? '0' : `${v > 0 ? '+' : '-'}${valueText(Math.abs(v), unit)}`}
    </td>
  );
}

const plain = (v: number, unit: string) => (v === 0 ? '0' : valueText(v, unit));
const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
