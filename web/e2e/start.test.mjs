// @ts-check
// The start page of `hone serve`: what to look at now. bench/fleet says what is in the services.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { tabTo } from './focus.mjs';
import { root } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { serveStore } from './store.mjs';
import { weeks } from './weeks.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([], { start: () => weeks() });

const MANY = 520; // more than the page asks for
const crowded = suite([], {
  start: async () => {
    const server = await serveStore();
    const body = new Uint8Array(readFileSync(join(root, 'examples/collect/testdata/cpu.pb.gz')));
    const now = Date.now();
    const push = async (/** @type {number} */ n) => {
      const query = new URLSearchParams({
        service: n === 7 ? '<img src=x onerror=alert(1)>' : `service-${n}`, kind: 'cpu', version: 'v1', instance: 'a',
        time: `${now - 60_000 + n}000000`, duration: '10s',
      });
      const response = await fetch(`${server.url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } });
      if (!response.ok) throw new Error(await response.text());
    };
    for (let n = 0; n < MANY; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => push(n + i)));
    return server;
  },
});

/** @param {Page} page */
const rows = (page) => page.getByRole('grid', { name: 'Services' }).getByRole('row').filter({ has: page.getByRole('gridcell') });

/** @param {Page} page */
const names = (page) => page.locator('.service-link').allTextContents();

/** The cell of a service under a title. @param {Page} page @param {string} service @param {string} title */
async function cell(page, service, title) {
  const titles = (await page.getByRole('columnheader').allTextContents()).map((text) => text.replace(/[▾▴]/, '').trim());
  assert.ok(titles.includes(title), `${title}: ${titles.join(', ')}`);
  const row = rows(page).filter({ has: page.getByRole('link', { name: service, exact: true }) });
  return row.getByRole('gridcell').nth(titles.indexOf(title));
}

/** Paths of the API that a page asks for. @param {Page} page */
function asked(page) {
  /** @type {string[]} */
  const paths = [];
  page.on('request', (r) => {
    const { pathname } = new URL(r.url());
    if (pathname.startsWith('/api/v1/')) paths.push(pathname.slice('/api/v1/'.length));
  });
  return paths;
}

check('the costliest service is first, with its usage, version and what changed', async ({ page, open }) => {
  await open('/');
  assert.deepEqual(await names(page), ['shop', 'search', 'ledger']);
  const shop = String(await rows(page).first().textContent());
  for (const text of ['4 instances', 'v1.4.0', '2 days old']) assert.ok(shop.includes(text), `${text}: ${shop}`);
  assert.match(String(await (await cell(page, 'shop', 'CPU')).textContent()), /^\d(\.\d+)? cores\d(\.\d+)? cores? each$/);
  assert.match(String(await (await cell(page, 'search', 'Memory')).textContent()), /^\d(\.\d+)?GB\d+(\.\d+)?MB each$/);
  assert.match(String(await (await cell(page, 'ledger', 'Goroutines')).textContent()), /^\d+ each$/);
  assert.equal(await page.locator('.spark path[d^="M"]').count() >= 9, true);
  const top = (await cell(page, 'shop', 'Most time in')).getByRole('listitem').first();
  assert.equal(await top.getByRole('link', { name: 'pricing.(*Engine).Discounts', exact: true }).count(), 1);
  const since = (await cell(page, 'shop', 'Since the version before')).getByRole('listitem');
  assert.match(String(await since.nth(0).textContent()), /^per request, over 24 h$/);
  assert.match(String(await since.nth(1).textContent()), /▲All CPU\+2\d\.\d%/);
  const slower = since.filter({ hasText: 'Discounts' }).first();
  assert.match(String(await slower.textContent()), /▲.*Discounts.*\+1\d\d\.\d%/);
  assert.equal(await slower.locator('.start-more').count(), 1); // it costs more, too
  const faster = (await cell(page, 'search', 'Since the version before')).getByRole('listitem').filter({ hasText: 'bm25' }).first();
  assert.match(String(await faster.textContent()), /▼.*bm25/);
  assert.equal(await faster.locator('.start-less').count(), 1);
  const today = (await cell(page, 'ledger', 'Since yesterday')).getByRole('listitem');
  assert.match(String(await today.filter({ hasText: 'report.group' }).textContent()), /▲/);
});

check('one request answers the page, and one each what changed in a service', async ({ page, open }) => {
  const paths = asked(page);
  await open('/services');
  const header = ['profiles', 'status', 'user', 'regressions/summary'];
  await eventually(() => assert.deepEqual(paths.filter((p) => !header.includes(p)).sort(), [
    'changes', 'changes', 'changes', 'overview',
  ]));
});

check('a function that changed leads to the comparison, which says the same', async ({ page, open }) => {
  await open('/services');
  await (await cell(page, 'shop', 'Since the version before')).getByRole('link', { name: /Discounts/ }).first().click();
  const grid = page.getByRole('grid', { name: 'Functions by change' });
  await grid.waitFor();
  await settled(page);
  const link = new URL(page.url()).searchParams;
  assert.match(String(link.get('profile')), /v1\.4\.0/);
  assert.match(String(link.get('base')), /v1\.3\.0/);
  const first = grid.getByRole('row').filter({ has: page.getByRole('gridcell') }).first();
  assert.match(String(await first.textContent()), /Discounts/);
});

check('the button compares the same times of two versions as their cell, so that both say the same', async ({ page, open }) => {
  const grid = page.getByRole('grid', { name: 'Functions by change' });
  const sides = async () => {
    await grid.waitFor();
    await settled(page);
    const link = new URL(page.url()).searchParams;
    return ['profile', 'base', 'normalize', 'mine'].map((name) => link.get(name));
  };
  for (const service of ['shop', 'search']) {
    await open('/services');
    await (await cell(page, service, 'Since the version before')).getByRole('link').first().click();
    const known = await sides();
    await open('/services');
    await page.getByRole('button', { name: `Compare the two latest versions of ${service}` }).click();
    assert.deepEqual(await sides(), known);
  }
});

check('versions compare per request from the cell, the button and History, and the sentence says so', async ({ page, open }) => {
  const perRequest = async () => {
    const summary = page.getByRole('region', { name: 'In short' });
    await summary.getByText(/^Per request, CPU time /).waitFor();
    const link = new URL(page.url()).searchParams;
    assert.equal(link.get('normalize'), null);
    for (const side of ['profile', 'base']) assert.match(String(link.get(side)), /per=request/);
  };
  await open('/services');
  const changed = await cell(page, 'shop', 'Since the version before');
  assert.match(await changed.innerText(), /Discounts[\s\S]*\+1\d\d\.\d%/);
  await changed.getByRole('link').first().click();
  await perRequest();
  await open('/services');
  await page.getByRole('button', { name: 'Compare the two latest versions of shop' }).click();
  await perRequest();
  await open('/services');
  await page.getByRole('grid', { name: 'Services' }).getByRole('link', { name: 'shop', exact: true }).click();
  await settled(page);
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('grid', { name: 'Functions by version' }).getByRole('link', { name: 'Compare v1.4.0 with v1.3.0' }).first().click();
  await perRequest();
});

check('History says how many versions have room in its table', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('grid', { name: 'Services' }).getByRole('link', { name: 'shop', exact: true }).click();
  await settled(page);
  await page.getByRole('tab', { name: 'History' }).click();
  await settled(page);
  const link = new URL(page.url());
  const to = Number(link.searchParams.get('span')?.split('-')[1]);
  link.searchParams.set('span', `${to - 20 * 86_400_000}-${to}`);
  await open(`${link.pathname}${link.search}`);
  const grid = page.getByRole('grid', { name: 'Functions by version' });
  await page.getByText(/\d functions, the last 4 of 5 versions have room, /).waitFor();
  assert.equal(await grid.getByRole('columnheader', { name: /^v1\./ }).count(), 4);
  await page.setViewportSize({ width: 1900, height: 900 });
  await page.getByText(/\d functions, 5 versions, /).waitFor();
}, { mayShift: true });

check('a time is at the same place in the timeline and in the chart below it', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('grid', { name: 'Services' }).getByRole('link', { name: 'shop', exact: true }).click();
  await settled(page);
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('.history-chart .chart-grid').first().waitFor({ state: 'attached' });
  await settled(page);
  const edges = await page.locator('.timeline-plot .chart-grid, .history-chart .chart-grid').evaluateAll((all) => all.map((line) => {
    const { left, right } = line.getBoundingClientRect();
    return `${Math.round(left)} ${Math.round(right)}`;
  }));
  assert.ok(edges.length > 3);
  assert.equal(new Set(edges).size, 1, edges.join(', '));
});

check('a service without profiles of a kind says so, and leads to those that it has', async ({ page, open }) => {
  const id = `sel:${new URLSearchParams({ q: 'allocs{service="shop"}', from: '-1h', per: 'sum' })}`;
  await open(`/flame?profile=${encodeURIComponent(id)}`);
  const main = page.locator('main');
  await main.getByRole('heading', { name: 'shop sends no allocs' }).waitFor();
  assert.equal(await main.getByRole('button', { name: 'Double the time range' }).count(), 0);
  await main.getByRole('button', { name: 'heap', exact: true }).click();
  await settled(page);
  assert.match(String(new URL(page.url()).searchParams.get('profile')), /q=heap/);
}, { allow: [/console: .*404/], mayShift: true });

check('History of an hour opens on a week, with what functions took beside their shares', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('grid', { name: 'Services' }).getByRole('link', { name: 'shop', exact: true }).click();
  await settled(page);
  await page.getByRole('tab', { name: 'History' }).click();
  const grid = page.getByRole('grid', { name: 'Functions by version' });
  await grid.waitFor();
  await settled(page);
  const [from, to] = (new URL(page.url()).searchParams.get('span') ?? '').split('-').map(Number);
  assert.equal(Number(to) - Number(from), 7 * 86_400_000);
  for (const version of ['v1.3.0', 'v1.4.0']) await grid.getByRole('columnheader', { name: version }).waitFor();
  const row = grid.getByRole('row').filter({ hasText: 'Discounts' }).first();
  assert.match(String(await row.textContent()), /20\.\d%0\.\d+ cores/);
});

check('a line opens the time that is pointed at, with its day as the timeline', async ({ page, open, url }) => {
  await open('/services');
  const { from, to, step } = await (await fetch(`${url}/api/v1/overview`)).json();
  const line = (await cell(page, 'shop', 'CPU')).locator('.spark-link');
  const box = await line.boundingBox();
  assert.ok(box);
  const at = { x: box.width / 4, y: box.height / 2 };
  await line.hover({ position: at });
  await (await cell(page, 'shop', 'CPU')).getByText(/^\d\d:\d\d \d(\.\d+)? cores$/).waitFor();
  await line.click({ position: at });
  await settled(page);
  const link = new URL(page.url()).searchParams;
  const selection = new URLSearchParams(String(link.get('profile')).slice('sel:'.length));
  const start = from + Math.round(Math.ceil((to - from) / step - 1) / 4) * step;
  assert.deepEqual([selection.get('from'), selection.get('to')], [String(start), String(start + step)]);
  assert.ok(link.get('span')?.startsWith(`${from}-`), String(link.get('span')));
  assert.match(String(selection.get('q')), /cpu.*shop/);
}, { mayShift: true });

check('columns order, a text narrows', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('button', { name: 'Memory' }).click();
  await eventually(async () => assert.deepEqual(await names(page), ['search', 'shop', 'ledger']));
  await page.getByRole('searchbox', { name: 'Find services' }).fill('ledg');
  await eventually(async () => assert.deepEqual(await names(page), ['ledger']));
  await page.getByRole('searchbox', { name: 'Find services' }).fill('nothing');
  await page.getByText('No service matches “nothing”.').waitFor();
});

check('by keyboard: a service, its menu, and its comparison', async ({ page, open }) => {
  await open('/services');
  await tabTo(page, /^grid Services/);
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Compare v1.4.0 with v1.3.0' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
}, { mayShift: true });

for (const width of [360, 640, 2560]) {
  check(`at ${width} pixels nothing is wider, and CPU is there`, async ({ page, open }) => {
    await open('/services');
    assert.match(String(await (await cell(page, 'shop', 'CPU')).textContent()), /cores/);
    const { right } = await (await cell(page, 'shop', 'CPU')).evaluate((el) => ({ right: el.getBoundingClientRect().right }));
    assert.ok(right <= width, `CPU ends at ${right}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    const table = page.getByRole('grid', { name: 'Services' });
    assert.ok(await table.evaluate((el) => el.scrollWidth <= el.clientWidth), 'the table scrolls sideways');
  }, { viewport: { width, height: 740 } });
}

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing, ${colorScheme}`, async ({ page, open }) => {
    await open('/services');
    await clean(page);
  }, { colorScheme });
}

crowded('of many services, those in view are asked about, and the server finds the others', async ({ page, open }) => {
  const paths = asked(page);
  await open('/services');
  await page.getByText(`500 services of ${MANY}`).waitFor();
  await eventually(() => assert.ok(paths.filter((p) => p === 'changes').length > 5));
  await settled(page);
  const changes = paths.filter((p) => p === 'changes').length;
  assert.ok(changes < 60, `${changes} requests for changes`);
  assert.ok(await page.locator('[data-row]').count() < 60);
  await page.getByRole('searchbox', { name: 'Find services' }).fill('service-519');
  await eventually(async () => assert.deepEqual(await names(page), ['service-519']));
  await page.getByRole('searchbox', { name: 'Find services' }).fill('<img');
  await eventually(async () => assert.deepEqual(await names(page), ['<img src=x onerror=alert(1)>']));
  await settled(page);
});
