// Which functions moved a benchmark, per operation: yours with what they call, then what all did themselves, which adds up to its change.

import type { Bounded, Explanation, Moved as Row } from '../../api/runs';
import { changeText, intervalText, plainText, scaleOf, withUnit, type Scale } from '../../model/quantity';
import { FunctionName } from '../table/FunctionName';
import { COSTS } from '../vocabulary';
import { CALLERS, yoursOf } from './movedRows';

/** Functions shown; what is smaller is one line. */
const ROWS = 12;
/** Characters of a name. */
const CHARS = 72;

export function Moved({ explanation: e }: { explanation: Explanation }) {
  const shown = e.functions.slice(0, ROWS);
  const smaller = e.functions.slice(ROWS);
  const sum = smaller.reduce((total, f) => total + (f.ownChange?.value ?? 0), 0);
  const yours = yoursOf(e);
  const callers = yours.length > 0 ? [] : e.callers.slice(0, CALLERS);
  const largest = e.functions.reduce((most, f) => Math.max(most, Math.abs(f.ownChange?.value ?? 0)), Math.abs(e.change.value));
  const scale = scaleOf(largest, e.unit);
  return (
    <>
      {yours.length > 0 && <WithCallees rows={yours} scale={scale} title="Your functions, with what they call" />}
      {shown.length > 0 && (
        <table class="runs-moved">
          <caption>All functions, without what they call: the first column adds up to the change</caption>
          <thead>
            <tr>
              <th title={COSTS.flat.about('function')}>{COSTS.flat.title}</th><th class="wide">95 % interval</th>
              <th class="wide" title={COSTS.cum.about('function')}>{COSTS.cum.title}</th><th>Function</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((f) => <FunctionRow key={`${f.name} ${f.file ?? ''}`} row={f} change={f.ownChange} scale={scale} />)}
            {smaller.length > 0 && <SumRow value={sum} scale={scale} text={counted(smaller.length, 'smaller change')} />}
            {e.others && (
              <SumRow value={e.others.ownChange.value} bounds={e.others.ownChange} scale={scale}
                text={`${counted(e.others.functions, 'function')} within their noise`} />
            )}
            {e.remainder && <SumRow value={e.remainder.value} scale={scale} text={`the rest: ${e.remainder.why}`} />}
          </tbody>
          <tfoot><SumRow value={e.change.value} bounds={e.change} scale={scale} text="the change" /></tfoot>
        </table>
      )}
      {callers.length > 0 && <WithCallees rows={callers} scale={scale} title="With what they call" />}
      {e.tooFewSamples && <p class="soft">{e.tooFewSamples.text}</p>}
    </>
  );
}

/** The change of functions with their callees. */
function WithCallees({ rows, scale, title }: { rows: readonly Row[]; scale: Scale; title: string }) {
  return (
    <table class="runs-moved">
      <caption>{title}: one may call another, so these don’t add up</caption>
      <thead class="visually-hidden">
        <tr><th>Change</th><th class="wide">95 % interval</th><th class="wide">Before and after</th><th>Function</th></tr>
      </thead>
      <tbody>{rows.map((f) => <FunctionRow key={`${f.name} ${f.file ?? ''}`} row={f} change={f.cumChange} scale={scale} />)}</tbody>
    </table>
  );
}

function FunctionRow({ row: f, change, scale }: { row: Row; change: Bounded | undefined; scale: Scale }) {
  const cost = (value: number | null) => (value === null ? '?' : withScale(plainText(value, scale), scale));
  return (
    <tr>
      <Change value={change?.value ?? 0} scale={scale} />
      <td class="soft wide">{change && intervalText(change.lo, change.hi, scale)}</td>
      <td class="soft wide">{cost(f.baseCum)} → {cost(f.headCum)}</td>
      <td>
        <FunctionName place={{ name: f.name, function: f.name }} chars={CHARS} />
        {f.baseCum === 0 && <span class="badge more">new</span>}{f.headCum === 0 && <span class="badge less">gone</span>}
      </td>
    </tr>
  );
}

function SumRow({ value, bounds, scale, text }: { value: number; bounds?: Bounded; scale: Scale; text: string }) {
  return (
    <tr>
      <Change value={value} scale={scale} />
      <td class="soft wide">{bounds && intervalText(bounds.lo, bounds.hi, scale)}</td>
      <td class="wide" />
      <td class="soft">{text}</td>
    </tr>
  );
}

function Change({ value: v, scale }: { value: number; scale: Scale }) {
  const text = changeText(v, scale);
  return <td class={text === '0' ? 'soft' : v > 0 ? 'more' : 'less'}>{withScale(text, scale)}</td>;
}

const withScale = (text: string, s: Scale) => (text === '0' ? text : withUnit(text, s.unit));
const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
