// @ts-check
// The endpoints of a service: what a request costs, how many there are, and the flame graph of each.

import assert from 'node:assert/strict';
import { clean } from './axe.mjs';
import { tabTo } from './focus.mjs';
import { eventually, settled, suite } from './page.mjs';
import { ask } from './store.mjs';
import { weeks } from './weeks.mjs';

const END = Date.parse('2026-11-20T12:00:00Z');
const HOURS = 3_600_000; // ms

const check = suite([], { start: () => weeks({ end: '2026-11-20T12:00:00Z', days: 3 }) });

/** @param {string} q @param {string} [more] */
const link = (q, more = '') => `/endpoints?${new URLSearchParams({
  profile: `sel:${new URLSearchParams({ q, from: String(END - 6 * HOURS), to: String(END), per: 'second' })}`,
})}${more}`;

const SHOP = 'cpu{service="shop"}';

check('endpoints have the figures of the API, and lead to their flame graphs', async ({ page, open, url }) => {
  await open(link(SHOP));
  const table = page.getByRole('grid', { name: 'Endpoints' });
  const { endpoints } = await ask(url, `endpoints?${new URLSearchParams({ q: SHOP, from: String(END - 6 * HOURS), to: String(END) })}`);
  const names = await table.locator('.record-link').allTextContents();
  assert.deepEqual(names, endpoints.map((/** @type {{ endpoint: string }} */ e) => e.endpoint || 'outside of requests'));
  const checkout = endpoints.find((/** @type {{ endpoint: string }} */ e) => e.endpoint === '/checkout');
  const cells = await table.getByRole('row').filter({ hasText: '/checkout' }).getByRole('gridcell').allTextContents();
  assert.equal(cells[1], `${(checkout.cost / 1e6).toFixed(2)}ms`);
  assert.equal(cells[2], `${Number((checkout.requests / 6 / 3600).toPrecision(3))}/s`);
  await page.getByRole('group', { name: 'Over time' }).getByRole('button', { name: 'Requests' }).click();
  await page.getByLabel(/^Requests per second of 4 endpoints/).waitFor();
  await table.getByRole('link', { name: '/checkout', exact: true }).click();
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await settled(page);
  assert.equal(new URL(page.url()).searchParams.get('tagfocus'), 'endpoint=^/checkout$');
}, { mayShift: true });

check('requests are chosen as a kind by their endpoints, since they have no stacks', async ({ page, open }) => {
  await open(link(SHOP).replace('/endpoints', '/flame'));
  await page.getByRole('button', { name: /^kind/ }).click();
  await page.getByRole('group', { name: 'kind' }).getByRole('button', { name: /^requests/ }).click();
  await page.getByRole('tab', { name: 'Endpoints', selected: true }).waitFor();
  await page.getByLabel(/^Requests per second of 4 endpoints/).waitFor();
  assert.match(page.url(), /cpu%257B/);
  for (const view of ['flame', 'graph', 'top', 'sandwich', 'traces']) {
    await open(link(SHOP.replace('cpu', 'requests')).replace('/endpoints', `/${view}`));
    await page.getByRole('heading', { name: 'Requests have no stacks' }).waitFor();
  }
  await page.getByRole('button', { name: 'Open Endpoints' }).click();
  await page.getByLabel(/^Requests per second of 4 endpoints/).waitFor();
}, { mayShift: true });

check('costs per request compare, where requests are counted', async ({ page, open }) => {
  await open(link(SHOP).replace('/endpoints', '/diff'));
  await page.getByRole('combobox', { name: 'Values' }).selectOption('Per request');
  await settled(page);
  await page.keyboard.press('p');
  await settled(page);
  await eventually(async () => assert.match(
    await page.getByRole('region', { name: 'In short' }).getByRole('paragraph').first().innerText(), /^Per request, CPU time /,
  ));
  await open(link('heap{service="shop"}').replace('/endpoints', '/flame'));
  const values = page.getByRole('combobox', { name: 'Values' }).locator('option');
  assert.deepEqual(await values.allInnerTexts(), ['Sum', 'Per profile', 'Per second']);
}, { mayShift: true });

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing in endpoints, ${colorScheme}`, async ({ page, open }) => {
    await open(link(SHOP));
    await clean(page);
  }, { colorScheme });
}

for (const width of [360, 2560]) {
  check(`endpoints fit a window of ${width}`, async ({ page, open }) => {
    await open(link(SHOP));
    await page.getByRole('link', { name: '/checkout', exact: true }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
  }, { viewport: { width, height: 800 } });
}

check('endpoints by keyboard alone', async ({ page, open }) => {
  await open(link(SHOP));
  await tabTo(page, /^grid Endpoints/, 120);
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /endpoint=/));
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
}, { mayShift: true });

check('without endpoints the view says how to count requests', async ({ page, open }) => {
  await page.route('**/api/v1/endpoints?*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const endpoints = answer.endpoints.filter((/** @type {{ endpoint: string }} */ e) => e.endpoint === '');
    await route.fulfill({ response, json: { ...answer, endpoints, warnings: ['No sample has the label endpoint.'] } });
  });
  await open(link(SHOP));
  await page.getByRole('heading', { name: 'No endpoints' }).waitFor();
  await page.getByText('No sample has the label endpoint.').waitFor();
  await page.getByText('agent.CountRequests(mux)').waitFor();
});

check('at 1280 px all tabs of a service are in sight', async ({ page, open }) => {
  await open(link(SHOP));
  const [inner, outer] = await page.getByRole('tablist', { name: 'Views' }).evaluate((el) => [el.scrollWidth, el.clientWidth]);
  assert.ok(Number(inner) <= Number(outer), `${inner} > ${outer}`);
});

check('profiles are told apart by what ran, what it cost and what it did', async ({ page, open }) => {
  await open(link(SHOP).replace('/endpoints', '/records'));
  const table = page.getByRole('grid', { name: 'Profiles' });
  const heads = await table.getByRole('columnheader').allInnerTexts();
  for (const head of ['× mean', 'Top function', 'instance', 'version']) assert.ok(heads.includes(head), `${head} is not in ${heads}`);
  await table.getByRole('row').nth(1).getByText(/^pricing\.|Discounts$/).first().waitFor();
}, { viewport: { width: 1440, height: 800 } });

check('the costliest profile of each time leads to its costliest span', async ({ page, open, url }) => {
  const asked = `exemplars?${new URLSearchParams({ q: SHOP, from: String(END - 6 * HOURS), to: String(END) })}`;
  const { exemplars } = await ask(url, asked);
  const costliest = (/** @type {any[]} */ all) => all.reduce((a, b) => (b.value > a.value ? b : a)); // all are as long
  let traced = false;
  const span = { id: '00f067aa0ba902b7', name: 'POST /checkout', trace: '4bf92f3577b34da6a3ce929d0e0e4736', value: 5e9 };
  await page.route('**/api/v1/exemplars?*', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    if (traced) costliest(answer.exemplars).span = { ...span, profile: `${costliest(answer.exemplars).profile}&span=${span.id}` };
    await route.fulfill({ response, json: answer });
  });
  await open(link(SHOP).replace('/endpoints', '/records'));
  await page.getByRole('button', { name: 'Costliest and their spans' }).click();
  const table = page.getByRole('grid', { name: 'Costliest profiles' });
  const cells = table.getByRole('row').nth(1).getByRole('gridcell');
  await cells.first().waitFor();
  const rows = await table.getByRole('row').allInnerTexts();
  const costs = rows.flatMap((row) => /[\d.]+(?= cores)/.exec(row) ?? []);
  assert.ok(costs.length > 5);
  assert.deepEqual(costs, costs.toSorted((a, b) => Number(b) - Number(a)));
  assert.equal(new Set(costs.map((c) => c.split('.')[1]?.length)).size, 1, costs.join(' '));
  assert.equal(await table.getByRole('columnheader', { name: 'Costliest span' }).count(), 0); // no profile has one
  traced = true;
  await page.reload();
  await table.getByRole('link', { name: 'POST /checkout, 5s' }).waitFor();
  await page.getByText(new RegExp(`^${exemplars.length} profiles, the costliest of each `)).waitFor();
  await clean(page);
  await page.goto(url + await table.getByRole('link', { name: 'POST /checkout, 5s' }).getAttribute('href'));
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  assert.match(decodeURIComponent(page.url()), /span=00f067aa0ba902b7/);
}, { mayShift: true, viewport: { width: 1440, height: 800 }, allow: [/console: .*404/] }); // the store has no such span
