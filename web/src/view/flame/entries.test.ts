import { expect, test } from 'vitest';
import { flameOf } from '../../model/fixtures';
import { decode } from '../../model/model';
import { entriesOf } from './entries';

test('the legend counts what is too narrow to be drawn', () => {
  const shares = {
    packages: [{ name: 'time', origin: 3, value: 95 }, { name: 'main', origin: 1, value: 4 }, { name: '', origin: 0, value: 0 }],
    origins: [0, 4, 0, 95, 1],
  };
  const { about } = decode(flameOf([[0, 0, 100, 0], [1, 0, 15, 15]], { shares }));
  expect(entriesOf(about, 'package').map((e) => `${e.label} ${e.share}`)).toEqual(['time 95.00%', 'main 4.00%']);
  expect(entriesOf(about, 'module').map((e) => `${e.label} ${e.share}`)).toEqual([
    'standard library 95.00%', 'your code 4.00%', 'runtime 1.00%',
  ]);
  expect(entriesOf(about, 'change')).toEqual([]);
});
