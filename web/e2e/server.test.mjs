// @ts-check
// The page of the server: in words, not in names of the API; and the test of notifications, for admins.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { clean } from './axe.mjs';
import { hone } from './hone.mjs';
import { eventually, suite } from './page.mjs';
import { serveStore } from './store.mjs';

/** What the target was told. @type {string[]} */
const told = [];
const target = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    told.push(body);
    response.statusCode = request.url === '/closed' ? 403 : 200;
    response.end(request.url === '/closed' ? 'no such room' : '');
  });
});

/** Starts the server with two targets, the second of which refuses what it is told. @param {string} more of the configuration */
async function start(more = '', prepare = (/** @type {string} */ _data) => {}) {
  if (!target.listening) await new Promise((resolve) => target.listen(0, '127.0.0.1', () => resolve(undefined)));
  target.unref();
  const { port } = /** @type {import('node:net').AddressInfo} */ (target.address());
  const notify = ['', '/closed'].map((path, i) => (
    `[[notify]]\nname = "${i ? 'closed' : 'chat'}"\nformat = "json"\nurl = "http://127.0.0.1:${port}${path}"\n`
  ));
  return serveStore({ config: more + notify.join(''), prepare });
}

const check = suite([], { start: () => start() });

for (const width of [360, 1280]) {
  check.axe(`the server's page says how it is in words, at ${width} px`, async ({ page, open }) => {
    await open('/status');
    const region = page.getByRole('region', { name: 'State of the server' });
    await region.getByText('Ready, no problems').waitFor();
    await region.getByText('Groups of files').waitFor();
    const text = await region.innerText();
    const inner = [
      /\b(un)?packed\b/i, /cache (hits|misses)/i, /\bput\b/, /live bytes/i, /^aside/im, /\bfalse\b/, /bytes kept for/,
      /the log\b/, /\bseries\b/i,
    ];
    for (const internal of inner) {
      assert.doesNotMatch(text, internal);
    }
    assert.equal(text.match(/^Profiles/gm)?.length, 1); // how many are kept, once
    assert.equal(await region.getByRole('region', { name: 'Received since startup' }).count(), 0); // nothing came
    await clean(page);
    const [wide, outer] = await region.evaluate((el) => [el.scrollWidth, el.clientWidth]);
    assert.ok(Number(wide) <= Number(outer), `${wide} > ${outer}`);
  }, { viewport: { width, height: 800 } });
}

check('an admin sends a test to a target of notifications', async ({ page, open }) => {
  await open('/status');
  const section = page.getByRole('region', { name: 'Notifications of regressions' });
  await section.getByRole('button', { name: 'Send a test to chat' }).click();
  await section.getByText(/^Arrived in \d+ ms$/).waitFor();
  assert.equal(told.length, 1);
  await section.getByRole('button', { name: 'Send a test to closed' }).click();
  await section.getByText(/^Failed: .*403/).waitFor();
  await eventually(() => assert.equal(told.length, 2));
  await clean(page);
}, { mayShift: true });

let token = '';
const guarded = suite([], {
  start: () => start('[auth]\nrequired = true\n', (data) => {
    token = /\S+\s*$/.exec(hone('token', 'add', '-data', data, '-role', 'read', 'ada'))?.[0].trim() ?? '';
  }),
});

guarded('who is not an admin sees no targets of notifications', async ({ page, url }) => {
  await page.goto(`${url}/login?to=/status`);
  await page.locator('input[name=token]').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Limits', exact: true }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Notifications of regressions' }).count(), 0);
}, { allow: [/console: .*401/], mayShift: true });
