// @ts-check
// A server without profiles, and one that is gone.

import assert from 'node:assert/strict';
import { serve } from './hone.mjs';
import { settled, suite } from './page.mjs';
import { absolute, wordindex } from './profiles.mjs';

const check = suite([]);

check('the first run says how to begin, and opens a chosen file', async ({ page, open }) => {
  await open('/');
  await page.getByRole('heading', { name: 'Open a profile' }).waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose files…' }).click()]);
  await chooser.setFiles(absolute(wordindex));
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  await page.getByRole('grid').waitFor();
});

check(
  'a server that is gone is told, and found again',
  async ({ page }) => {
    const first = await serve([wordindex]);
    const { port } = new URL(first.url);
    await page.goto(`${first.url}/top`);
    await settled(page);
    await first.stop();
    await page.getByRole('combobox', { name: 'Sample type' }).selectOption({ index: 0 });
    await page.locator('.banner').waitFor();
    const again = await serve([`-http=localhost:${port}`, wordindex]);
    try {
      await page.getByRole('button', { name: 'Retry now' }).click();
      await page.locator('.banner').waitFor({ state: 'hidden' });
      await page.getByRole('grid').waitFor(); // what failed meanwhile was asked for again
      assert.equal(new URL(page.url()).port, port);
    } finally {
      await again.stop();
    }
  },
  // The banner takes its place at the top.
  { expect: [/ERR_CONNECTION_REFUSED/, /foreign request/], mayShift: true },
);

check(
  'a view that is loading when the server goes loads when it is back',
  async ({ page }) => {
    const first = await serve([wordindex]);
    const { port } = new URL(first.url);
    let again;
    try {
      await page.goto(`${first.url}/top`);
      await settled(page);
      await page.route('**/api/v1/report/traces*', async (route) => {
        await first.stop();
        await route.continue();
      }, { times: 1 });
      await page.getByRole('tab', { name: 'Traces' }).click();
      await page.locator('.banner').waitFor();
      assert.equal(await page.getByRole('tab', { selected: true }).textContent(), 'Traces');
      again = await serve([`-http=localhost:${port}`, wordindex]);
      await page.locator('.banner').waitFor({ state: 'hidden' }); // it is found without asking
      await page.getByRole('complementary', { name: 'Stack of the sample' }).waitFor();
    } finally {
      await Promise.all([first.stop(), again?.stop()]);
    }
  },
  { expect: [/ERR_CONNECTION_REFUSED/, /foreign request/], mayShift: true },
);
