import { expect, test } from 'vitest';
import { dateText, timelineDates } from './dates';

const DAY = 86_400_000;

test.each([2, 9, 11, 14, 40, 400])('over %d days no two dates next to each other are the same', (days) => {
  const to = Date.UTC(2026, 10, 29, 8, 41);
  for (const wanted of [3, 10, 28, 60]) {
    const texts = timelineDates(to - days * DAY, to, wanted).map((t) => dateText(t, days * DAY));
    expect(texts.filter((text, i) => text === texts[i - 1])).toEqual([]);
    expect(texts.length).toBeGreaterThan(0);
  }
});
