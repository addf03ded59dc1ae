import { expect, test } from 'vitest';
import { columnFigures } from './column';
import { formatValue } from './units';

const quantities = (unit: string, ...values: number[]) => values.map((value) => ({ value, text: formatValue(value, unit), percent: 0 }));

test.each([
  ['samples of a CPU profile', 'nanoseconds', [240.29e9, 1e9, 10e6, 0], ['240.29s', '1.00s', '0.01s', '0']],
  ['what is short', 'nanoseconds', [30e6, 10e6], ['30ms', '10ms']],
  ['hours and samples', 'nanoseconds', [35794.73e9, 10e6], ['35 794.73s', '0.01s']],
  ['from much to little memory', 'bytes', [1.5 * 2 ** 30, 5 * 2 ** 20, 512], ['1.500GB', '0.005GB', '<0.001GB']],
  ['memory alike', 'bytes', [1536, 1024], ['1.5kB', '1.0kB']],
  ['delays', 'nanoseconds', [1_234_500, 12], ['1.234ms', '<0.001ms']],
  ['counts', 'count', [1234567, 3], ['1 234 567', '3']],
  ['a comparison', 'nanoseconds', [-1.81e9, 20e6], ['-1.81s', '0.02s']],
  ['a small loss', 'bytes', [1.5 * 2 ** 30, -512], ['1.500GB', '>-0.001GB']],
  ['as the sentence has it', 'nanoseconds', [2_038_890, 719_440, 10_000], ['2.04ms', '0.72ms', '0.01ms']],
  ['nothing', 'nanoseconds', [0], ['0']],
] as const)('%s', (_, unit, values, texts) => {
  const all = quantities(unit, ...values);
  expect(all.map(columnFigures(all, unit))).toEqual(texts.map((t) => t.replaceAll(' ', '\u202f')));
});

test('rates say so', () => {
  const all = [{ value: 1.5e9, text: '1.50s/s' }, { value: 20e6, text: '20ms/s' }, { value: 0, text: '0' }];
  expect(all.map(columnFigures(all, 'nanoseconds'))).toEqual(['1.50s/s', '0.02s/s', '0']);
  const counts = [{ value: 1200, text: '1\u202f200/s' }, { value: 3, text: '3/s' }];
  expect(counts.map(columnFigures(counts, 'count'))).toEqual(['1\u202f200/s', '3/s']);
});

test.each([
  ['bytes', 'MB', [3639.83 * 2 ** 20, 21 * 2 ** 20, 0.5 * 2 ** 20, 0], ['3 639.83MB', '21.00MB', '0.50MB', '0']],
  ['nanoseconds', 'ms', [1_890_000_000, 10_000_000], ['1 890ms', '10ms']],
  ['nanoseconds', 'us', [1500, 10], ['1.50µs', '0.01µs']],
] as const)('%s that the server prints in %s stay in it', (unit, to, values, texts) => {
  const all = values.map((value) => ({ value, text: formatValue(value, unit, to), percent: 0 }));
  expect(all.map(columnFigures(all, unit))).toEqual(texts.map((t) => t.replaceAll(' ', '\u202f')));
});

test('a page can choose the unit where the server has one for all values', () => {
  const all = [2_038_890, -719_440, 10_000].map((value) => ({ value, text: `${formatValue(value, 'nanoseconds', 'us')}/s`, percent: 0 }));
  expect(all.map(columnFigures(all, 'nanoseconds', true))).toEqual(['2.04ms/s', '-0.72ms/s', '0.01ms/s']);
});

test('a long unit of a custom profile leaves room for the number', () => {
  const all = [{ value: 1250, text: '1\u202f250<i>things</i>' }, { value: 0, text: '0' }];
  expect(all.map(columnFigures(all, '<i>things</i>'))).toEqual(['1\u202f250', '0']);
  const short = [{ value: 3, text: '3calls' }];
  expect(short.map(columnFigures(short, 'calls'))).toEqual(['3calls']);
});

test('what an option made of a value stays', () => {
  const all = [{ value: 2e9, text: '500ms/s' }, { value: 4e9, text: '1s/s' }]; // divided
  expect(all.map(columnFigures(all, 'nanoseconds'))).toEqual(['500ms/s', '1s/s']);
});
