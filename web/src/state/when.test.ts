import { describe, expect, it } from 'vitest';
import { spanText } from './selection';
import { parseWhen } from './when';

const NOW = new Date(2026, 10, 29, 18, 20, 30).getTime(); // a Sunday

/** What is selected, in words, with what is around it. */
function told(text: string): string {
  const when = parseWhen(text, NOW);
  if (!when) return 'none';
  const [selected, timeline] = [spanText(when.selected), spanText(when.timeline)];
  return selected === timeline ? selected : `${selected} in ${timeline}`;
}

describe('parseWhen', () => {
  it.each([
    ['14:05', '29 Nov 14:00 – 14:10 in 29 Nov 13:05 – 15:05'],
    ['2:05 PM', '29 Nov 14:00 – 14:10 in 29 Nov 13:05 – 15:05'],
    ['2pm', '29 Nov 13:55 – 14:05 in 29 Nov 13:00 – 15:00'],
    ['20:00', '28 Nov 19:55 – 20:05 in 28 Nov 19:00 – 21:00'], // today it is still to come
    ['yesterday 14:05', '28 Nov 14:00 – 14:10 in 28 Nov 13:05 – 15:05'],
    ['fri 14:05', '27 Nov 14:00 – 14:10 in 27 Nov 13:05 – 15:05'],
    ['Sunday 14:05', '29 Nov 14:00 – 14:10 in 29 Nov 13:05 – 15:05'],
    ['21 Nov 14:05', '21 Nov 14:00 – 14:10 in 21 Nov 13:05 – 15:05'],
    ['nov 21, 14:05', '21 Nov 14:00 – 14:10 in 21 Nov 13:05 – 15:05'],
    ['2026-11-21 14:05', '21 Nov 14:00 – 14:10 in 21 Nov 13:05 – 15:05'],
    ['2026-11-21T14:05', '21 Nov 14:00 – 14:10 in 21 Nov 13:05 – 15:05'],
  ])('%s is a moment, shown with what is around it', (text, want) => expect(told(text)).toBe(want));

  it.each([
    ['14:00-15:00', '29 Nov 14:00 – 15:00'],
    ['yesterday 14:00 – 15:00', '28 Nov 14:00 – 15:00'],
    ['22:00 to 2:00', '28 Nov 22:00 – 29 Nov 02:00'],
    ['21 Nov 14:05 – 22 Nov 09:00', '21 Nov 14:05 – 22 Nov 09:00'],
    ['28 Nov 14:05:10 – 14:06:20', '28 Nov 14:05:10 – 14:06:20'],
    ['yesterday', '28 Nov 00:00 – 29 Nov 00:00'],
    ['21 nov 2025', '21 Nov 00:00 – 22 Nov 00:00'],
    ['nov 21', '21 Nov 00:00 – 22 Nov 00:00'],
    ['2026-11-21', '21 Nov 00:00 – 22 Nov 00:00'],
    ['mon - wed', '23 Nov 00:00 – 26 Nov 00:00'],
    ['yesterday 14:00 - now', '28 Nov 14:00 – 29 Nov 18:20'],
    ['2h', '29 Nov 16:20 – 18:20'],
    ['last 30m', '29 Nov 17:50 – 18:20'],
  ])('%s is a time', (text, want) => expect(told(text)).toBe(want));

  it('ends now at the latest', () => expect(told('18:18')).toBe('29 Nov 18:13:00 – 18:20:30 in 29 Nov 17:18 – 18:20'));
  it('takes a length back', () => expect(told('2h ago')).toBe('29 Nov 16:15 – 16:25 in 29 Nov 15:20 – 17:20'));
  it('reads a time with a zone', () => {
    const at = parseWhen('2026-11-21T14:05:00Z', NOW)!.selected;
    expect((at.from + at.to) / 2).toBe(Date.UTC(2026, 10, 21, 14, 5));
  });
  it('has 21 nov of this year or the last', () => expect(new Date(parseWhen('30 dec', NOW)!.selected.from).getFullYear()).toBe(2025));

  it.each(['', '14', '25:00', '14:60', '13pm', 'soon', '31 feb', 'yesterday 15:00 - yesterday 14:00', '14:00 - 15:00 - 16:00'])(
    '%s is none', (text) => expect(told(text)).toBe('none'));
});
