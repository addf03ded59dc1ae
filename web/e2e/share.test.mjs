// @ts-check
// What is given to others: links that last, commands, and places in editors and repositories.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
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

stored('a line leads to the repository, at the version that a selection is of', async ({ page, open, url }) => {
  const time = `${Date.now() - MINUTE}000000`;
  const query = new URLSearchParams({ service: 'json', kind: 'cpu', version: '3d62b7205d54', time, duration: '5s' });
  const body = new Uint8Array(readFileSync(join(root, 'examples/jsonreq/testdata/generated.cpu.pb.gz')));
  await fetch(`${url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } });
  const id = encodeURIComponent('sel:q=cpu{service="json"}&from=-1h');
  await open(`/source?profile=${id}&fn=${encodeURIComponent('github.com/hone-go/hone/examples/jsonreq.processGenerated')}`);
  await page.getByRole('button', { name: 'Open line 21' }).click();
  const item = page.getByRole('menuitem', { name: /^Repository at 3d62b7205d54/ });
  assert.equal(await item.getAttribute('href'), 'https://github.com/hone-go/hone/blob/3d62b7205d54/examples/jsonreq/tuned.go#L21');
  assert.deepEqual([await item.getAttribute('target'), await item.getAttribute('rel')], ['_blank', 'noopener noreferrer']);
  // Without a file on this computer there is nothing to open it with.
  assert.equal(await page.getByRole('menuitem', { name: /^VS Code/ }).count(), 0);
});

stored('an upload is kept on the server under a link that lasts, whatever its name', async ({ page, open, url }) => {
  const name = '<img src=x onerror="window.stolen=1">\u202e $(touch stolen).pb.gz';
  const body = new Uint8Array(readFileSync(join(root, wordindex)));
  const query = new URLSearchParams({ name });
  const opened = await (await fetch(`${url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } })).json();
  await open(`/top?profile=${opened.id}`);
  const rows = page.getByRole('grid', { name: 'Functions by cost' }).getByRole('row');
  const first = await rows.nth(1).innerText();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name: /^Keep on this server/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep on this server' });
  await dialog.getByText(/for 30 days/).waitFor(); // it says for how long
  await dialog.getByLabel('Service').fill('team <b>uploads</b>');
  await clean(page);
  await dialog.getByRole('button', { name: 'Keep and copy the link' }).click();
  const link = new URL(await copied(page));
  assert.match(link.searchParams.get('profile') ?? '', /^sel:id=[0-9a-f]{32}$/);
  await page.goto('about:blank');
  await page.goto(link.href);
  await settled(page);
  await eventually(async () => assert.equal(await rows.nth(1).innerText(), first));
  assert.equal(await page.evaluate(() => 'stolen' in window), false);
  const { services } = await (await fetch(`${url}/api/v1/services`)).json();
  assert.ok(services.some((/** @type {{ name: string }} */ s) => s.name === 'team <b>uploads</b>'));
}, { ...CLIPBOARD, mayShift: true });

stored('notes on a selection are there for the next one who opens it', async ({ page, open, url }) => {
  const id = encodeURIComponent(`sel:q=cpu{service="words"}&from=${Date.now() - 60 * MINUTE}&to=${Date.now() - MINUTE}`);
  const text = '<img src=x onerror="window.stolen=1"> slow since the cache is cold';
  const notes = page.getByRole('dialog', { name: 'Notes' });
  const show = async () => {
    await open(`/top?profile=${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: /^Notes/ }).click();
  };
  await show();
  await notes.getByText('No notes yet').waitFor();
  await notes.getByLabel('Your note').fill('x'.repeat(2001));
  await notes.getByText('Shorten it by 1 character').waitFor();
  assert.equal(await notes.getByRole('button', { name: 'Add' }).isDisabled(), true);
  await notes.getByLabel('Your note').fill(text);
  await notes.getByRole('button', { name: 'Add' }).click();
  await notes.getByRole('listitem').getByText(text.trim()).waitFor();
  const marker = page.locator('.marker-head').and(page.getByLabel(text.trim()));
  await marker.waitFor(); // without a reload
  await clean(page);
  await open(`/top?profile=${id}`);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name: /^Notes \(1\)/ }).click(); // without opening them, it is known that there are some
  await notes.getByRole('listitem').getByText(text.trim()).waitFor();
  assert.equal(await page.evaluate(() => 'stolen' in window), false);
  const { markers } = await (await fetch(`${url}/api/v1/markers?service=words`)).json();
  assert.ok(markers.some((/** @type {{ text: string }} */ m) => m.text === text.trim()), JSON.stringify(markers)); // in the timeline, too
  await notes.getByRole('button', { name: 'Remove this note' }).click();
  await notes.getByText('No notes yet').waitFor();
  await eventually(async () => assert.equal(await marker.count(), 0));
}, { mayShift: true });

const file = suite([wordindex]);
const index = join(root, 'examples/wordindex/index.go');

file('a line opens in an editor, by the menu, its row and a key', async ({ page, open }) => {
  await open('/source?fn=main.addLine');
  const hottest = Number(await page.locator('.listing tr[data-heat="1.000"]').first().getAttribute('data-line'));
  await page.getByRole('button', { name: `Open line ${hottest}` }).click();
  const menu = page.getByRole('menu', { name: `Open line ${hottest}` });
  assert.equal(await menu.getByRole('menuitem', { name: /^VS Code/ }).getAttribute('href'), `vscode://file${index}:${hottest}`);
  assert.equal(
    await menu.getByRole('menuitem', { name: /^GoLand/ }).getAttribute('href'),
    `goland://open?file=${encodeURIComponent(index)}&line=${hottest}`,
  );
  await menu.getByRole('menuitem', { name: /^Copy Vim command/ }).click();
  assert.equal(await copied(page), `vim +${hottest} -- ${index}`);

  // Another line, by its row; the editor used last is the one of the key, and the link has the line.
  const row = page.locator('.listing tr[data-line]').nth(2);
  const line = Number(await row.getAttribute('data-line'));
  await row.locator('td.text').click();
  await eventually(() => assert.equal(new URL(page.url()).searchParams.get('at'), String(line)));
  await page.keyboard.press('E');
  await eventually(async () => assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `vim +${line} -- ${index}`));
  await row.locator('td.text').click({ button: 'right' });
  await page.getByRole('menu', { name: `Open line ${line}` }).waitFor();
  await page.keyboard.press('Escape');
}, CLIPBOARD);

file('a program built elsewhere is found by its folder here, and code elsewhere by a template', async ({ page, open }) => {
  await open('/source?fn=main.addLine');
  await page.getByRole('button', { name: /^Open line/ }).click();
  await page.getByRole('menuitem', { name: /^Editor and repository/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Editor and repository' });
  const recorded = (await page.locator('.listing-file .mono').innerText()).trim();
  await dialog.getByLabel('Its paths begin with').fill(recorded.replace('index.go', ''));
  await dialog.getByLabel('Here that is').fill('/home/ada/my words/');
  await dialog.getByLabel('Link to a line').fill('javascript:alert(1)');
  await dialog.getByText('A link begins with https:// or http://').waitFor();
  await dialog.getByLabel('Link to a line').fill('');
  await clean(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /^Open line/ }).click();
  const href = await page.getByRole('menuitem', { name: /^VS Code/ }).getAttribute('href');
  assert.match(href ?? '', /^vscode:\/\/file\/home\/ada\/my%20words\/index\.go:\d+$/);
});
