import { expect, test } from 'vitest';
import type { EndpointCost, Endpoints } from '../../api/endpoints';
import { columnCosts, columnRates, costText, drawn, filterOf, rateOf, rateText, valuesOf } from './rows';

const endpoint = (name: string, requests: number[], cost: (number | null)[]): EndpointCost => ({
  endpoint: name, requests: requests.reduce((a, b) => a + b, 0), cost: cost.find((c) => c !== null) ?? null, share: 10,
  over: { requests, cost },
});

const some: Endpoints = {
  from: 5000, to: 30_000, step: 10_000, type: 'cpu', unit: 'nanoseconds', time: [0, 10_000, 20_000], left: 0, warnings: [],
  endpoints: [
    endpoint('/a', [50, 100, 100], [2e6, null, 1e6]), endpoint('', [0, 0, 0], [null, null, null]),
    endpoint('/b', [5, 0, 0], [0, null, null]),
  ],
  total: endpoint('', [], []),
};

test('requests are told per second, and not in windows that are cut', () => {
  expect(valuesOf(some.endpoints[0]!, some, 'requests')).toEqual([null, 10, 10]);
  expect(rateOf(some.endpoints[0]!, some)).toBe(10);
  expect([10, 0.5, 0.01, 0.0001, 0, 1234].map(rateText)).toEqual(['10/s', '0.5/s', '0.6/min', '0.36/h', '0', '1\u202f230/s']);
});

test('what has no values is not drawn', () => {
  expect([...drawn(some, 'cost', '').keys()]).toEqual(['/a']);
  expect([...drawn(some, 'requests', '/b').keys()]).toEqual(['/a']);
});

test('filters are for one endpoint alone', () => {
  expect(filterOf(endpoint('GET /cart/{id}', [], []))).toEqual({ tagfocus: 'endpoint=^GET /cart/\\{id\\}$' });
  expect(filterOf(endpoint('', [], []))).toEqual({ tagignore: 'endpoint=.' });
});

test('costs are in the unit of the profile', () => {
  expect([2e6, 0, null].map((cost) => costText(cost, some))).toEqual(['2ms', '0', '–']);
});

test('a column has one unit, and as many digits in each row', () => {
  expect([85.1, 17, 0.004, 0].map(columnRates([85.1, 17, 0.004, 0]))).toEqual(['85.1/s', '17.0/s', '<0.1/s', '0']);
  expect([0.02, 0.001].map(columnRates([0.02, 0.001]))).toEqual(['1.20/min', '0.06/min']);
  expect([1234, 56].map(columnRates([1234, 56]))).toEqual(['1\u202f234/s', '56/s']);
  const of = { ...some, endpoints: [endpoint('/a', [1], [72.25e6]), endpoint('/b', [1], [850e3])] };
  expect([72.25e6, 850e3, null].map(columnCosts(of))).toEqual(['72.25ms', '0.85ms', '–']);
});
