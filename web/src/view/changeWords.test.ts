import { describe, expect, test } from 'vitest';
import type { Diff, DiffRow } from '../api/types';
import type { Comparable } from '../state/comparable';
import { plainOf, sentencesOf } from './changeWords';

const row = (name: string, base: number, head: number, more: Partial<DiffRow> = {}): DiffRow => {
  const value = {
    base, head, delta: head - base, ...(base ? { relative: (head - base) / base } : {}), baseText: `${base}ms`, headText: `${head}ms`,
    deltaText: `${head > base ? '+' : ''}${head - base}ms`,
  };
  return { name, flat: value, cum: value, ...more };
};

const diff = (base: number, head: number, more: Partial<Diff> = {}): Diff => ({
  type: 'cpu', unit: 'nanoseconds', granularity: 'functions', sort: 'flat', normalized: false, compared: base, comparedText: `${base}ms`,
  baseRuns: 1, headRuns: 1, baseTotal: base, headTotal: head, baseTotalText: `${base}ms`, headTotalText: `${head}ms`, rows: [],
  functions: 10, tested: 0, warnings: [], ...more,
});

type Lead = Comparable['lead'];

const told = (of: Diff, lead: Lead = '', means = false) => sentencesOf(of, { lead, means }).map(plainOf);

describe('how much', () => {
  const sure = { noise: false, margin: { low: -35.04, high: -22.9 } };
  const cases: [string, Diff, Lead, string][] = [
    ['sure', diff(100, 71, { total: sure }), '', 'CPU time fell by 29.0% (22.9% to 35.0%), from 100ms to 71ms.'],
    ['more', diff(100, 150, { total: { noise: false, margin: { low: 40, high: 60 } } }), '',
      'CPU time rose by 50.0% (40.0% to 60.0%), from 100ms to 150ms.'],
    ['barely', diff(100, 105, { total: { noise: false, margin: { low: 0.04, high: 9.96 } } }), '',
      'CPU time rose by 5.0% (0.04% to 9.96%), from 100ms to 105ms.'],
    ['chance', diff(100, 101, { total: { noise: true, margin: { low: -2, high: 4 } } }), '',
      'CPU time didn’t change by more than chance explains: from 100ms to 101ms (+1.0%, between -2.0% and +4.0%).'],
    ['chance of runs', diff(100, 103, { total: { noise: true } }), '',
      'CPU time didn’t change by more than chance explains: from 100ms to 103ms (+3.0%).'],
    ['unclear', diff(65, 76, { type: 'goroutine', total: { noise: true, margin: { low: -20.1, high: 54 } } }), '',
      'It isn’t clear whether the number of goroutines changed: from 65ms to 76ms (+16.9%, between -20.1% and +54.0%).'],
    ['unclear per request', diff(100, 103, { total: { noise: true, margin: { low: -3, high: 9 } } }), 'Per request',
      'Per request, it isn’t clear whether CPU time changed: from 100ms to 103ms (+3.0%, between -3.0% and +9.0%).'],
    ['exact', diff(100, 150, { total: { noise: false, margin: { low: 50, high: 50.01 } } }), '',
      'CPU time rose by 50.0%, from 100ms to 150ms.'],
    ['unknown', diff(100, 50, { type: 'alloc_space' }), '', 'Allocated memory fell by 50.0%, from 100ms to 50ms.'],
    ['none', diff(100, 100), '', 'CPU time didn’t change: 100ms.'],
    ['from nothing', diff(0, 100), '', 'CPU time rose from 0ms to 100ms.'],
    ['shares', diff(100, 100, { normalized: true, baseTotalText: '40ms' }), '',
      'Shares are compared: the total before, 40ms, is scaled to that after, 100ms.'],
    ['per operation', diff(100, 71, { normalized: true, total: sure }), 'Per operation',
      'Per operation, CPU time fell by 29.0% (22.9% to 35.0%), from 100ms to 71ms.'],
    ['per request', diff(100, 71, { total: sure }), 'Per request',
      'Per request, CPU time fell by 29.0% (22.9% to 35.0%), from 100ms to 71ms.'],
    ['shares of requests', diff(100, 100, { normalized: true, baseTotalText: '40ms' }), 'Per request',
      'Shares are compared: the total before, 40ms, is scaled to that after, 100ms.'],
    ['at the same load', diff(100, 71, { normalized: true, total: sure }), 'At the same load',
      'At the same load, CPU time fell by 29.0% (22.9% to 35.0%), from 100ms to 71ms.'],
    ['another type', diff(100, 50, { type: 'bytes_read' }), '', 'The total of bytes_read fell by 50.0%, from 100ms to 50ms.'],
  ];
  for (const [name, of, lead, want] of cases) test(name, () => expect(told(of, lead)[0]).toBe(want));
  test('unclear, and the smallest change that would show comes last', () => {
    const of = diff(100, 103, { basis: 'samples', total: { noise: true, margin: { low: -3, high: 9 } } });
    expect(told(of).at(-1)).toMatch(/Only a change of the total by more than about 6% would show\.$/);
    expect(told({ ...of, total: { noise: true, margin: { low: -1, high: 3 } } }).at(-1)).not.toMatch(/would show/);
  });
  test('means of instances', () => {
    expect(told(diff(100, 150, { instances: [3, 4] }), '', true)[0]).toBe('CPU time per instance rose by 50.0%, from 100ms to 150ms.');
    expect(told(diff(100, 150), '', true)[0]).toBe('CPU time rose by 50.0%, from 100ms to 150ms.');
  });
});

test('a side without samples has no shares', () => {
  const none = (base: number, head: number) => told(diff(base, head, { normalized: true, compared: head }));
  expect(none(20, 0)).toEqual(['“After” has no samples: there is nothing to compare.']);
  expect(none(0, 20)).toEqual(['“Before” has no samples: there is nothing to compare.']);
  expect(told(diff(20, 0, { normalized: true }), 'Per operation')[0]).toBe('Per operation, CPU time fell by 100.0%, from 20ms to 0ms.');
  expect(told(diff(0, 0))).toEqual(['Neither side has samples: there is nothing to compare.']);
});

describe('which functions', () => {
  const cases: [string, Diff, string][] = [
    ['some', diff(1, 2, {
      basis: 'samples', changed: 5, rows: [row('example.com/m/search.Find', 40, 10), row('regexp.compile', 0, 5, { new: true })],
    }),
      'By self cost, these changed most: search.Find -30ms (-75.0%), regexp.compile +5ms (new); and 3 others.'],
    ['causes', diff(1, 2, { basis: 'samples', changed: 2, sort: 'cum', rows: [row('main.f', 1, 5), row('main.main', 9, 13)] }),
      'By total cost, these explain it best: main.f +4ms (+400.0%), main.main +4ms (+44.4%).'],
    ['a cause and its callers', diff(1, 2, { basis: 'samples', changed: 4, sort: 'cum',
      rows: [row('main.f', 1, 5, { callers: ['main.g', 'main.h', 'main.main'] })] }),
      'By total cost, this explains it best: main.f +4ms (+400.0%), called by main.g, main.h and 1 other.'],
    ['several causes', diff(1, 2, { basis: 'samples', changed: 5, sort: 'cum',
      rows: [row('main.f', 1, 5, { callers: ['main.g', 'main.h'] }), row('main.x', 9, 13)] }),
      'By total cost, these explain it best: main.f +4ms (+400.0%), called by main.g and main.h; main.x +4ms (+44.4%); and 1 other.'],
    ['one', diff(1, 2, { basis: 'samples', changed: 1, sort: 'cum', rows: [row('main.f', 5, 0, { gone: true })] }),
      'By total cost, one function changed: main.f -5ms (gone).'],
    ['none', diff(1, 2, { basis: 'samples' }), 'No function changed by more than chance explains.'],
    ['the same', diff(1, 1), 'No function changed.'],
  ];
  for (const [name, of, want] of cases) test(name, () => expect(told(of)[1]).toBe(want));
  test('a name cannot turn what is copied', () => {
    expect(told(diff(1, 2, { rows: [row('main.\u202ex', 1, 2)] }))[1]).toContain('main.\\u202ex');
  });
});

test('which instance', () => {
  const outlier = {
    instance: 'shop-b', others: 3, baseText: '0.9 cores', headText: '3 cores', othersBaseText: '0.8 cores', othersHeadText: '1.2 cores',
    function: 'example.com/m/search.Find', functionBaseText: '0.01 cores', functionHeadText: '1.7 cores',
  };
  expect(told(diff(1, 2, { basis: 'instances', instances: [4, 4], outlier }))[1]).toBe(
    'shop-b changed unlike the other 3 instances: from 0.9 cores to 3 cores, the others from 0.8 cores to 1.2 cores on average; '
    + 'mostly by search.Find, from 0.01 cores to 1.7 cores.');
});

describe('how sure', () => {
  const rows = [row('main.f', 1, 2)];
  const cases: [string, Diff, string][] = [
    ['runs', diff(1, 2, { basis: 'runs', tested: 1200, baseRuns: 5, headRuns: 6, rows, total: { noise: false } }),
      'Sure with 95% confidence: tested by 5 and 6 runs, and corrected for 1\u202f200 tests.'],
    ['instances', diff(1, 2, { basis: 'instances', instances: [3, 4], rows, total: { noise: false } }),
      'Sure with 95% confidence, by how much the instances differ: 3 before and 4 after.'],
    ['samples', diff(1, 2, { basis: 'samples', rows }),
      'Sure with 95% confidence by samples alone: how much runs or instances differ isn’t known.'],
    ['functions but not the total', diff(1, 2, { basis: 'instances', instances: [3, 4], rows, total: { noise: true } }),
      'Sure with 95% confidence (these functions only), by how much the instances differ: 3 before and 4 after.'],
    ['the total but no function', diff(1, 2, { basis: 'instances', instances: [3, 4], total: { noise: false } }),
      'Sure with 95% confidence, by how much the instances differ: 3 before and 4 after.'],
    ['nothing', diff(1, 2, { basis: 'samples', total: { noise: true } }),
      'Judged with 95% confidence by samples alone: how much runs or instances differ isn’t known.'],
    ['unknown', diff(1, 2), 'How much of this is chance isn’t known: compare several runs, or several instances.'],
  ];
  for (const [name, of, want] of cases) test(name, () => expect(told(of)[2]).toBe(want));
});
