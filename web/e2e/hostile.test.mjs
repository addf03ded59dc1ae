// @ts-check
// Names come from profiles, which come from anybody: they are text, whatever is in them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { downloaded, settled, suite } from './page.mjs';
import { HOSTILE, hostileProfile } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([hostileProfile()]);

/** Nothing of the names became an element or ran. @param {Page} page */
async function harmless(page) {
  await page.waitForTimeout(50); // an image that failed to load would have told by now
  const found = await page.evaluate(() => ({
    ran: 'stolen' in window,
    elements: [...document.querySelectorAll('b, i, script, img, svg, iframe')]
      .filter((el) => /** @type {any} */ (el).onerror || /** @type {any} */ (el).onload || el.getAttribute('src') === 'x')
      .map((el) => el.outerHTML),
    scripts: [...document.scripts].filter((s) => s.textContent !== '').length,
    turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
  }));
  assert.deepEqual(found, { ran: false, elements: [], scripts: 0, turned: false });
}

for (const view of ['flame', 'top', 'sandwich', 'graph', 'source', 'peek', 'traces', 'tags', 'raw']) {
  const declare = view === 'flame' || view === 'top' ? check.core : check;
  declare(`names are text in ${view}`, async ({ page, open }) => {
    await open(`/${view}`);
    await harmless(page);
    await open(`/${view}?fn=${encodeURIComponent(String(HOSTILE[0]))}&q=${encodeURIComponent('<script>')}`);
    await harmless(page);
  });
}

check('names are whole in the table', async ({ page, open }) => {
  await open('/top');
  const texts = await page.locator('[data-row] .fname').evaluateAll((all) => all.map((el) => el.getAttribute('title') || el.textContent));
  for (const name of HOSTILE.slice(0, 5)) {
    const shown = name.replaceAll('\u202e', '\\u202e').replaceAll('\u202c', '\\u202c');
    assert.ok(texts.includes(shown), `${JSON.stringify(shown)} is not in ${JSON.stringify(texts)}`);
  }
});

check('a function without a name has one in the table and in the strip', async ({ page, open }) => {
  await open('/top');
  await page.locator('[data-row] .fname').getByText('(no name)', { exact: true }).waitFor();
  await page.locator('.summary-fn').getByText('(no name)', { exact: true }).waitFor();
});

check.core('names are text in tooltips, menus, chips and titles', async ({ page, open }) => {
  await open('/top');
  for (const name of HOSTILE.slice(0, 4)) {
    await page.locator('[data-row]').filter({ hasText: name }).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Focus/ }).click();
    await settled(page);
    await harmless(page);
    await page.getByRole('grid').getByText(name, { exact: false }).first().waitFor();
    await page.locator('.chip').first().hover();
    await harmless(page);
    await page.getByRole('button', { name: 'Remove Focus' }).click();
    await settled(page);
  }
});

check('the frames of the flame graph say their names as text', async ({ page, open }) => {
  await open('/flame');
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (
    await page.locator('canvas.flame-overlay').first().boundingBox()
  );
  for (let y = box.y + 10; y < box.y + Math.min(box.height, 300); y += 18) {
    await page.mouse.move(box.x + 60, y);
    await harmless(page);
  }
});

for (const [view, label] of /** @type {const} */ ([['flame', 'HTML'], ['flame', 'SVG'], ['graph', 'SVG']])) {
  check(`names are text in ${view} as ${label}`, async ({ page, open }) => {
    await open(`/${view}`);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = await downloaded(page, () => page.getByRole('menuitem', { name: new RegExp(`^${label}`) }).click());
    const text = readFileSync(await download.path(), 'utf8');
    const alone = await page.context().newPage();
    const other = label === 'HTML' ? 'text/html' : 'image/svg+xml';
    // Served from nowhere, so that what it holds would run if it could.
    await alone.route('http://export.example/', (route) => route.fulfill({ contentType: other, body: text }));
    await alone.goto('http://export.example/');
    await alone.waitForTimeout(300);
    assert.equal(await alone.evaluate(() => 'stolen' in window), false);
    await alone.close();
  });
}
