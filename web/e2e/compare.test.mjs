// @ts-check
// Comparisons: your code unless one wants all, a list with intervals, a table with the
// colours of the flame graph, both sides at once.

import assert from 'node:assert/strict';
import { serve } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const compared = suite(['-base', wordindex, tuned]);

/** @param {Page} page */
const rows = (page) => page.getByRole('grid', { name: 'Functions by change' }).getByRole('row').filter({ has: page.getByRole('gridcell') });
/** @param {Page} page */
const mine = (page) => page.getByRole('button', { name: 'Your code' });
/** @param {Page} page */
const sentences = (page) => page.getByRole('region', { name: 'In short' }).getByRole('paragraph');

compared.core('a comparison opens with the list of your code, and the switch for all is kept', async ({ page, open }) => {
  await open('/');
  assert.match(page.url(), /\/diff\?/);
  assert.equal(await mine(page).getAttribute('aria-pressed'), 'true');
  assert.match(await rows(page).first().innerText(), /main\.addLine via/);
  assert.match(await sentences(page).nth(1).innerText(), /main\.addLine via/);
  await mine(page).click();
  await settled(page);
  assert.match(page.url(), /[?&]mine=false/);
  assert.equal(await mine(page).getAttribute('aria-pressed'), 'false');
  await eventually(async () => assert.match(await rows(page).first().innerText(), /runtime\.memmove/));
  // The link says so, in every view and for whoever gets it.
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await settled(page);
  assert.match(page.url(), /\/flame\?.*mine=false/);
  const link = page.url();
  // The next comparison begins with the choice, another one's link doesn't.
  await page.getByRole('button', { name: 'End the comparison' }).click();
  await settled(page);
  await open('/');
  assert.match(page.url(), /mine=false/);
  await page.goto(link.replace('&mine=false', ''));
  await settled(page);
  assert.equal(await mine(page).getAttribute('aria-pressed'), 'true');
}, { mayShift: true });

const library = suite([], { start: () => serve(['-base', 'testdata/cpu.std-json.pb.gz', 'testdata/cpu.std-flate.pb.gz']) });

library('a comparison without code of yours shows all', async ({ page, open }) => {
  await open('/flame');
  assert.equal(await mine(page).getAttribute('aria-pressed'), 'false');
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  const named = await page.getByRole('grid', { name: 'Functions by cost' }).getByRole('row').allInnerTexts();
  assert.ok(named.some((t) => /compress\/flate/.test(t)), named.join(' '));
});

compared('each change has the interval that judges it', async ({ page, open, url }) => {
  await open('/');
  const query = new URL(page.url()).searchParams;
  const of = new URLSearchParams({ profile: query.get('profile') ?? '', base: query.get('base') ?? '', mine: 'true' });
  const { report } = await (await fetch(`${url}/api/v1/report/diff?${of}`)).json();
  assert.equal(await page.getByRole('columnheader', { name: '95 % interval' }).count(), 1);
  for (const [i, row] of report.rows.slice(0, 5).entries()) {
    const text = await rows(page).nth(i).innerText();
    const [, low, high] = /\[([-+][\d.]+), ([-+][\d.]+)\]/.exec(text) ?? [];
    assert.equal(low, `${row.flat.interval.low > 0 ? '+' : ''}${(row.flat.interval.low / 1e9).toFixed(2)}`, text);
    assert.equal(high, `${row.flat.interval.high > 0 ? '+' : ''}${(row.flat.interval.high / 1e9).toFixed(2)}`, text);
  }
});

compared('the table beside the flame graph has the colours of its frames', async ({ page, open }) => {
  await open('/flame');
  await page.keyboard.press('t');
  await settled(page);
  const color = (/** @type {RegExp} */ name) => rows(page).filter({ hasText: name }).first().locator('.diff-swatch')
    .evaluate((el) => getComputedStyle(el).backgroundColor);
  const colors = (/** @type {import('playwright-core').Locator} */ of) =>
    of.evaluateAll((all) => all.map((el) => getComputedStyle(el).backgroundColor));
  const scale = await colors(page.locator('.flame-scale .flame-swatch'));
  assert.equal(scale.length, 11);
  assert.equal(await color(/concatstring2[\s\S]*gone/), scale[0]); // all of it less
  assert.equal(await color(/mapaccess1_faststr[\s\S]*new/), scale[10]);
  const grey = rows(page).filter({ hasNotText: /gone/ }).locator('.diff-swatch');
  assert.ok((await colors(grey)).includes(String(scale[5])), 'no noise is grey');
}, { viewport: { width: 1440, height: 1000 }, mayShift: true });

compared('both sides stand next to each other, and zoom together', async ({ page, open }) => {
  await open('/');
  await page.getByRole('link', { name: 'Side by side' }).click();
  await settled(page);
  const graph = (/** @type {string} */ name) =>
    page.locator('.flame-graph').filter({ has: page.getByRole('application', { name }) });
  const [before, after] = [graph('Before, as a flame graph'), graph('After, as a flame graph')];
  const span = async (/** @type {typeof before} */ g) =>
    Number(await g.getAttribute('data-to')) - Number(await g.getAttribute('data-from'));
  const whole = [await span(before), await span(after)];
  assert.equal(Math.round(Number(whole[0]) / 1e7), 693);
  assert.equal(Math.round(Number(whole[1]) / 1e7), 74);
  const [left, right] = [await before.boundingBox(), await after.boundingBox()];
  assert.ok(left && right && left.x + left.width <= right.x + 1 && Math.abs(left.y - right.y) < 2);
  assert.deepEqual(await page.locator('.flame-side').allInnerTexts().then((all) => all.map((t) => t.replaceAll(/\s+/g, ' ').trim())),
    ['A Before 6.93s', 'B After 740ms']);
  // main.main is the first frame below the root, on both sides.
  await before.getByRole('application').click({ position: { x: 20, y: 30 } });
  await settled(page);
  await eventually(() => assert.match(page.url(), /zoom=\d+%3Amain\.main/));
  await eventually(async () => assert.ok(await span(before) < Number(whole[0]) && await span(after) < Number(whole[1])));
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('.flame-graph').count(), 2);
  await page.keyboard.press('B');
  await settled(page);
  assert.equal(await page.locator('.flame-graph').count(), 1);
}, { mayShift: true });
