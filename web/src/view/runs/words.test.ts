import { beforeAll, expect, test, vi } from 'vitest';
import type * as Words from './words';

// The state reads the address when it is loaded.
let m: typeof Words;
beforeAll(async () => {
  vi.stubGlobal('location', { pathname: '/', search: '' });
  vi.stubGlobal('addEventListener', () => {});
  m = await import('./words');
});

test('runs of the same minute are told apart by their seconds', () => {
  const times = ['2026-11-21T02:42:05Z', '2026-11-21T02:42:31.5Z', '2026-11-21T02:43:00Z'];
  const at = m.whenAmong(times);
  expect(times.map(at)).toEqual([`${m.when(times[0]!)}:05`, `${m.when(times[0]!)}:31`, m.when(times[2]!)]);
});

test('a change that a word gives a direction has no sign', () => {
  const told = (change: string, verdict: string) => m.judgedText('better', { change, verdict });
  expect(told('-83.94%', 'faster')).toBe('83.94% faster');
  expect(told('+4.10%', 'slower (perhaps within the budget of 5 %)')).toBe('4.10% slower (perhaps within the budget of 5 %)');
  expect(told('-12.00%', 'better')).toBe('-12.00% better');
});

test('a row says what to do, and has signs for changes alone', () => {
  expect(m.verdictText('inconclusive', 'inconclusive (min detectable 297 %)')).toBe('too few samples: measure more');
  expect(m.verdictText('same code', 'runs no changed code')).toBe('not affected by the change');
  expect(m.verdictText('better', 'faster')).toBe('faster');
  expect(['-', '~', '', '+0.00%', '-95.31%'].map((text) => m.rowChange(text, 'inconclusive'))).toEqual(['', '', '', '0%', '-95.31%']);
  expect(m.signOf('inconclusive', -0.95, 0)).toBe('');
  expect(m.judgedText('same code', { change: '-', verdict: 'runs no changed code' })).toBe('not affected by the change');
});
