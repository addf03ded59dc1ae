import { describe, expect, test } from 'vitest';
import type { Bound, Evidence, Finding } from '../../api/advice';
import { bytesText, ceilingOf, costOf, mostText, placeOf } from './glance';

const finding = (evidence: Evidence, bound: Partial<Bound>): Finding => ({
  id: 'x-1', rule: 'x', class: 'B', state: 'bounded', title: 'slow', why: '',
  evidence, bound: { time: 0, ...bound }, place: 'f.go:7', costs: [],
});
const share = (value: number, part: number) => ({ value, unit: '', share: part, samples: 1 });
const text = (g: ReturnType<typeof costOf>) => (g ? [g.text, g.of, g.more].filter(Boolean).join(' ') : '');

describe('a row has what the command line says', () => {
  const rows: [string, Evidence, Partial<Bound>, string, string][] = [
    ['time', { cpu: share(5, 0.5), bytes: share(5, 0.9) }, { time: 0.5, speedup: 2 }, '50.0% CPU', '2.00×'],
    ['nearly all of the time', { cpu: share(9, 0.999) }, { time: 0.999 }, '99.9% CPU', '>100×'],
    ['bytes', { bytes: share(5, 0.25) }, { bytes: 0.2 }, '25.0% bytes', '-20.0% bytes'],
    ['waiting', { mutex: share(5, 0.25) }, { waiting: 0.1 }, '25.0% lock waits', '-10.0% waits'],
    ['memory in use', { live: share(109 * 2 ** 20, 0.794), liveObjects: share(324810, 0.7) }, { live: 0.4, liveBytes: 55 * 2 ** 20 },
      '79.4% of the heap in use 109 MiB in 324\u202f810 objects', '40.0% less heap in use 55 MiB'],
    ['one object', { live: share(100, 0.01), liveObjects: share(1, 0.01) }, { live: 0.01, liveBytes: 100 },
      '1.0% of the heap in use 100 bytes in 1 object', '1.0% less heap in use 100 bytes'],
    ['nothing', {}, {}, '', ''],
  ];
  for (const [name, evidence, bound, cost, gain] of rows) {
    test(name, () => expect([text(costOf(finding(evidence, bound))), text(ceilingOf(finding(evidence, bound)))]).toEqual([cost, gain]));
  }
});

describe('bytes are printed as in a terminal', () => {
  const texts: [number, string][] = [
    [0, '0 bytes'], [1023, '1023 bytes'], [1536, '1.5 KiB'], [1023 * 1024, '1023 KiB'], [2 ** 20, '1 MiB'], [114354012, '109 MiB'],
    [999 * 2 ** 20, '999 MiB'], [1000 * 2 ** 20, '0.977 GiB'], [1288490188, '1.2 GiB'],
  ];
  for (const [n, want] of texts) test(want, () => expect(bytesText(n)).toBe(want));
});

test.each([
  [[], 'f.go:7'],
  [[9], 'f.go:7 (also 9)'],
  [[9, 12, 31], 'f.go:7 (also 9, 12 and 31)'],
  [[9, 12, 31, 40], 'f.go:7 (also on 4 more lines)'],
])('a finding that stands for those of lines %j names them', (lines, place) => {
  const also = [{ id: 'y-1', line: 7, title: 'another rule' }, ...lines.map((line) => ({ id: `x-${line}`, line }))];
  expect(placeOf({ place: 'f.go:7', also })).toBe(place);
});

test.each<[Partial<Bound>, string]>([
  [{ time: 0.29, speedup: 1.403 }, 'at most 1.40× as fast'],
  [{ bytes: 0.996 }, 'at most 99.6% of the bytes'],
  [{ waiting: 0.1 }, 'at most 10.0% of the waiting'],
  [{ live: 0.4, liveBytes: 55 * 2 ** 20 }, 'at most 40.0% less heap in use'],
  [{}, ''],
])('the most of %j has the figure of its row', (bound, want) => expect(mostText(finding({}, bound))).toBe(want));
