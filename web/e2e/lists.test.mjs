// @ts-check
// Lists of a thousand labels: only what is in view is in the document, and a search finds the rest.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { temporaryFolder } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { manyValues } from './profiles.mjs';
import { serveStore } from './store.mjs';

const MANY = 1200; // more than the comparison asks for
const file = join(temporaryFolder('lists'), 'many.pb.gz');
writeFileSync(file, manyValues(1000));

const tags = suite([file]);
const stored = suite([], {
  start: async () => {
    const server = await serveStore();
    const now = Date.now();
    const body = new Uint8Array(manyValues(1));
    const push = async (/** @type {number} */ n) => {
      const query = new URLSearchParams({
        service: 'shop', kind: 'cpu', 'label.pod': `pod-${n}`, time: `${now - 60_000 + n}000000`, duration: '10s',
      });
      const response = await fetch(`${server.url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } });
      if (!response.ok) throw new Error(await response.text());
    };
    for (let n = 0; n < MANY; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => push(n + i)));
    return server;
  },
});

const shop = `/flame?profile=${encodeURIComponent(`sel:${new URLSearchParams({ q: 'cpu{service="shop"}', from: '-1h', to: 'now' })}`)}`;

tags('all values of a label', async ({ page, open }) => {
  await open('/tags?as=list');
  await page.getByRole('button', { name: /Show all 1.000 values/ }).click();
  const all = page.getByRole('region', { name: 'All values of customer' });
  await all.getByRole('listitem').first().waitFor();
  assert.ok(await page.locator('.tag-value').count() < 100, `${await page.locator('.tag-value').count()} in the document`);
  await all.evaluate((el) => el.scrollTo(0, el.scrollHeight));
  await all.getByText('customer-999', { exact: true }).waitFor();
  await clean(page);
  await page.getByRole('searchbox', { name: 'Find a label or value' }).fill('customer-567');
  await page.getByText('customer-567', { exact: true }).waitFor();
}, { mayShift: true });

stored('values to filter by', async ({ page, open }) => {
  await open(shop);
  await page.keyboard.press('o');
  await page.getByRole('button', { name: /^pod/ }).click();
  const list = page.getByRole('group', { name: 'pod', exact: true });
  await list.getByRole('button').first().waitFor();
  assert.ok(await list.getByRole('button').count() < 60, `${await list.getByRole('button').count()} in the document`);
  await clean(page);
  for (let i = 0; i < 3; i++) await page.keyboard.press('PageDown');
  await eventually(async () => assert.match(String(await page.evaluate(() => document.activeElement?.textContent)), /^pod-/));
  await list.evaluate((el) => el.scrollTo(0, el.scrollHeight));
  await list.getByRole('button', { name: 'pod-999', exact: true }).waitFor(); // the last one by its text
  await page.getByRole('textbox', { name: 'Find a pod' }).fill('pod-1199');
  await page.keyboard.press('Enter');
  await settled(page);
  assert.match(decodeURIComponent(page.url()), /pod="pod-1199"|pod%3D%22pod-1199/);
}, { mayShift: true });

stored('values to compare with', async ({ page, open }) => {
  await open(shop);
  await page.keyboard.press('m');
  const box = page.getByRole('textbox', { name: 'Find a pod' });
  await box.waitFor();
  await page.getByText('200 more: type to find them').waitFor();
  await box.fill('pod-777');
  const list = page.getByRole('group', { name: 'pod', exact: true });
  await eventually(async () => assert.deepEqual(await list.getByRole('button').allTextContents(), ['pod-777']));
  await list.getByRole('button', { name: 'pod-777' }).click();
  await settled(page);
  assert.match(decodeURIComponent(decodeURIComponent(new URL(page.url()).search)), /base=sel:.*pod/);
}, { mayShift: true });
