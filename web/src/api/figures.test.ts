import { expect, test } from 'vitest';
import { figureText, parseFigures, ungrouped } from './figures';

test.each([
  ['12us', '12µs'],
  ['1.50us', '1.50µs'],
  ['-1234.50us', '-1 234.50µs'],
  ['1234567', '1 234 567'],
  ['999', '999'],
  ['240.29s', '240.29s'],
  ['0', '0'],
  ['+12345MB', '+12 345MB'],
  ['1500bus', '1 500bus'], // somebody's own unit
  ['', ''],
  ['gone', 'gone'],
])('%s is shown as %s', (text, shown) => {
  expect(figureText(text)).toBe(shown.replaceAll(' ', '\u202f'));
  expect(ungrouped(figureText(text))).toBe(text.replace('us', text.includes('bus') ? 'us' : 'µs'));
});

test('of an answer, figures alone are changed', () => {
  const answer = {
    report: {
      total: { value: 1234567, text: '1234567', percent: 100 }, deltaText: '-12345us', deltas: 1,
      lines: [{ text: '12345' }, { text: '5us' }, { text: '"value":1,"text":"5us"' }], name: '"deltaText":"5us"',
    },
    warnings: ['12345us'],
  };
  const shown = parseFigures<typeof answer>(JSON.stringify(answer));
  expect(shown.report.total).toEqual({ value: 1234567, text: '1\u202f234\u202f567', percent: 100 });
  expect(shown.report.deltaText).toBe('-12\u202f345µs');
  expect({ ...shown.report, total: answer.report.total, deltaText: answer.report.deltaText }).toEqual(answer.report);
  expect(shown.warnings).toEqual(answer.warnings);
});
