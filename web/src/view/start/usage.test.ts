import { expect, test } from 'vitest';
import {
  callerAndVia, eachText, functionText, functionTitle, meanText, nameForms, outline, placeOf,
  overText, totalText, usageText,
} from './usage';

test('usage has the unit that fits', () => {
  expect(usageText(4.477, 'cpu')).toBe('4.48 cores');
  expect(usageText(1, 'cpu')).toBe('1 core');
  expect(usageText(0.004, 'cpu')).toBe('0.004 cores');
  expect(usageText(1_291_000_000, 'memory')).toBe('1.20GB');
  expect(usageText(61.51851, 'goroutines')).toBe('62');
  expect(usageText(0.25, 'goroutines')).toBe('0.3');
  expect(usageText(12345, 'goroutines')).toBe('12\u202f345');
});

test('of several instances it says what each used', () => {
  expect(eachText(1.96, 4, 'cpu')).toBe('0.49 cores each');
  expect(eachText(1.96, 1, 'cpu')).toBe('');
  expect(eachText(null, 4, 'memory')).toBe('');
});

test('the top of a line is told', () => {
  expect(meanText({ now: 1, mean: 0.5, values: [0.25, null, 0.75] }, 'cpu')).toBe('One instance: 0.5 cores on average, at most 0.75 cores');
});

test('an outline leaves out what is missing', () => {
  expect(outline([])).toBe('');
  expect(outline([0, 2, 1])).toBe('M0 20L50 1L100 10.5');
  expect(outline([1, null, 1, 1])).toBe('M0 1l3 0M66.7 1L100 1');
  expect(outline([0, 0])).toBe('M0 20L100 20');
});

test('a deployment has a place within the day', () => {
  expect(placeOf(150, { from: 100, to: 200 })).toBe(50);
  expect(placeOf(0, { from: 100, to: 200 })).toBeNull();
  expect(placeOf(200, { from: 100, to: 200 })).toBeNull();
});

test('names lose their package, then their receiver', () => {
  expect(nameForms('example.com/shop/pricing.(*Engine).Discounts')).toEqual([
    'pricing.(*Engine).Discounts', '(*Engine).Discounts', 'Discounts',
  ]);
  expect(nameForms('example.com/shop/cart.(*Store).Load via encoding/json.Unmarshal')).toEqual([
    'cart.(*Store).Load via json.Unmarshal', '(*Store).Load via json.Unmarshal', 'Load via json.Unmarshal',
  ]);
  expect(nameForms('runtime: garbage collection').at(-1)).toBe('garbage collection');
});

test('what a function calls is apart from its name', () => {
  const load = 'example.com/shop/cart.(*Store).Load via encoding/json.Unmarshal';
  expect(callerAndVia(load)).toEqual(['cart.(*Store).Load', 'via json.Unmarshal']);
  expect(callerAndVia('example.com/shop/pricing.(*Engine).Discounts')).toEqual(['pricing.(*Engine).Discounts', '']);
  expect(callerAndVia('runtime: garbage collection')).toEqual(['runtime: garbage collection', '']);
});

test('changes say from what to what', () => {
  const [change, request] = [{ name: 'f', before: 10.42, after: 9.1234, sure: -1, cost: 0 }, { per_request: true, unit: 'nanoseconds' }];
  expect(functionText(change, { per_request: false })).toBe('10.4% → 9.12%');
  expect(functionText({ ...change, before: 571_610, after: 1.32e6 }, request)).toBe('+130.9%');
  expect(functionText({ ...change, before: 0 }, request)).toBe('new');
  expect(functionTitle({ ...change, before: 571_610, after: 1.32e6 }, request)).toBe('Per request: 571.61µs → 1.32ms');
  expect(totalText({ kind: 'cpu', before: 0.48, after: 0.72, sure: 0.1 })).toEqual({
    title: 'CPU', change: '+50.0%', about: '0.48 cores → 0.72 cores per instance',
  });
  expect(totalText({ kind: 'cpu', per_request: true, before: 8e6, after: 10e6, sure: 1e6 }, 'nanoseconds')).toEqual({
    title: 'All CPU', change: '+25.0%', about: 'Per request: 8ms → 10ms',
  });
  expect(totalText({ kind: 'heap', before: 2 ** 30, after: 2 ** 29, sure: -1 })).toMatchObject({ title: 'Memory', change: '-50.0%' });
  expect(totalText({ kind: 'heap', before: 1e6, after: 1e6 - 1, sure: -1 })).toMatchObject({ change: '>-0.1%' });
  expect(totalText({ kind: 'goroutine', before: 0, after: 3, sure: 3 })).toMatchObject({ title: 'Goroutines', change: 'new' });
});

test('a comparison says over how much time', () => {
  const profile = 'sel:q=cpu&from=1795890000000&to=1795962000000&per=request';
  expect(overText({ per_request: true, profile })).toBe('per request, over 20 h');
  expect(overText({ per_request: false, profile })).toBe('share of all, over 20 h');
});
