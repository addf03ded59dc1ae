import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { figureText } from '../api/figures';
import { columnFigures } from './column';
import { formatRate, rateOf } from './units';

interface Case {
  type: string;
  unit: string;
  perSecond: boolean;
  value: number;
  text: string;
}

// Every kind of unit in every magnitude, as it is and per second: what hone prints.
const cases = JSON.parse(readFileSync(new URL('../../../internal/report/testdata/rates.json', import.meta.url), 'utf8')) as Case[];

test.each(cases)('$value $unit of $type, per second: $perSecond', ({ value, text, ...of }) => {
  expect(formatRate(value, of.unit, 'auto', rateOf(of))).toBe(figureText(text));
});

test('a column of cores has one unit and as many digits', () => {
  const figures = [35_090_000_000, 74_187_400, -451_000_000, 0].map((value) => (
    { value, text: formatRate(value, 'nanoseconds', 'auto', 'cores') }
  ));
  const figure = columnFigures(figures, 'nanoseconds');
  expect(figures.map(figure)).toEqual(['35.090 cores', '0.074 cores', '-0.451 cores', '0']);
});
