// @ts-check
// What is given to others: links that last, commands, and places in editors and repositories.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { wordindex } from './profiles.mjs';
import { serveStore } from './store.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const MINUTE = 60_000; // ms

/** Sends a profile, as taken at a time. @param {string} url @param {number} time @param {string} [version] */
async function push(url, time, version = 'v1.0.0') {
  const query = new URLSearchParams({ service: 'words', kind: 'cpu', version, instance: 'a', time: `${time}000000`, duration: '10s' });
  const body = new Uint8Array(readFileSync(join(root, wordindex)));
  const response = await fetch(`${url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } });
  if (!response.ok) throw new Error(await response.text());
}

const stored = suite([], {
  start: async () => {
    const server = await serveStore();
    await push(server.url, Date.now() - 20 * MINUTE);
    return server;
  },
});

/** @param {Page} page */
const copied = async (page) => {
  await page.locator('.toast').getByText('copied').waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
};

/** How many profiles are shown. @param {Page} page */
const profiles = (page) => page.locator('.profile-words').innerText();

stored('a link to a live page shows the same when more has arrived', async ({ page, open, url }) => {
  const id = 'sel:q=cpu{service="words"}&from=-1h&to=now';
  const live = `/top?profile=${encodeURIComponent(id)}&live=1h`;
  await open(live);
  assert.match(await profiles(page), /\b1 profile$/);
  await page.keyboard.press('L');
  const link = new URL(await copied(page));
  const selection = new URLSearchParams((link.searchParams.get('profile') ?? 'sel:').slice(4));
  const [from, to] = [Number(selection.get('from')), Number(selection.get('to'))];
  assert.ok(to <= Date.now() && from > to - 61 * MINUTE && from < to, `${from} to ${to}`);
  assert.equal(link.searchParams.get('live'), null);

  await push(url, Date.now() + 1);
  await eventually(async () => {
    await open(live);
    assert.match(await profiles(page), /\b2 profiles$/);
  });
  await page.goto(link.href);
  await settled(page);
  assert.match(await profiles(page), /\b1 profile$/);
}, { ...CLIPBOARD, mayShift: true });

stored('a command of a live page has absolute times', async ({ page, open }) => {
  await open(`/top?profile=${encodeURIComponent('sel:q=cpu{service="words"}&from=-1h&to=now')}&live=1h`);
  await page.keyboard.press('C');
  assert.match(await copied(page), /^hone top 'http:\/\/[^']+\/api\/v1\/pprof\?q=cpu[^']*&from=\d{13}&to=\d{13}[^']*'$/);
}, { ...CLIPBOARD, mayShift: true });

stored('Share is a menu, too', async ({ page, open }) => {
  await open(`/top?profile=${encodeURIComponent('sel:q=cpu{service="words"}')}`);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name: /^Copy link/ }).click();
  assert.match(await copied(page), /^http:\/\/127\.0\.0\.1:\d+\/top\?profile=sel%3Aq/);
}, CLIPBOARD);
