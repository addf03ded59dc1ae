// @ts-check
// Comparisons: your code unless one wants all, a list with intervals, a table with the
// colours of the flame graph, both sides at once; and labels as a grid, two of them compared.

import assert from 'node:assert/strict';
import { serve } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';
import { serveStore } from './store.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const compared = suite(['-base', wordindex, tuned]);

/** @param {Page} page */
const rows = (page) => page.getByRole('grid', { name: 'Functions by change' }).getByRole('row').filter({ has: page.getByRole('gridcell') });
/** @param {Page} page */
const mine = (page) => page.getByRole('button', { name: 'Your code' });
/** @param {Page} page */
const sentences = (page) => page.getByRole('region', { name: 'In short' }).getByRole('paragraph');

compared.core('a comparison opens with the list of your code, and the switch for all is kept', async ({ page, open, server }) => {
  assert.match(server.log(), /Serving on \S+\/diff\?base=\w+&profile=\w+;/);
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

compared('a phone has the interval of a change, and both sides', async ({ page, open }) => {
  await open('/diff');
  assert.match(await rows(page).first().innerText(), /-\d.*%[^]*\[-.*\] \S+ → /);
}, { viewport: { width: 360, height: 720 } });

const library = suite([], { start: () => serve(['-base', 'testdata/cpu.std-json.pb.gz', 'testdata/cpu.std-flate.pb.gz']) });

library('a comparison without code of yours shows all', async ({ page, open }) => {
  await open('/flame');
  assert.equal(await mine(page).getAttribute('aria-pressed'), 'false');
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  const named = await page.getByRole('grid', { name: 'Functions by cost' }).getByRole('row').allInnerTexts();
  assert.ok(named.some((t) => /compress\/flate/.test(t)), named.join(' '));
});

compared('the code of a comparison is of functions, and says what their own cost has', async ({ page, open }) => {
  await open('/');
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.getByText('Most changed').first().waitFor();
  const functions = page.locator('.code-fn');
  await functions.first().waitFor();
  const names = await functions.evaluateAll((all) => all.map((el) => el.getAttribute('aria-label')));
  for (const name of names) assert.match(name ?? '', /^main\./);
  assert.match(await page.locator('.code-side').first().innerText(), /, self \S+ with calls outside your code/);
  await mine(page).click();
  await settled(page);
  await functions.first().waitFor();
  await eventually(async () => assert.doesNotMatch(await page.locator('.code-side').first().innerText(), /outside your code/));
});

compared('a view of one function begins with what the sentences and the list name first', async ({ page, open }) => {
  await open('/');
  const first = await rows(page).first().locator('.fname').innerText();
  await page.getByRole('tab', { name: 'Sandwich' }).click();
  await settled(page);
  await eventually(async () => assert.equal(await page.locator('.sandwich-bar h2').innerText(), first));
  assert.ok(await page.locator('.flame-graph[data-ready="true"]').count() > 0);
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

compared('what is noise has neither arrow nor colour', async ({ page, open, url }) => {
  await open('/');
  const query = new URL(page.url()).searchParams;
  const of = new URLSearchParams({ profile: query.get('profile') ?? '', base: query.get('base') ?? '', mine: 'true' });
  const { report } = await (await fetch(`${url}/api/v1/report/diff?${of}`)).json();
  const noise = report.rows.map((/** @type {any} */ r) => r.noise.flat);
  assert.ok(noise.includes(true) && noise.includes(false), 'both are there');
  for (const [i, grey] of noise.slice(0, 12).entries()) {
    const row = rows(page).nth(i);
    const text = await row.innerText();
    assert.equal(/[▲▼]/.test(text), !grey, text);
    assert.equal(await row.locator('.cell.more, .cell.less, .badge.more, .badge.less').count() > 0, !grey, text);
  }
}, { viewport: { width: 1440, height: 1000 } });

compared('with callees, what explains the change comes before its callers', async ({ page, open }) => {
  await open('/');
  await page.goto(`${page.url()}&sort=cum&mine=false`);
  await settled(page);
  assert.equal(await page.getByRole('columnheader', { name: 'Change', exact: true }).getAttribute('aria-sort'), 'none');
  await page.getByText('What explains the change best comes first').waitFor();
  const named = await rows(page).allInnerTexts();
  const at = (/** @type {RegExp} */ name) => named.findIndex((t) => name.test(t));
  assert.ok(at(/main\.indexText/) >= 0 && at(/main\.indexText/) < at(/main\.main\b/), named.join(' | '));
  await page.getByRole('button', { name: 'Change' }).first().click();
  await settled(page);
  assert.match(page.url(), /order=-delta/);
}, { viewport: { width: 1440, height: 1000 }, mayShift: true });

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
  await page.keyboard.press('X');
  await settled(page);
  assert.equal(await page.locator('.flame-graph').count(), 1);
}, { mayShift: true });

const labelled = suite([labels]);

labelled('a grid has the values of a label on one scale, and finds', async ({ page, open, url }) => {
  await open('/tags?label=endpoint');
  const id = new URL(page.url()).searchParams.get('profile');
  const { report } = await (await fetch(`${url}/api/v1/report/tags?profile=${id}`)).json();
  const { values, total } = report.keys.find((/** @type {any} */ k) => k.key === 'endpoint');
  const rest = report.total.value - total.value;
  const cards = page.locator('.card');
  const names = [...values.map((/** @type {any} */ v) => v.value), 'without endpoint'];
  assert.deepEqual(await cards.locator('.card-name').allInnerTexts(), names);
  const shares = () => cards.locator('.card-sum').evaluateAll((all) =>
    all.map((el) => parseFloat(/** @type {HTMLElement} */ (el).style.getPropertyValue('--share'))));
  const bars = await shares();
  const costs = [...values.map((/** @type {any} */ v) => v.sum.value), rest];
  bars.forEach((share, i) => assert.ok(Math.abs(share - (100 * costs[i]) / Math.max(...costs)) < 0.01, `${share} at ${i}`));
  const others = cards.last();
  await others.locator('.card-fn').first().waitFor();
  assert.ok(Math.abs(parseFloat(await others.locator('.card-sum .soft').innerText()) - 100 * rest / report.total.value) < 0.01);
  // Functions are one's own, and their shares are of the total, as those of the values are.
  const functions = await cards.first().locator('.card-fn').evaluateAll((all) => all.map((el) => /** @type {HTMLElement} */ (el).title));
  assert.match(functions[0] ?? '', /^main\./);
  for (const name of functions) assert.match(name, /^main\.|^runtime: |^library: /);
  const parts = await cards.first().locator('li .num').allInnerTexts();
  const whole = parseFloat(await cards.first().locator('.card-sum .soft').innerText());
  assert.ok(Math.abs(whole - 100 * values[0].sum.value / report.total.value) < 0.01, `${whole}%`);
  assert.ok(parts.reduce((sum, text) => sum + parseFloat(text), 0) < whole + 0.1, `${parts} of ${whole}`);
  // Arrows walk from card to card, and what is searched for is marked.
  await cards.locator('.card-name').first().focus();
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), values[1].value);
  await page.locator('#search').fill('main\\.');
  await eventually(async () => assert.ok(await cards.locator('.card-marked').count() > 0, 'nothing is marked'));
  await page.locator('#search').fill('');
  await page.getByRole('searchbox', { name: 'Find a value of endpoint' }).fill('search');
  await eventually(async () => assert.deepEqual(await cards.locator('.card-name').allInnerTexts(), ['/search']));
  assert.match(page.url(), /find=search/);
  const at = values.findIndex((/** @type {any} */ v) => v.value === '/search');
  assert.deepEqual(await shares(), [bars[at]]); // the scale stays
});

labelled('two values of a label compare', async ({ page, open }) => {
  await open('/tags?label=endpoint');
  const names = await page.locator('.card-name').allInnerTexts();
  const box = (/** @type {number} */ i) => page.getByRole('checkbox', { name: `Compare ${names[i]}` });
  await box(1).check();
  await box(0).check();
  await page.getByRole('button', { name: `Compare ${names[1]} with ${names[0]}` }).click();
  await settled(page);
  assert.match(page.url(), /\/diff\?.*profile=part.*base=part/);
  const header = page.getByRole('group', { name: 'Comparison' });
  await header.getByText(`endpoint=${names[1]}`).waitFor();
  await header.getByText(`endpoint=${names[0]}`).waitFor();
  assert.match(await sentences(page).first().innerText(), /^CPU time (rose|fell) by|didn\u2019t change by more than chance|clear whether/);
  assert.ok(await rows(page).count() > 0);
  // The link works for others, too.
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await settled(page);
  assert.ok(await rows(page).count() > 0);
  // By another label, the grid has the changes between both.
  await page.getByRole('tab', { name: 'Labels' }).click();
  await settled(page);
  await page.getByText(/values?, the largest change first/).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
}, { mayShift: true });

/** A profile with one function and a number of samples, as folded stacks. */
const body = (/** @type {number} */ n) => `main.main;main.serve;main.work ${n}\nmain.main;main.rest 5\n`;

const many = suite([], {
  start: async () => {
    const server = await serveStore();
    const now = Date.now();
    for (let i = 0; i < 300; i++) {
      const q = new URLSearchParams({
        service: 'shop', kind: 'cpu', version: 'v1', instance: `host-${String(i).padStart(3, '0')}`, time: `${now - 60_000 - i}000000`,
        duration: '10s',
      });
      const response = await fetch(`${server.url}/api/v1/profiles?${q}`, { method: 'POST', body: body(10 + i) });
      if (response.status !== 204) throw new Error(await response.text());
    }
    return server;
  },
});

many('a grid of hundreds of instances reads the dearest, and the rest as it comes into view', async ({ page, open }) => {
  /** @type {string[]} */
  const asked = [];
  page.on('request', (r) => { if (r.url().includes('/report/grid?')) asked.push(new URL(r.url()).searchParams.get('offset') ?? ''); });
  await open('/');
  await page.getByRole('grid', { name: 'Services' }).getByRole('link', { name: 'shop' }).click();
  await settled(page);
  await page.getByRole('tab', { name: 'Labels' }).click();
  await settled(page);
  const cards = page.locator('.card');
  assert.equal(await cards.locator('.card-name').first().innerText(), 'host-299');
  assert.deepEqual(asked, ['0']);
  await page.getByText('300 values, the most expensive first').waitFor();
  assert.ok(await cards.count() < 60, `${await cards.count()} cards are in the document`);
  const region = page.getByRole('region', { name: 'Values of instance' });
  await region.evaluate((el) => el.scrollTo(0, el.scrollHeight));
  await eventually(async () => assert.ok((await cards.locator('.card-name').allInnerTexts()).includes('host-000')));
  await page.getByRole('searchbox', { name: 'Find a value of instance' }).fill('host-12');
  await eventually(async () => assert.deepEqual(
    await cards.locator('.card-name').allInnerTexts(), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `host-12${n}`)));
  await page.getByRole('checkbox', { name: 'Compare host-120' }).check();
  await page.getByRole('checkbox', { name: 'Compare host-129' }).check();
  await page.getByRole('button', { name: 'Compare host-120 with host-129' }).click();
  await settled(page);
  await page.getByText('vs instance host-120').waitFor();
  await sentences(page).first().waitFor();
}, { mayShift: true });

compared('traces of a comparison begin with the largest change, up or down', async ({ page, open }) => {
  await open('/traces');
  const changes = page.locator('[role=gridcell].more, [role=gridcell].less');
  await changes.first().waitFor();
  assert.match(await changes.first().innerText(), /^-[\d.]+m?s$/); // the tuned program does without
  assert.match((await page.locator('[role=gridcell].more').allInnerTexts()).join(' '), /\+[\d.]+m?s/);
});
