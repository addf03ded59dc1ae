import { expect, test } from 'vitest';
import { headFacts } from './headFacts';

test('what is shown and left out, without the words of pprof', () => {
  const header = [
    'Active filters:', '   mine=true', 'Showing nodes accounting for 1.45s, 92.36% of 1.57s total', 'Dropped 118 nodes (cum <= 0.01s)',
    'Dropped 1 edge (freq <= 5us)', 'Showing top 80 nodes out of 120',
  ];
  expect(headFacts(header, false)).toEqual([
    'Together they have 1.45s of 1.57s, 92.36%', '118 functions of 0.01s or less left out', '1 call of 5µs or less left out',
    'The first 80 of 120 functions',
  ]);
  expect(headFacts(['Showing nodes accounting for 1.57s, 100% of 1.57s total'], false)).toEqual([]);
  expect(headFacts(['Showing nodes accounting for -6.19s, 89.32% of 6.93s total'], true))
    .toEqual(['Together they changed by -6.19s, 89.32% of the total before, 6.93s']);
});
