// @ts-check
// The flame graph as a page of its own, from a file, without any server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { clean } from './axe.mjs';
import { leaveBrowser, newProfile, useBrowser } from './browser.mjs';
import { hone, temporaryFolder } from './hone.mjs';
import { downloaded, drawn, eventually, inParts, watch, whereItCan } from './page.mjs';
import { empty, heap, HOSTILE, hostileProfile, recursion, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').BrowserContextOptions} ContextOptions */

const folder = temporaryFolder('flame-page');
before(useBrowser);
after(leaveBrowser);

let written = 0;

/** Writes a page. @param {string[]} args of hone flame @returns its address */
function flamePage(...args) {
  const file = join(folder, `${++written}.html`);
  hone('flame', '-o', file, ...args);
  return pathToFileURL(file).href;
}

/** @param {Page} page */
const graphOf = (page) => page.locator('.flame-graph');

/** @param {Page} page */
const canvasOf = (page) => page.locator('canvas.flame-overlay');

/** @param {Page} page */
const details = (page) => page.locator('[data-part="details"]').innerText();

/** @param {Page} page */
const span = async (page) => Number(await graphOf(page).getAttribute('data-to')) - Number(await graphOf(page).getAttribute('data-from'));

/**
 * Declares a test of a page, which may do nothing wrong and ask for nothing.
 * @param {string} name
 * @param {string[]} args of hone flame
 * @param {(page: Page) => Promise<void>} body
 * @param {ContextOptions & { hash?: string }} [settings]
 */
function declare(name, args, body, { hash = '', ...context } = {}) {
  test(name, { timeout: 180_000 }, (t) => whereItCan(t, async () => {
    const profile = await newProfile({ viewport: { width: 1280, height: 720 }, colorScheme: 'light', offline: true, ...context });
    profile.setDefaultTimeout(30_000);
    try {
      const page = await profile.newPage();
      const faults = await watch(page, 'file://');
      await page.goto(flamePage(...args) + hash);
      await page.locator('.flame-graph[data-ready="true"]').waitFor();
      await drawn(page);
      await body(page);
      assert.deepEqual(faults(), []);
    } finally {
      await profile.close();
    }
  }));
}

const check = inParts(declare);

check.core('frames are told about, zoomed to and kept in the address', [wordindex], async (page) => {
  const all = await span(page);
  await canvasOf(page).hover({ position: { x: 100, y: 50 } });
  assert.match(await page.locator('.flame-tip').innerText(), /^main\.main\n.*total/s);
  assert.match(await details(page), /^main\.main /);
  await canvasOf(page).click({ position: { x: 100, y: 50 } });
  await eventually(async () => assert.ok((await span(page)) < all));
  assert.match(await page.getByRole('navigation', { name: 'Zoom' }).innerText(), /All\s*runtime\.main\s*main\.main/);
  const zoomed = await span(page);
  await page.reload();
  await eventually(async () => assert.equal(await span(page), zoomed));
  await page.goBack();
  await eventually(async () => assert.equal(await span(page), all));
});

check.core('search tells the share of what matches, each sample once', [wordindex], async (page) => {
  await page.keyboard.press('/');
  await page.keyboard.type('runtime\\.mallocgc');
  // What hone counts: the samples with such a frame.
  const top = hone('pprof', '-top', '-sample_index=cpu', '-unit=ms', '-focus=runtime\\.mallocgc', '-nodefraction=0', wordindex);
  const share = Number(/, ([\d.]+)% of/.exec(top)?.[1]);
  const result = page.locator('#search-result');
  await eventually(async () =>
    assert.ok(Math.abs(parseFloat(await result.innerText()) - share) < 0.06, `${await result.innerText()}, want ${share}%`));
  assert.ok(Number(await graphOf(page).getAttribute('data-matched')) > 1);
  // While typing is slow, the first Enter searches for all of the text, and the next one goes on.
  await eventually(async () => {
    await page.keyboard.press('Enter');
    assert.match(await details(page), /^runtime\.mallocgc/);
  });
  const first = await graphOf(page).getAttribute('data-from');
  await page.getByRole('button', { name: 'Next match' }).click();
  await eventually(async () => assert.notEqual(await graphOf(page).getAttribute('data-from'), first));
  await page.locator('#search').fill('a++');
  await eventually(async () => assert.match(await result.innerText(), /without a server/));
});

check('sample types', [heap], async (page) => {
  const types = page.getByRole('combobox', { name: 'Sample type' });
  const total = () => graphOf(page).getAttribute('data-to');
  const space = await total();
  await types.selectOption('alloc_objects');
  await eventually(async () => assert.notEqual(await total(), space));
  assert.match(page.url(), /#.*sample_index=alloc_objects/);
  const objects = /of (\d+) total/.exec(hone('pprof', '-top', '-sample_index=alloc_objects', heap))?.[1];
  assert.equal(await total(), objects);
});

check('inverted, flipped and collapsed, by keys', [recursion], async (page) => {
  const nodes = () => graphOf(page).getAttribute('data-nodes').then(Number);
  const root = await nodes();
  await page.keyboard.press('c');
  await eventually(async () => assert.ok((await nodes()) < root));
  await page.keyboard.press('c');
  await eventually(async () => assert.equal(await nodes(), root));
  await page.keyboard.press('i');
  await eventually(async () => assert.equal(await page.getByRole('button', { name: 'Inverted' }).getAttribute('aria-pressed'), 'true'));
  await eventually(async () => assert.notEqual(await nodes(), root));
  await page.keyboard.press('f');
  await page.keyboard.press('ArrowUp');
  await eventually(async () => assert.match(await details(page), /total/));
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
});

check('a page of the leaves says so and turns', ['-inverted', wordindex], async (page) => {
  const button = page.getByRole('button', { name: 'Inverted' });
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await button.click();
  await page.reload();
  await canvasOf(page).hover({ position: { x: 100, y: 30 } });
  await eventually(async () => assert.match(await details(page), /^runtime\.main/));
});

check('your code alone, in the address, too', [wordindex], async (page) => {
  const button = page.getByRole('button', { name: 'Your code' });
  const nodes = () => graphOf(page).getAttribute('data-nodes').then(Number);
  const [all, total] = [await nodes(), await graphOf(page).getAttribute('data-to')];
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('y');
  await eventually(async () => assert.ok((await nodes()) < all / 2));
  assert.equal(await graphOf(page).getAttribute('data-to'), total);
  assert.match(page.url(), /#.*mine=true/);
  // What is folded is what the command line folds.
  await page.keyboard.press('/');
  await page.keyboard.type('main\\.\\w+ via ');
  const top = hone('pprof', '-top', '-mine', '-sample_index=cpu', '-unit=ms', '-focus=main\\.\\w+ via ', '-nodefraction=0', wordindex);
  const share = Number(/, ([\d.]+)% of/.exec(top)?.[1]);
  await eventually(async () => {
    const found = await page.locator('#search-result').innerText();
    assert.ok(share > 1 && Math.abs(parseFloat(found) - share) < 0.06, `${found}, want ${share}%`);
  });
  await page.reload();
  await eventually(async () => assert.equal(await button.getAttribute('aria-pressed'), 'true'));
  await page.getByRole('button', { name: 'Inverted' }).click();
  await eventually(async () => assert.match(page.url(), /mine=true.*inverted=1|inverted=1.*mine=true/));
  await button.click();
  await eventually(async () => assert.doesNotMatch(page.url(), /mine/));
});

check('a page of your code says so and turns', ['-mine', wordindex], async (page) => {
  const button = page.getByRole('button', { name: 'Your code' });
  const nodes = () => graphOf(page).getAttribute('data-nodes').then(Number);
  const folded = await nodes();
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await button.click();
  await eventually(async () => assert.ok((await nodes()) > 2 * folded));
  await page.reload();
  await eventually(async () => assert.equal(await button.getAttribute('aria-pressed'), 'false'));
});

check('light and dark', [wordindex], async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const pixel = () => canvasOf(page).evaluate((canvas) => {
    const below = /** @type {HTMLCanvasElement} */ (canvas.previousElementSibling);
    const [r, g, b] = below.getContext('2d')?.getImageData(5, below.height - 5, 1, 1).data ?? [];
    return `rgb(${r}, ${g}, ${b})`;
  });
  const dark = await ground();
  await eventually(async () => assert.equal(await pixel(), dark));
  await page.keyboard.press('t');
  await eventually(async () => assert.notEqual(await ground(), dark));
  await eventually(async () => assert.equal(await pixel(), await ground()));
}, { colorScheme: 'dark' });

check('a comparison', ['-base', wordindex, tuned], async (page) => {
  assert.match(await page.locator('.flame-legend').innerText(), /less[^]*more/);
  await canvasOf(page).hover({ position: { x: 100, y: 30 } });
  await eventually(async () => assert.match(await details(page), /^runtime\.main[^]*→/));
  const both = await span(page);
  await page.getByRole('button', { name: 'After', exact: true }).click();
  await eventually(async () => assert.ok(await span(page) < both, 'one side is as wide as both'));
  assert.match(page.url(), /#.*widths=head/);
  await page.reload();
  await drawn(page);
  await eventually(async () => assert.ok(await span(page) < both, 'the link does not keep the side'));
  await page.getByRole('button', { name: 'Side by side' }).click();
  await drawn(page);
  await eventually(async () => assert.equal(await page.locator('.flame-graph[data-ready="true"]').count(), 2));
});

check('a picture is saved', [wordindex], async (page) => {
  await page.getByRole('button', { name: 'Save as a picture' }).click();
  const download = await downloaded(page, () => page.getByRole('menuitem', { name: /^PNG/ }).click());
  assert.equal(download.suggestedFilename(), 'wordindex.png');
  assert.equal(readFileSync(await download.path()).subarray(1, 4).toString('latin1'), 'PNG');
});

check('no samples', [empty], async (page) => {
  await page.getByRole('heading', { name: 'No samples' }).waitFor();
});

check('a narrow page has room for the graph, and a tap selects', [heap], async (page) => {
  const box = await canvasOf(page).boundingBox();
  assert.ok(box && box.height > 300, `${box?.height} px are left`);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than its window');
  // The browser gives a touch up that a busy page does not take in time.
  await eventually(async () => {
    await page.waitForTimeout(400); // or two are a double tap
    await canvasOf(page).tap({ position: { x: 100, y: 30 } });
    assert.match(page.url(), /#.*fn=/);
  });
  await eventually(async () => assert.match(await details(page), /total/));
}, { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true });

check.core('names are text', ['-title', String(HOSTILE[9]), hostileProfile()], async (page) => {
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), HOSTILE[9]);
  for (let y = 10; y < 280; y += 20) await canvasOf(page).hover({ position: { x: 60, y } });
  await canvasOf(page).click({ position: { x: 60, y: 30 }, button: 'right' });
  await page.getByRole('menuitem', { name: 'Mark everywhere' }).click();
  await page.keyboard.press('?');
  const found = await page.evaluate(() => ({
    ran: 'stolen' in window,
    elements: document.querySelectorAll('img, iframe, object, form, [onerror], [onload]').length,
    scripts: document.scripts.length,
  }));
  assert.deepEqual(found, { ran: false, elements: 0, scripts: 2 });
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`nothing for axe to complain of, ${colorScheme}`, [wordindex], async (page) => {
    await canvasOf(page).click({ position: { x: 100, y: 50 } });
    await clean(page);
  }, { colorScheme });
}
