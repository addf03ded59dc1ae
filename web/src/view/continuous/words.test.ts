import { expect, test } from 'vitest';
import type { OverTime } from '../../api/continuous';
import { asideText, costWay, costWords, groupName, isPerInstance, overTimeText, totalOf, valueTicks } from './words';

const cpu = { type: 'cpu', unit: 'nanoseconds' };
const count = { type: 'goroutine', unit: 'count' };

test('rates say of what they are', () => {
  expect(overTimeText(510_000_000, cpu, 'second')).toBe('0.51 cores');
  expect(overTimeText(510_000_000, { type: 'delay', unit: 'nanoseconds' }, 'second')).toBe('510ms/s');
  expect(overTimeText(510_000_000, cpu, 'profile')).toBe('510ms');
  expect(overTimeText(14.3333, count, 'profile')).toBe('14.3');
  expect(overTimeText(1234567, count, 'sum')).toBe('1\u202f234\u202f567');
  expect(overTimeText(null, count, 'second')).toBe('–');
});

test('ticks are round in what they are printed in', () => {
  expect(valueTicks(1_000_000_000, 'nanoseconds', 2).map((v) => overTimeText(v, cpu, 'second'))).toEqual(['0.5 cores', '1 core']);
  expect(valueTicks(4 << 20, 'bytes', 2).map((v) => overTimeText(v, { type: 'space', unit: 'bytes' }, 'sum'))).toEqual(['2MB', '4MB']);
});

test('a profile without the label is of the group none', () => {
  expect(groupName({ zone: 'a' }, 'zone')).toBe('a');
  expect(groupName({}, 'zone')).toBe('none');
  expect(groupName({}, '')).toBe('');
});

test('a legend has the values of what is selected, by the names of groups', () => {
  const one = (zone: string, type: string, value: number) => ({ labels: { zone }, type, total: { value } });
  const over = { series: [one('a', 'cpu', 3), one('b', '', 0)] } as unknown as OverTime;
  expect(totalOf(over, 'zone', 'a')).toBe(3);
  expect(totalOf(over, 'zone', 'b')).toBeNull();
  expect(totalOf(over, 'zone', 'c')).toBeNull();
  expect(totalOf(undefined, 'zone', 'a')).toBeNull();
});

test('a change has the colour of the cost, if that moved as the share did', () => {
  const all = [[1, 1], [1, 0], [1, -1], [0, 0], [-1, -1], [-1, 0]].map(([sure, cost]) => ({ sure: 5 * sure!, cost: cost! }));
  expect(all.map(costWay)).toEqual([1, 0, 0, 0, -1, 0]);
  expect(all.map(asideText)).toEqual(['', 'share only', 'but costs less', '', '', 'share only']);
  expect(all.map(costWords)).toEqual([
    'it costs more', 'it costs no more for sure', 'but it costs less', '', 'it costs less', 'it costs no less for sure',
  ]);
});

test('a value per second is of one instance', () => {
  expect(isPerInstance('second', '')).toBe(true);
  expect(isPerInstance('second', 'instance')).toBe(false);
  expect(isPerInstance('sum', '')).toBe(false);
});
