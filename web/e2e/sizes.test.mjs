// @ts-check
// What is in sight of a service at each size of the window, and what forced colours leave of what is drawn.

import assert from 'node:assert/strict';
import { settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';
import { weeks } from './weeks.mjs';

/** @typedef {import('./page.mjs').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

const HOUR = 3_600_000; // ms
const DAYS = 4;
const stored = suite([], { start: () => weeks({ days: DAYS }) });

/** A selection of a day that ended so many hours ago. @param {number} ago @param {string} [kind] */
function day(ago, kind = 'cpu') {
  const now = Math.ceil(Date.now() / 60_000) * 60_000 - ago * HOUR;
  const per = kind === 'cpu' ? 'second' : 'profile';
  return `sel:${new URLSearchParams({ q: `${kind}{service="shop"}`, from: String(now - 24 * HOUR), to: String(now), per })}`;
}

/** @param {string} view @param {Record<string, string>} [more] */
const linkTo = (view, more = {}) => `/${view}?${new URLSearchParams({ profile: day(1), ...more })}`;
const compared = () => linkTo('diff', { base: day(25), vs: 'ago:1d' });

/** Rows of the first table that are in sight as a whole. @param {Page} page */
const rowsInSight = (page) => page.locator('.table').first().evaluate((table) => {
  const end = Math.min(innerHeight, table.getBoundingClientRect().bottom) + 0.5;
  return [...table.querySelectorAll('[data-row]')].filter((row) => row.getBoundingClientRect().bottom <= end).length;
});

/** Texts that are cut, in elements with a selector. @param {Page} page @param {string} selector */
const cutTexts = (page, selector) => page.locator(selector).evaluateAll((all) => all
  .filter((el) => el.getClientRects().length > 0 && el.scrollWidth > el.clientWidth + 1)
  .map((el) => el.textContent));

const PHONE = { viewport: { width: 360, height: 720 } };

for (const [name, path] of /** @type {[string, () => string][]} */ ([
  ['a comparison', compared], ['History', () => linkTo('history')], ['Profiles', () => linkTo('records')],
  ['Endpoints', () => linkTo('endpoints')], ['Top', () => linkTo('top')], ['Growth', () => linkTo('growth', { profile: day(1, 'heap') })],
])) {
  stored(`on a telephone, ${name} of a service has rows in sight, and the whole time`, async ({ page, open }) => {
    await open(path());
    await page.locator('.table [data-row]').first().waitFor();
    const rows = await rowsInSight(page);
    assert.ok(rows >= (name === 'Growth' ? 3 : 4), `${rows} rows are in sight`); // of memory there are three lines
    assert.deepEqual(await cutTexts(page, '.sel-span > span'), []);
  }, { ...PHONE, mayShift: true });
}

// 1280 × 800 at 200 % zoom, and a low window.
for (const [width, height, least] of /** @type {const} */ ([[640, 400, 4], [1280, 480, 6]])) {
  stored(`a comparison and the history of a service have rows in sight at ${width} × ${height}`, async ({ page, open }) => {
    await open(compared());
    await page.locator('.table [data-row]').first().waitFor();
    const rows = await rowsInSight(page);
    assert.ok(rows >= least, `${rows} rows are in sight`);
    const said = page.getByRole('region', { name: 'In short' });
    assert.equal(await said.evaluate((el) => el.scrollHeight > el.clientHeight + 1), false, 'a sentence is cut');
    await open(linkTo('history'));
    const functions = await rowsInSight(page);
    assert.ok(functions >= 2, `${functions} functions are in sight`);
  }, { viewport: { width, height }, mayShift: true });
}

stored('in a low window the timeline is folded until it is asked for', async ({ page, open }) => {
  await open(linkTo('flame'));
  const head = page.locator('.sel-head');
  const folded = await head.evaluate((el) => el.clientHeight);
  assert.equal(await page.locator('.timeline-plot').count(), 0);
  await page.getByRole('button', { name: 'Unfold the timeline' }).click();
  await page.locator('.timeline-plot').waitFor();
  assert.ok(await head.evaluate((el) => el.clientHeight) > folded);
  await page.reload(); // the link has it
  await page.locator('.timeline-plot').waitFor();
  await page.getByRole('button', { name: 'Fold the timeline' }).click();
  await page.locator('.timeline-plot').waitFor({ state: 'detached' });
}, { viewport: { width: 640, height: 400 }, mayShift: true });

stored('on a telephone, single profiles say whose they are and what took the time', async ({ page, open }) => {
  await open(linkTo('records'));
  const row = page.locator('.table [data-row]').first();
  await row.locator('.record-whose small').filter({ hasText: /\S/ }).waitFor();
  await row.locator('.mono').waitFor();
}, PHONE);

stored('on a telephone, the start page names what a service spends its time in, and its foot is whole', async ({ page, open }) => {
  await open('/services');
  const shop = page.locator('.table [data-row]').first();
  await shop.locator('.start-list a').first().waitFor();
  assert.ok(await shop.locator('.start-list a').count() >= 1);
  assert.deepEqual(await cutTexts(page, '.pane-facts > span'), []);
}, PHONE);

stored('at 1280 pixels the start page has functions with their package, and no two of a cell look alike', async ({ page, open }) => {
  await open('/services');
  await page.locator('.start-name-whole').first().waitFor();
  await settled(page);
  const names = await page.locator('.start-name-whole').allInnerTexts();
  assert.ok(names.length > 6, names.join(', '));
  for (const name of names) assert.match(name, /\.|^runtime: /, name);
  assert.deepEqual(await cutTexts(page, '.start-name-whole'), []);
  const lists = await page.locator('.start-list').evaluateAll((all) => all.map((list) => [...list.children].map((li) => {
    const texts = [...li.querySelectorAll('a, .cut')].map((el) => (el.scrollWidth > el.clientWidth + 1 ? 'cut' : el.textContent));
    return texts.join(' ');
  })));
  for (const list of lists) assert.equal(new Set(list).size, list.length, list.join('\n'));
});

stored('at 1280 pixels all tabs are in sight, also when a function is selected', async ({ page, open }) => {
  for (const profile of [day(1), day(1, 'heap')]) {
    await open(linkTo('top', { profile, fn: 'example.com/shop/pricing.(*Engine).Discounts' }));
    const { hidden } = await page.getByRole('tablist', { name: 'Views' }).evaluate((el) => ({ hidden: el.scrollWidth - el.clientWidth }));
    assert.ok(hidden <= 1, `${hidden} pixels of the tabs are out of sight`);
  }
});

const files = suite(['-base', wordindex, tuned]);
const single = suite([wordindex]);
const labelled = suite([labels]);
const FORCED = /** @type {const} */ ({ forcedColors: 'active', mayShift: true });

/**
 * The part of a place's pixels that are not of the page's ground.
 * @param {Page} page @param {{ x: number, y: number, width: number, height: number }} clip
 */
async function inked(page, clip) {
  const png = [...await page.screenshot({ clip })];
  return page.evaluate(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
    const c = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!c) return 0;
    c.fillStyle = 'Canvas';
    c.fillRect(0, 0, 1, 1);
    const ground = c.getImageData(0, 0, 1, 1).data.join();
    c.drawImage(bitmap, 0, 0);
    const { data } = c.getImageData(0, 0, bitmap.width, bitmap.height);
    let other = 0;
    for (let i = 0; i < data.length; i += 4) if (data.slice(i, i + 4).join() !== ground) other++;
    return other / (data.length / 4);
  }, png);
}

/** Whether a mark is drawn: its middle. @param {Locator} mark */
async function isDrawn(mark) {
  const box = await mark.boundingBox();
  assert.ok(box && box.width >= 3 && box.height >= 2, `${mark}: ${JSON.stringify(box)}`);
  const part = await inked(mark.page(), { ...box, x: box.x + box.width / 4, width: Math.max(2, box.width / 2) });
  assert.ok(part > 0.4, `${mark}: ${part} of it is drawn`);
}

/** Whether the line of a bar is below a figure. @param {Locator} cell */
async function hasBar(cell) {
  const box = await cell.boundingBox();
  assert.ok(box);
  const part = await inked(cell.page(), { x: box.x + 10, y: box.y + box.height - 4, width: 12, height: 4 });
  assert.ok(part > 0.4, `${cell}: ${part} of the line below it is drawn`);
}

files('in forced colours the bars of a comparison are seen', async ({ page, open }) => {
  await open('/diff');
  const query = new URL(page.url()).search;
  await isDrawn(page.locator('.change-bar i').first());
  await isDrawn(page.locator('.totals dd i').first());
  await open(`/flame${query}&widths=sides`);
  await isDrawn(page.locator('.flame-side i').first());
}, FORCED);

single('in forced colours bars of tables and colours of the flame graph are seen', async ({ page, open }) => {
  await open('/top');
  await hasBar(page.locator('.table .cell.share').first());
  await open('/peek?match=addLine');
  await hasBar(page.locator('.peek-block .share').first());
  await open('/flame?color=package');
  await isDrawn(page.locator('.flame-swatch').first());
}, FORCED);

files('in a low window both sides of a comparison are in a row, and have rows in sight', async ({ page, open }) => {
  await open('/diff');
  const [a, b] = await page.locator('.comparison .picker-button').evaluateAll((all) => all.map((el) => el.getBoundingClientRect().top));
  assert.equal(a, b);
  const rows = await rowsInSight(page);
  assert.ok(rows >= 6, `${rows} rows are in sight`);
}, { viewport: { width: 640, height: 400 } });

single('in a low window callers and callees are both in sight', async ({ page, open }) => {
  await open('/sandwich?fn=main.addLine');
  for (const name of ['Callers', 'Callees']) {
    const row = await page.getByRole('grid', { name }).locator('[data-row]').first().boundingBox();
    assert.ok(row && row.y + row.height <= 400, `${name}: ${JSON.stringify(row)}`);
  }
}, { viewport: { width: 640, height: 400 } });

labelled('in forced colours bars of labels are seen', async ({ page, open }) => {
  await open('/tags');
  await hasBar(page.locator('.card-sum').first());
  await open('/tags?as=list');
  await hasBar(page.locator('.tag-bar').first());
}, FORCED);

stored('in forced colours the lines of a service have their marks', async ({ page, open }) => {
  await open(linkTo('history', { order: '-mean' })); // the costliest first
  await isDrawn(page.locator('.legend-item i').first());
  await isDrawn(page.locator('.history-tick i').first());
  await open(linkTo('top'));
  await hasBar(page.locator('.table .cell.share').first());
}, FORCED);

for (const [view, name] of [['history', 'History'], ['endpoints', 'Endpoints']]) {
  stored(`in forced colours the lines of ${name} have dashes of their own, as their keys do`, async ({ page, open }) => {
    await open(linkTo(String(view)));
    const dashes = await page.locator('.chart-line').evaluateAll((all) => all.map((el) => getComputedStyle(el).strokeDasharray));
    assert.ok(dashes.length >= 3, String(dashes));
    assert.equal(new Set(dashes).size, dashes.length, dashes.join('; '));
    const keys = await page.locator('.history-tick[class*="tone-"] > i, .growth-tick[class*="tone-"]')
      .evaluateAll((all) => all.map((el) => getComputedStyle(el).backgroundImage));
    assert.ok(keys.length >= 3, String(keys));
    assert.equal(new Set(keys).size, keys.length, keys.join('; '));
  }, FORCED);
}
