// @ts-check
// The table beside the flame graph, where the window has room for both.

import assert from 'node:assert/strict';
import { needsChromium } from './browser.mjs';
import { eventually, settled, suite } from './page.mjs';
import { wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([wordindex]);
const WIDE = { viewport: { width: 1440, height: 900 } };

/** @param {Page} page */
const table = (page) => page.getByRole('grid', { name: 'Functions by cost' });
/** @param {Page} page */
const graph = (page) => page.locator('.flame-graph').first();
/** @param {Page} page */
const border = (page) => page.getByRole('separator', { name: 'Width of the table' });
/** @param {Page} page */
const widthOf = async (page) => (await table(page).boundingBox())?.width ?? 0;

check('a table beside the flame graph selects in both, and the link says so', async ({ page, open }) => {
  await open('/flame');
  assert.equal(await table(page).count(), 0);
  await page.keyboard.press('t');
  await settled(page);
  assert.match(page.url(), /beside=1/);
  await table(page).locator('[data-row]', { hasText: 'main.addLine' }).first().click();
  await eventually(() => assert.match(page.url(), /fn=main\.addLine/));
  // Another one by the graph: the table follows.
  await page.locator('#view').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await eventually(async () => {
    const fn = new URL(page.url()).searchParams.get('fn') ?? '';
    assert.ok(fn !== '' && fn !== 'main.addLine', fn);
    const rows = await table(page).locator('[data-row][aria-selected="true"] .fname').evaluateAll((names) =>
      names.map((name) => name.getAttribute('title') || name.textContent));
    assert.deepEqual(rows, [fn]);
  });
  await page.reload();
  await settled(page);
  assert.equal(await table(page).count(), 1);
  assert.equal(await graph(page).count(), 1);
}, { ...WIDE, mayShift: true });

check('the search is told by the graph alone, and marks both', async ({ page, open }) => {
  await open('/flame?q=addLine');
  const alone = await page.locator('#search-result').innerText();
  await open('/flame?q=addLine&beside=1');
  await eventually(async () => assert.equal(await page.locator('#search-result').innerText(), alone));
  assert.ok(await table(page).locator('.marked').count() > 0, 'no row is marked');
}, WIDE);

check('the border moves by keys and by dragging, and stays where it was left', async ({ page, open }) => {
  await open('/flame?beside=1');
  const before = await widthOf(page);
  await border(page).focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await eventually(async () => assert.ok(await widthOf(page) > before + 100, `${await widthOf(page)} after ${before}`));
  assert.equal(await border(page).getAttribute('aria-valuenow'), '50');
  const box = await border(page).boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(432, box.y + 220, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => assert.equal(await border(page).getAttribute('aria-valuenow'), '30'));
  await page.reload();
  await settled(page);
  assert.equal(await border(page).getAttribute('aria-valuenow'), '30');
  needsChromium('double clicks');
  await border(page).dblclick();
  await eventually(async () => assert.equal(await border(page).getAttribute('aria-valuenow'), '40'));
}, { ...WIDE, mayShift: true });

check('a window without the room shows the graph alone, with a link to the table', async ({ page, open }) => {
  await open('/flame?beside=1');
  assert.equal(await table(page).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Table' }).count(), 1);
  await page.setViewportSize({ width: 1300, height: 800 });
  await table(page).waitFor();
}, { viewport: { width: 1100, height: 800 }, mayShift: true });
