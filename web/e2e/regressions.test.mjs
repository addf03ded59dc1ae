// @ts-check
// The page of regressions, and what leads to it. bench/fleet says what is in the services.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { clean } from './axe.mjs';
import { focused, tabTo } from './focus.mjs';
import { allowClipboard, downloaded, eventually, settled, suite } from './page.mjs';
import { regressed } from './regressed.mjs';
import { serveStore } from './store.mjs';

/** @typedef {import('./page.mjs').Page} Page */

/**
 * Of those found, the one of Discounts stays, so that the hour of the day changes nothing. A server keeps more, also resolved ones:
 * another function has a tenth of it.
 */
const caused = (/** @type {any} */ r) => ({
  ...r, callees: true,
  causes: [r.function, 'strings.EqualFold'].map((name, i) => (
    { function: name, callees: i === 0, caller: false, growth: r.growth, share: r.share / (i + 1) }
  )),
});
const isDiscounts = (/** @type {any} */ r) => r.service === 'shop' && r.kind === 'cpu' && /Discounts/.test(r.function);
const change = (/** @type {any[]} */ all) => all.filter(isDiscounts).slice(0, 1).map(caused).flatMap((r) => [r, {
  ...r, id: '0123456789abcdef', function: 'strings.ToLower', callees: false, causes: [], new: [],
  before: r.before / 10, after: r.after / 10, share: r.share / 10, state: 'resolved', resolved: r.found,
}]);

// What the server finds itself, after five minutes, would come on top.
const config = '[regressions]\nevery = "24h"\n';

const check = suite([], { start: () => regressed({ days: 5, config, change }) });
const quiet = suite([], { start: () => serveStore() });

/** @param {Page} page */
const cards = (page) => page.getByRole('article');

/** @param {Page} page @param {string} name */
const card = (page, name) => page.getByRole('article', { name: new RegExp(name) });

const DISCOUNTS = /pricing\.\(\*Engine\)\.Discounts/;

check('a regression is a sentence with figures and causes, and leads to its comparison', async ({ page, open }) => {
  await open('/');
  await page.getByRole('link', { name: 'Regressions 1 open' }).click();
  await settled(page);
  assert.equal(await cards(page).count(), 1);
  const heading = String(await cards(page).getByRole('heading').textContent());
  const named = /^Since v1\.4\.0 \(\d+ \w+ \d\d:\d\d, 4 of 4 instances\) pricing\.\(\*Engine\)\.Discounts(?: itself|, with)/;
  assert.match(heading, named);
  const text = String(await cards(page).textContent());
  const [low, high] = (/\+(\d+)% to \+(\d+)%/.exec(text) ?? []).slice(1).map(Number);
  for (const part of [/shop\s*CPU/, /\+\d+% to \+\d+%/, /\d+\.\d+ → \d+\.\d+ms\s*per request/, /% of the service/, /strings\.EqualFold/]) {
    assert.match(text, part);
  }
  await cards(page).getByRole('link', { name: 'Compare' }).click();
  await settled(page);
  // The comparison has the same figures, for the same times.
  const { pathname, searchParams } = new URL(page.url());
  assert.equal(pathname, '/diff');
  for (const side of ['profile', 'base']) assert.match(String(searchParams.get(side)), /&from=\d{13}&to=\d{13}&.*per=request/);
  assert.equal(searchParams.get('normalize'), null); // requests have the load in them
  assert.match(await page.getByRole('region', { name: 'In short' }).getByRole('paragraph').first().innerText(), /^Per request, CPU time /);
  // The function that explains the change is first, not its callers.
  const first = page.getByRole('grid', { name: 'Functions by change' }).getByRole('row').nth(1);
  assert.match(String(await first.textContent()), /Discounts|EqualFold/);
  const row = page.getByRole('row', { selected: true });
  assert.match(String(await row.textContent()), DISCOUNTS);
  // The row has what the function itself takes, and what it takes with what it calls.
  const compared = [...String(await row.textContent()).matchAll(/\+(\d+\.\d)%/g)].map((m) => Number(m[1]));
  const beside = 15; // points: the comparison weighs days and instances otherwise than the page
  assert.ok(compared.some((c) => c > Number(low) - beside && c < Number(high) + beside),
    `${compared}% in the comparison, ${low}% to ${high}% on the page`);
  await page.goBack();
  await settled(page);
  await cards(page).getByRole('link', { name: 'strings.EqualFold' }).click();
  await settled(page);
  assert.match(String(await page.getByRole('row', { selected: true }).textContent()), /strings\.EqualFold/);
});

check('acknowledged with a reason, and taken back', async ({ page, open }) => {
  await open('/regressions');
  await cards(page).getByRole('button', { name: 'Acknowledge' }).click();
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await reason.fill('expected: <b>more</b> discounts');
  await clean(page);
  await reason.press('Enter');
  await page.getByRole('heading', { name: 'No open regressions' }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole('link', { name: 'Regressions', exact: true }).count(), 1));
  await page.getByRole('link', { name: 'Acknowledged 1' }).click();
  await cards(page).getByText(/^Acknowledged, .*: expected: <b>more<\/b> discounts$/).waitFor();
  await page.reload();
  await settled(page);
  assert.equal(await cards(page).count(), 1);
  await cards(page).getByRole('button', { name: 'Take back' }).click();
  await page.getByRole('link', { name: 'Open 1' }).click();
  await settled(page);
  assert.equal(await cards(page).count(), 1);
  assert.equal(await page.getByText('Acknowledged,').count(), 0);
});

check('filters are in the link, and a link to one survives that it is resolved', async ({ page, open }) => {
  await open('/regressions');
  await page.getByRole('link', { name: 'All 2' }).click();
  await page.getByRole('combobox', { name: 'Service' }).selectOption('shop');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('CPU');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Latest first');
  await page.getByRole('searchbox', { name: 'Find regressions' }).fill('tolower');
  await eventually(async () => assert.equal(await cards(page).count(), 1));
  assert.match(page.url(), /find=tolower&order=latest&service=shop&kind=cpu&state=all/);
  await page.reload();
  await settled(page);
  await card(page, 'ToLower').getByText(/^The check of .+ found the cost as before$/).waitFor();
  await allowClipboard(page);
  await card(page, 'ToLower').getByRole('button', { name: 'Copy a link' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /\/regressions\?id=[0-9a-f]{16}$/);
  await page.goto(link);
  await settled(page);
  assert.equal(await cards(page).count(), 2);
  await eventually(async () => assert.match(await focused(page), /^article shop CPUresolved/));
  await open('/regressions?service=search');
  await page.getByRole('heading', { name: 'No open regression matches' }).waitFor();
  await page.getByRole('button', { name: 'Show all 1' }).click();
  await card(page, 'Discounts').waitFor();
  await open('/regressions?id=gone&kind=heap&find=nothing');
  await page.getByText('The regression of this link isn’t kept any more.').waitFor();
});

check('keys walk through the list, and act on what has the focus', async ({ page, open }) => {
  await open('/regressions?state=all');
  await page.keyboard.press('j');
  const first = await focused(page);
  await page.keyboard.press('ArrowDown');
  const second = await focused(page);
  assert.ok(first.startsWith('article') && second.startsWith('article') && first !== second, `${first} | ${second}`);
  await page.keyboard.press('k');
  assert.equal(await focused(page), first);
  await page.keyboard.press('End');
  assert.equal(await focused(page), second);
  await page.keyboard.press('Home');
  await page.keyboard.press('a');
  await page.getByRole('textbox', { name: 'Reason' }).waitFor();
  await eventually(async () => assert.match(await focused(page), /^input/));
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  for (const label of ['Next', 'Compare before and after', 'Acknowledge, or take that back']) {
    await help.getByText(label, { exact: true }).waitFor();
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(new URL(page.url()).pathname, '/diff');
  await page.keyboard.press('g');
  await page.keyboard.press('2'); // the second page
  await settled(page);
  await cards(page).first().waitFor();
  await tabTo(page, /^a Compare/);
});

check('marks on the timeline and the start page lead to it', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('link', { name: '1 open regression of shop' }).click();
  await card(page, 'Discounts').waitFor();
  assert.match(page.url(), /\/regressions\?service=shop$/);
  const selection = new URLSearchParams({ q: 'cpu{service="shop"}', from: '-3d', to: 'now', per: 'second' });
  const profile = encodeURIComponent(`sel:${selection}`);
  for (const heat of ['', '&heat=instance']) {
    await open(`/flame?profile=${profile}${heat}`);
    await page.getByRole('button', { name: /^2 regressions since/ }).click();
    const menu = page.getByRole('menu');
    await menu.getByRole('menuitem', { name: /^pricing\.\(\*Engine\)\.Discounts \+\d+% CPU$/ }).waitFor();
    await clean(page, { where: heat });
    await menu.getByRole('menuitem', { name: /^strings\.ToLower \+\d+% CPU, resolved$/ }).click();
    await settled(page);
    await eventually(async () => assert.match(await focused(page), /ToLower|resolved/));
  }
});

check('saved as CSV', async ({ page, open }) => {
  await open('/regressions?state=all');
  const file = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
  const lines = readFileSync(await file.path(), 'utf8').trim().split('\r\n');
  assert.equal(lines.length, 3);
  assert.match(String(lines[1]), /,open,shop,cpu,v1\.4\.0,\d{4}-.*example\.com\/shop\/pricing\.\(\*Engine\)\.Discounts,(?:yes|no),\+\d+%/);
});

check('who may only read is offered nothing to change', async ({ page, open }) => {
  await page.route('**/api/v1/status', async (route) => {
    const answer = await route.fetch();
    const status = await answer.json();
    await route.fulfill({ json: { ...status, user: { name: 'alice', roles: ['read'], by: 'token' } } });
  });
  await open('/regressions');
  await page.getByText('alice', { exact: true }).first().waitFor();
  assert.equal(await cards(page).getByRole('link', { name: 'Compare' }).count(), 1);
  assert.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0);
});

check('a failure is told, with a way on', async ({ page, open }) => {
  let fails = true;
  await page.route('**/api/v1/regressions', async (route) => {
    if (fails) await route.fulfill({ status: 500, json: { error: 'the file of regressions can’t be read' } });
    else await route.continue();
  });
  await open('/regressions');
  await page.getByText('the file of regressions can’t be read').waitFor();
  fails = false;
  await page.getByRole('button', { name: 'Retry' }).click();
  await card(page, 'Discounts').waitFor();
}, { allow: [/console: .*500/] });

quiet('an empty list says what is watched, and when hone looked last', async ({ page, open, url }) => {
  await open('/regressions');
  await page.getByRole('heading', { name: 'No open regressions' }).waitFor();
  const list = page.getByRole('region', { name: 'List of regressions' });
  await list.getByText('Not checked since the server started, every 5 min, 0 services.').waitFor();
  await list.getByText('It has compared nothing yet').waitFor();
  await clean(page);
  const looked = Date.UTC(2026, 10, 26, 14, 5);
  await page.route(`${url}/api/v1/regressions/summary`, (route) => route.fulfill({ json: {
    looked, every: 3e11, services: [{ name: 'shop', kinds: ['cpu', 'heap'], compared: looked, open: 0, acknowledged: 0, resolved: 0 }],
  } }));
  await page.reload();
  await list.getByText('Checked 26 Nov 14:05 UTC, every 5 min, 1 service.').waitFor();
  await list.getByRole('row', { name: 'shop CPU, Memory 26 Nov 14:05 UTC' }).waitFor();
  await clean(page);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  // Colours that the system forces are the same in both.
  const forced = /** @type {const} */ ({ viewport: { width: 1280, height: 800 }, forcedColors: 'active', reducedMotion: 'reduce' });
  for (const [where, settings] of /** @type {const} */ ([
    ['a desktop', { viewport: { width: 1280, height: 800 } }],
    ['a telephone', { viewport: { width: 360, height: 740 } }],
    ['a zoom of 200 %', { viewport: { width: 640, height: 400 } }],
    ...(colorScheme === 'light' ? [/** @type {const} */ (['forced colours', forced])] : []),
  ])) {
    check(`it can be read on ${where}, ${colorScheme}`, async ({ page, open }) => {
      await open('/regressions?state=all');
      await card(page, 'Discounts').waitFor();
      await clean(page, { contrast: colorScheme === 'dark', where });
      const wide = await page.evaluate(() => Math.max(
        ...[...document.querySelectorAll('html, #view, .pane, .pane-scroll, .pane-bar')].map((e) => e.scrollWidth - e.clientWidth),
      ));
      assert.ok(wide <= 0, `${wide} px stick out`);
      const [region, compare] = await Promise.all([
        page.getByRole('region', { name: 'List of regressions' }).boundingBox(),
        cards(page).first().getByRole('link', { name: 'Compare' }).boundingBox(),
      ]);
      assert.ok(region && compare && compare.x >= region.x && compare.x + compare.width <= region.x + region.width);
    }, { ...settings, colorScheme });
  }
}
