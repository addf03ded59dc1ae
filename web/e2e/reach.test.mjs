// @ts-check
// What is in reach: by keys in every view, by touch, and in windows from a phone's to a wall's.

import assert from 'node:assert/strict';
import { nodesOf, widest } from './graph.mjs';
import { eventually, settled, suite } from './page.mjs';
import { tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([wordindex]);
const compared = suite(['-base', wordindex, tuned]);

/** The keys that the help lists, with what they do. @param {Page} page */
async function keysListed(page) {
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  const all = await help.locator('dl > div').evaluateAll((rows) => rows.map((row) => [
    [...row.querySelectorAll('kbd')].map((kbd) => kbd.textContent).join(' '), row.querySelector('dd')?.textContent ?? '',
  ]));
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  return new Map(/** @type {[string, string][]} */ (all));
}

const NAMES = ['flame', 'top', 'sandwich', 'graph', 'source', 'disasm', 'peek', 'traces', 'tags'];

check('every view has keys for search, matches, callers, back, link and command, and lists them', async ({ page, open }) => {
  for (const view of [...NAMES, 'raw', 'advice']) {
    await open(`/${view}?fn=main.addLine&q=runtime&as=list`); // of labels, which this profile has not
    const keys = await keysListed(page);
    for (const key of ['/', '?', 'B', 'S', 'L', 'C', 'y', 'n', 'N']) {
      assert.ok(keys.has(key), `${view} lacks ${key}: ${[...keys.keys()].join(', ')}`);
    }
    if (view === 'flame' || view === 'graph') assert.ok(keys.has('+ =') || keys.has('+ = w'), `${view}: ${[...keys.keys()].join(', ')}`);
  }
}, { expect: [/422/], mayShift: true }); // the program isn't there to be disassembled

check('callers by a key, and the way back by another', async ({ page, open }) => {
  await open('/top?fn=main.addLine&q=addLine');
  await page.locator('#view').focus();
  await page.keyboard.press('S');
  await page.getByRole('tab', { name: 'Sandwich', selected: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('fn'), 'main.addLine');
  await page.keyboard.press('B');
  await page.getByRole('tab', { name: 'Top', selected: true }).waitFor();
});

check('n and N step through lines of the raw profile, also those that are not fetched yet', async ({ page, open }) => {
  await open('/raw?q=regexp');
  const found = page.locator('.raw-line[aria-current]');
  await page.keyboard.press('n');
  await found.getByText(/regexp/).waitFor();
  const first = await found.innerText();
  await page.keyboard.press('N'); // the last one, far below
  await eventually(async () => assert.notEqual(await found.innerText(), first));
  assert.match(await found.innerText(), /regexp/);
  await page.keyboard.press('n');
  await eventually(async () => assert.equal(await found.innerText(), first));
}, { mayShift: true });

check('n and N step through marked rows where there are no functions to select', async ({ page, open }) => {
  await open('/peek?match=addLine&q=regexp');
  const focused = () => page.evaluate(() => document.activeElement?.closest('.marked')?.textContent ?? '');
  await page.keyboard.press('n');
  const first = await focused();
  assert.match(first, /regexp/);
  await page.keyboard.press('n');
  assert.notEqual(await focused(), first);
  await page.keyboard.press('N');
  assert.equal(await focused(), first);
});

check('n and N step through matches where a list of functions is', async ({ page, open }) => {
  for (const view of ['sandwich', 'source', 'top']) {
    await open(`/${view}?q=regexp`);
    const fn = () => new URL(page.url()).searchParams.get('fn') ?? '';
    await page.keyboard.press('n');
    await eventually(() => assert.match(fn(), /regexp/));
    const first = fn();
    await page.keyboard.press('n');
    await eventually(() => assert.notEqual(fn(), first));
    await page.keyboard.press('N');
    await eventually(() => assert.equal(fn(), first));
  }
}, { mayShift: true });

/** @param {Page} page */
const table = (page) => page.getByRole('grid', { name: 'Functions by cost' });

check('a wide window has the table beside the flame graph, until it is put away', async ({ page, open }) => {
  await open('/flame');
  await table(page).waitFor();
  await page.keyboard.press('t');
  await table(page).waitFor({ state: 'detached' });
  assert.match(page.url(), /beside=0/); // so does a link
  await open('/flame');
  assert.equal(await table(page).count(), 0); // and the browser remembers
  await page.keyboard.press('t');
  await table(page).waitFor();
}, { viewport: { width: 1600, height: 900 }, mayShift: true });

check('a window below that has not', async ({ page, open }) => {
  await open('/flame');
  assert.equal(await table(page).count(), 0);
}, { viewport: { width: 1599, height: 900 } });

for (const width of [360, 640, 1024, 1280, 1920, 2560]) {
  check(`In short has the name of the costliest line at ${width} pixels`, async ({ page, open }) => {
    await open('/top');
    const first = page.getByRole('list', { name: 'Your most expensive lines' }).getByRole('link').first();
    assert.match(await first.innerText(), /^addLine( index\.go)?:\d+ [\d.]+%/);
    const box = await first.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
    const whole = await first.locator('.summary-fn').evaluate((el) => el.scrollWidth <= el.clientWidth + 1);
    assert.ok(whole, 'the name is cut off');
    if (width < 960) return; // there it scrolls
    const facts = page.getByRole('region', { name: 'In short' }).locator('.summary-facts');
    const style = await facts.evaluate((el) => [getComputedStyle(el).textOverflow, getComputedStyle(el.lastElementChild ?? el).display]);
    assert.deepEqual(style, ['ellipsis', 'inline-block'], 'what has no room has to go as a whole');
    const beyond = await page.locator('.summary-told li').evaluateAll((all) => all.filter((li) => li.scrollWidth > li.clientWidth).length);
    assert.equal(beyond, 0, 'Firefox leaves out what reaches beyond its place');
    const right = await facts.evaluate((el) => el.getBoundingClientRect().right);
    assert.ok(right <= width, `${right} > ${width}: half a number reads as another one`);
  }, { viewport: { width, height: 800 } });
}

compared('In short of a comparison leaves a telephone to the view', async ({ page, open, url }) => {
  await page.goto(url);
  await settled(page);
  const box = await page.getByRole('region', { name: 'In short' }).boundingBox();
  assert.ok(box && box.height <= 189, JSON.stringify(box));
}, { viewport: { width: 360, height: 740 } });

// 1280 × 800 at 200 % zoom, and a low window.
for (const [width, height, least] of /** @type {const} */ ([[640, 400, 230], [1280, 480, 200]])) {
  check(`a window of ${width} × ${height} leaves room for the graph`, async ({ page, open }) => {
    await open('/flame');
    const box = await page.locator('.flame-main').boundingBox();
    const seen = Math.min(height, (box?.y ?? height) + (box?.height ?? 0)) - (box?.y ?? height);
    assert.ok(seen >= least, `${seen} pixels of the graph are seen: ${JSON.stringify(box)}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it scrolls sideways');
  }, { viewport: { width, height } });
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Holds a finger at a place, as Safari tells of it: with no event of its own for a long press. @param {Page} page */
async function hold(page, /** @type {number} */ x, /** @type {number} */ y) {
  await page.evaluate(([x, y]) => {
    const target = document.elementFromPoint(x, y);
    const finger = { bubbles: true, cancelable: true, pointerId: 7, pointerType: 'touch', isPrimary: true, clientX: x, clientY: y };
    target?.dispatchEvent(new PointerEvent('pointerdown', finger));
    setTimeout(() => target?.dispatchEvent(new PointerEvent('pointerup', finger)), 800);
  }, /** @type {const} */ ([x, y]));
}

check('a long press opens the menu of a frame, and of a row', async ({ page, open }) => {
  await open('/flame');
  const { nodes, total } = await nodesOf(page);
  const node = widest(nodes, 'main.addLine');
  const canvas = await page.locator('.flame-overlay').first().boundingBox();
  assert.ok(canvas);
  const at = page.url();
  await hold(page, canvas.x + ((node.from + node.total / 2) / total) * canvas.width, canvas.y + (node.depth + 0.5) * 20);
  await page.getByRole('menu', { name: 'Actions on main.addLine' }).waitFor();
  await page.waitForTimeout(600); // until the finger is up: it is neither a tap nor a zoom
  assert.equal(page.url(), at);
  await page.keyboard.press('Escape');

  await open('/top');
  const row = await table(page).locator('[data-row]').first().boundingBox();
  assert.ok(row);
  await hold(page, row.x + row.width / 2, row.y + row.height / 2);
  await page.getByRole('menu', { name: /^Actions on / }).waitFor();
}, { ...PHONE, mayShift: true });

compared('at 200 % zoom no empty strip is below the sentences of a comparison', async ({ page, open }) => {
  await open('/');
  await open(`/source${new URL(page.url()).search}&fn=main.addLine`);
  const strip = await page.getByRole('region', { name: 'In short' }).evaluate((el) => {
    const text = el.querySelector('.summary-change');
    const ends = [...(text?.getClientRects() ?? [])].map((r) => r.bottom);
    return el.getBoundingClientRect().bottom - Math.max(...ends);
  });
  assert.ok(strip < 24, `${strip} pixels are empty`);
}, { viewport: { width: 640, height: 400 }, mayShift: true });

compared('in forced colours the line below the tabs has no gaps', async ({ page, open }) => {
  await open('/');
  const { line, tabs } = await page.getByRole('tablist', { name: 'Views' }).evaluate((el) => ({
    tabs: el.getBoundingClientRect().bottom, line: (el.closest('.tabs')?.getBoundingClientRect().bottom ?? 0) - 1,
  }));
  assert.ok(tabs <= line + 0.5, `tabs end at ${tabs}, on the line at ${line}`);
}, { forcedColors: 'active' });
