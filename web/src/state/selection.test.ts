import { expect, test } from 'vitest';
import {
  againstText, baseOf, DAY, fairPer, formatSelection, formatSpan, formatValues, HOUR, isSelection, lately, MINUTE, otherSide,
  parseLength, parseSelection, parseSpan, parseTime, parseValues, selectionName, selectionQuery, spanText, thisSide, timesText,
  type Selection,
} from './selection';

const NOW = Date.parse('2026-11-21T15:04:05.500Z');
const some: Selection = { q: 'cpu{service="api"}', from: 1790000000000, to: 1790003600000, sampleType: '', top: '', id: '', per: 'sum' };

test('an id is written as the server writes it', () => {
  expect(formatSelection(some)).toBe('sel:q=cpu%7Bservice%3D%22api%22%7D&from=1790000000000&to=1790003600000');
  expect(formatSelection({ ...some, q: 'cpu{a="x", b="(y)"}', top: '0.05', per: 'second' })).toBe(
    'sel:q=cpu%7Ba%3D%22x%22%2C+b%3D%22%28y%29%22%7D&from=1790000000000&to=1790003600000&top=0.05&per=second',
  );
  expect(formatSelection({ ...some, q: '{}', from: 0, to: 0 })).toBe('sel:');
});

test('a time that is left out is in the id', () => {
  const rest = { ...some, except: '1790000600000-1790001200000' };
  expect(formatSelection(rest)).toContain('&to=1790003600000&except=1790000600000-1790001200000');
  expect(parseSelection(formatSelection(rest), NOW)).toEqual(rest);
});

test('the rest of a time follows what is selected of it', () => {
  const part = { ...some, from: some.from + 60_000, to: some.from + 120_000 };
  const rest = baseOf(part, `rest:${some.from}-${some.to}`, null)!;
  expect(rest).toEqual({ ...some, except: `${part.from}-${part.to}` });
  expect(againstText(`rest:${some.from}-${some.to}`, part, rest)).toBe('the rest');
  expect(baseOf(part, 'rest:soon', null)).toBeNull();
  expect(baseOf(some, `rest:${some.from}-${some.to}`, null)).toBeNull(); // there is none
  expect(baseOf({ ...part, except: '1-2' }, 'previous', null)).toEqual({ ...part, from: some.from, to: part.from });
});

test('a span is compared with everything', () => {
  const span = { ...some, span: '00000000000000aa' };
  expect(formatSelection(span)).toContain('&span=00000000000000aa');
  expect(selectionName(span)).toBe('api cpu in span 00000000000000aa');
  expect(baseOf(span, 'previous', null)).toEqual({ ...some, from: some.from - HOUR, to: some.from });
});

test('an id is read again', () => {
  const span = { ...some, per: 'request' as const, span: '00000000000000aa' };
  for (const s of [some, span, { ...some, q: 'x{a="+ &%="}', top: '0.5', sampleType: 'alloc_space', id: 'ab', per: 'profile' as const }]) {
    expect(parseSelection(formatSelection(s), NOW)).toEqual(s);
  }
  for (const per of ['sum', 'profile'] as const) expect(parseSelection(formatSelection({ ...some, q: 'heap', per }), NOW).per).toBe(per);
  expect(parseSelection('sel:q=heap', NOW).per).toBe('profile'); // the server's average
  expect(isSelection(formatSelection(some))).toBe(true);
  expect(selectionQuery('sel:q=cpu&from=1')).toBe('q=cpu&from=1');
  expect(isSelection('a4f0')).toBe(false);
  expect(isSelection(undefined)).toBe(false);
});

test('times are those of the server', () => {
  expect(parseTime('-1h', NOW)).toBe(NOW - HOUR);
  expect(parseTime('now-1h30m', NOW)).toBe(NOW - 1.5 * HOUR);
  expect(parseTime('now', NOW)).toBe(NOW);
  expect(parseTime('1790000000.5', NOW)).toBe(1790000000500);
  expect(parseTime('2026-11-21T15:00:00Z', NOW)).toBe(Date.parse('2026-11-21T15:00:00Z'));
  expect(parseTime('', NOW)).toBe(0);
  expect(parseLength('1w')).toBe(7 * DAY);
  expect(parseLength('soon')).toBeNaN();
});

test('what was lately includes this moment', () => {
  const { from, to } = lately(HOUR, NOW);
  expect(to).toBeGreaterThanOrEqual(NOW);
  expect(to - from).toBe(HOUR);
  expect(parseSpan(`${from}-${to}`)).toEqual({ from, to });
  expect(parseSpan('5-4')).toBeNull();
  expect(parseSpan(undefined)).toBeNull();
});

test('what is compared with follows what is shown', () => {
  expect(baseOf(some, 'previous', null)).toEqual({ ...some, from: some.from - HOUR, to: some.from });
  expect(baseOf(some, 'ago:1d', null)).toEqual({ ...some, from: some.from - DAY, to: some.to - DAY });
  expect(baseOf(some, 'weight:0.05', null)).toEqual({ ...some, top: '0.05' });
  expect(baseOf({ ...some, q: 'cpu{service="api", version="2"}' }, 'label:version=1', null)?.q).toBe('cpu{service="api", version="1"}');
  expect(baseOf(some, 'label:version=a=b', null)?.q).toBe('cpu{service="api", version="a=b"}');
  expect(baseOf(some, 'range', { ...some, q: 'heap', from: 1, to: 2 })).toEqual({ ...some, from: 1, to: 2 });
  expect(baseOf({ ...some, per: 'second' }, '', { ...some, q: 'heap', from: 1, to: 2 })).toEqual({
    ...some, per: 'second', q: 'heap', from: 1, to: 2,
  });
  expect(baseOf(some, '', null)).toBeNull();
});

test('a comparison is told in words', () => {
  expect(againstText('previous', some, some)).toBe('the period before');
  expect(againstText('ago:7d', some, some)).toBe('the week before');
  expect(againstText('label:version=1', some, some)).toBe('version 1');
  expect(againstText('label:version=v1.3.0', some, some)).toBe('v1.3.0');
  // Two versions are called by their names, and their times stand apart.
  const old = { ...some, from: some.from - DAY, q: 'cpu{version="v1.3.0"}' };
  const now = { ...some, q: 'cpu{version="v1.4.0"}' };
  expect(otherSide('', now, old)).toEqual({ name: 'v1.3.0', time: spanText(old) });
  expect(thisSide(now, old)).toBe('v1.4.0');
  expect(thisSide(now, { ...old, q: now.q })).toBe('');
  expect(againstText('', now, { ...now, q: 'cpu{version!="v1.4.0"}' })).toBe('other versions');
  expect(againstText('', some, { ...some, q: 'cpu{service="api", zone="b"}' })).toBe('zone b');
  expect(againstText('', some, { ...some, q: 'cpu{service="api", zone!="b"}' })).toBe('all but zone b');
});

test('kinds that have a rate compare by it, states by their average', () => {
  expect(['cpu', 'wall', 'allocs', 'mutex', 'block', 'heap', 'goroutine', 'goroutineleak', undefined].map(fairPer)).toEqual([
    'second', 'second', 'second', 'second', 'second', 'profile', 'profile', 'profile', 'profile',
  ]);
});

test('names are short', () => {
  expect(selectionName(some)).toBe('api cpu');
  expect(selectionName({ ...some, q: '{zone!="a"}' })).toBe('all but zone a');
  const q = 'cpu{service="api", version!="v2", zone=~"a.*"}';
  expect(selectionName({ ...some, q })).toBe('api cpu, all but version v2, zone like a.*');
  expect(selectionName({ ...some, q: '' })).toBe('everything');
  expect(spanText({ from: 0, to: 0 })).toBe('all time');
  expect(spanText(some)).toMatch(/^\d+ Sept? \d\d:\d\d – /);
  const part = formatSpan({ from: some.from + 10 * MINUTE, to: some.from + 12 * MINUTE });
  expect(timesText({ ...some, except: part })).toMatch(/ – \d\d:\d\d without \d\d:\d\d:\d\d – \d\d:\d\d:\d\d$/);
});

test('values stand in a list whatever they hold', () => {
  const values = ['a', 'b,c', 'd%2Ce', ''];
  expect(parseValues(formatValues(values))).toEqual(['a', 'b,c', 'd%2Ce']);
  expect(parseValues(undefined)).toEqual([]);
});
