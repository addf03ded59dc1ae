// @ts-check
// What is seen first: in a narrow window one sentence of a comparison, and what can be read of a graph.

import assert from 'node:assert/strict';
import { settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const PHONE = { viewport: { width: 360, height: 740 } };
const check = suite(['-base', wordindex, tuned]);

/** Rows of a table that are in sight as a whole. @param {Page} page */
const rowsInSight = (page) => page.locator('.table [data-row]').evaluateAll((rows) => rows.filter((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  const body = row.closest('.table')?.getBoundingClientRect();
  return body && top >= body.top && bottom <= Math.min(innerHeight, body.bottom) + 0.5;
}).length);

// The last two: 1280 × 800 at 200 % zoom, and a low window.
for (const viewport of [
  { width: 360, height: 720 }, { width: 700, height: 800 }, { width: 640, height: 400 }, { width: 1280, height: 480 },
]) {
  const at = `in a window of ${viewport.width} × ${viewport.height}`;
  check(`${at}, a comparison has its first sentence, whole, and rows`, async ({ page, open }) => {
    const said = page.getByRole('region', { name: 'In short' });
    await open('/diff');
    const sentences = said.locator('.summary-change p');
    await sentences.first().waitFor();
    assert.equal(await sentences.last().isVisible(), false);
    const cut = await said.evaluate((el) => el.scrollHeight > el.clientHeight + 1);
    assert.equal(cut, false, 'a line is cut');
    const rows = await rowsInSight(page);
    assert.ok(rows >= 4, `${rows} rows are in sight`);
    await said.getByRole('button', { name: 'more' }).click();
    assert.equal(await sentences.last().isVisible(), true);
    await open(`/sandwich${new URL(page.url()).search}`);
    assert.equal(await sentences.first().isVisible(), true);
    assert.equal(await sentences.last().isVisible(), false);
  }, { viewport, mayShift: true });
}

check('in a narrow window, changes have percents, and bars behind their figures', async ({ page, open }) => {
  await open('/diff');
  const percents = await page.locator('.table .change-cell small').allInnerTexts();
  assert.ok(percents.length > 0);
  for (const text of percents) assert.match(text, /^([-+]?[\d.]+%|×[\d.]+|new)$/);
  const bar = await page.locator('.table .change-cell').first().evaluate((cell) => getComputedStyle(cell).backgroundImage);
  assert.match(bar, /gradient/);
}, PHONE);

check('in a narrow window, the graph starts with a function and some of those around it', async ({ page, open }) => {
  await open('/graph');
  const frame = await page.locator('.graph-frame').boundingBox();
  assert.ok(frame);
  const boxes = await page.locator('.graph-svg .node').evaluateAll((nodes) => nodes.map((n) => n.getBoundingClientRect().toJSON()));
  const whole = boxes.filter((b) => b.left >= frame.x && b.right <= frame.x + frame.width && b.top >= frame.y
    && b.bottom <= frame.y + frame.height);
  assert.ok(whole.length >= 2, `${whole.length} of ${boxes.length} boxes are in sight`);
}, PHONE);

check('in a window of 660 pixels, the totals of both sides are inside their bars', async ({ page, open }) => {
  await open('/diff');
  const out = await page.locator('.totals dd').evaluateAll((all) => all.map((dd) => {
    const range = document.createRange();
    range.selectNodeContents(dd);
    return Math.max(range.getBoundingClientRect().right - dd.getBoundingClientRect().right, dd.getBoundingClientRect().right - innerWidth);
  }));
  assert.equal(out.length, 2);
  for (const by of out) assert.ok(by <= 0.5, `${by} px outside`);
}, { viewport: { width: 660, height: 740 } });

check('a flame graph that is on its way is no black box', async ({ page, open }) => {
  await open('/diff');
  /** @type {() => void} */
  let answer = () => {};
  const asked = new Promise((resolve) => { answer = () => resolve(0); });
  await page.route('**/api/v1/report/flame?**', async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole('tab', { name: 'Sandwich' }).click();
  const canvas = page.locator('.sandwich-flame canvas').first();
  await canvas.waitFor({ state: 'attached' });
  assert.equal(await canvas.isVisible(), false);
  answer();
  await settled(page);
  assert.equal(await canvas.isVisible(), true);
}, { mayShift: true });

check('scroll bars have the colours of the page', async ({ page, open }) => {
  await open('/top');
  const colour = await page.locator('.table').first().evaluate((table) => getComputedStyle(table).scrollbarColor);
  assert.match(colour, /^rgb\(124, 126, 134\) /, colour);
}, { colorScheme: 'dark' });

const labelled = suite(['-base', wordindex, labels]);

labelled('the grid of a comparison says what its values were', async ({ page, open }) => {
  await open('/tags');
  await settled(page);
  assert.match(await page.locator('.card-sum').first().innerText(), /^[-+][\d.]+ ?\D+\n[\d.]+ ?\D* → [\d.]+ ?\D*$/);
  // Changes of functions cancel each other out: they are no shares of the change of the value, nor is this one of the total.
  const functions = await page.locator('.card li .num').allInnerTexts();
  assert.ok(functions.length > 0);
  for (const text of functions) assert.match(text, /^[-+]?[\d.]+ ?[^\d%]+$/);
  // What chance explains is grey, as in all views, and what it doesn't has the colour of its direction.
  const tones = await page.locator('.card-sum, .card li').evaluateAll((all) =>
    all.map((el) => /noise|negative|positive/.exec(el.className)?.[0]));
  assert.ok(tones.includes('noise') && !tones.includes(undefined), String(tones));
  await page.getByText('Grey bars are within noise').waitFor();
  assert.equal(await page.getByText('of the total has this label').count(), 0);
});
