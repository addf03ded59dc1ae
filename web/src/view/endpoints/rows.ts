// The endpoints of a service as rows of a table and lines of a chart. Pure.

import type { EndpointCost, Endpoints } from '../../api/endpoints';
import { figureText } from '../../api/figures';
import { columnFigures } from '../../model/column';
import { formatValue } from '../../model/units';
import { valueFilter } from '../../state/tagFilter';

/** What is drawn over time. */
export type Measure = 'cost' | 'requests';

/** How many lines have a colour of their own. */
export const LINES = 5;

/** What samples outside of requests are called. */
export const OUTSIDE = 'outside of requests';

export const nameOf = (e: EndpointCost): string => e.endpoint || OUTSIDE;

/** Requests per second over the whole time. */
export const rateOf = (e: EndpointCost, of: Endpoints): number => (1000 * e.requests) / Math.max(1, of.to - of.from);

/** Requests per second, or the cost of one, by window; null where it is not known: a window that is cut has too few requests. */
export function valuesOf(e: EndpointCost, of: Endpoints, measure: Measure): (number | null)[] {
  if (measure === 'cost') return e.over.cost;
  return e.over.requests.map((n, i) => {
    const { from, to } = windowOf(of, i);
    return to - from === of.step ? (1000 * n) / of.step : null;
  });
}

export function windowOf(of: Endpoints, i: number): { from: number; to: number } {
  const start = of.time[i]!;
  return { from: Math.max(start, of.from), to: Math.min(start + of.step, of.to) };
}

/** The endpoints that are drawn, with the number of their colour: those with the largest share, and the chosen one. */
export function drawn(of: Endpoints, measure: Measure, chosen: string): Map<string, number> {
  const known = of.endpoints.filter((e) => valuesOf(e, of, measure).some((v) => v !== null && v > 0));
  const lines = new Map(known.slice(0, LINES).map((e, i) => [e.endpoint, i]));
  if (known.some((e) => e.endpoint === chosen) && !lines.has(chosen)) lines.set(chosen, lines.size);
  return lines;
}

/** The filter that leaves the samples of an endpoint, by the name of its option. */
export const filterOf = (e: EndpointCost): { tagfocus: string } | { tagignore: string } =>
  (e.endpoint ? { tagfocus: valueFilter('endpoint', e.endpoint, false) } : { tagignore: 'endpoint=.' });

const rateUnit = (perSecond: number): [seconds: number, unit: string] =>
  (perSecond >= 0.1 ? [1, 's'] : perSecond * 60 >= 0.1 ? [60, 'min'] : [3600, 'h']);

/** Requests per second as text: "6.02/s", and few of them per minute or hour. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return '0';
  const [seconds, unit] = rateUnit(perSecond);
  return `${figureText(String(Number((perSecond * seconds).toPrecision(3))))}/${unit}`;
}

/** How to print the rates of a column: in the unit of the largest, with three of its digits. */
export function columnRates(all: readonly number[]): (perSecond: number) => string {
  const most = Math.max(0, ...all);
  const [seconds, unit] = rateUnit(most);
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, most * seconds))));
  return (perSecond) => {
    if (perSecond === 0) return '0';
    const text = (perSecond * seconds).toFixed(decimals);
    return Number(text) === 0 ? `<${(10 ** -decimals).toFixed(decimals)}/${unit}` : `${figureText(text)}/${unit}`;
  };
}

/** How to print the costs of a column: in one unit. */
export function columnCosts(of: Endpoints): (cost: number | null) => string {
  const known = of.endpoints.flatMap((e) => (e.cost === null ? [] : [{ value: e.cost, text: costText(e.cost, of) }]));
  const figure = columnFigures(known, of.unit);
  return (cost) => (cost === null ? '–' : figure({ value: cost, text: costText(cost, of) }));
}

export const costText = (cost: number | null, of: Endpoints): string => (cost === null ? '–' : formatValue(cost, of.unit));
