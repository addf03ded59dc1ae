// @ts-check
// A server without profiles, and one that is gone.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { serve, temporaryFolder } from './hone.mjs';
import { settled, suite } from './page.mjs';
import { absolute, wordindex } from './profiles.mjs';

const check = suite([]);

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing on the first run, ${colorScheme}`, async ({ page, open }) => {
    await open('/');
    await clean(page);
  }, { colorScheme });
}

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
      // The page tries again by itself, too, which may come first.
      const hidden = page.locator('.banner').waitFor({ state: 'hidden' });
      const clicked = page.getByRole('button', { name: 'Retry now' }).click().catch(() => {});
      await Promise.race([clicked, hidden]);
      await hidden;
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
  'what is asked for while the server is away comes when it is back: details, code, its style',
  async ({ page }) => {
    // So many stacks that the first window has not all of them.
    const file = join(temporaryFolder('lonely'), 'many.folded');
    writeFileSync(file, Array.from({ length: 5000 }, (_, i) => `main.main;main.f${i} 1\n`).join(''));
    let server = await serve([file]);
    const { url } = server;
    const { port } = new URL(url);
    /** Takes the server away for as long as something is asked. @param {() => Promise<unknown>} asking */
    const away = async (asking) => {
      await server.stop();
      await asking();
      await page.locator('.banner').waitFor();
      server = await serve([`-http=localhost:${port}`, file]);
    };
    try {
      await page.goto(`${url}/flame`);
      await settled(page);
      /** @type {Promise<unknown> | undefined} */
      let details;
      await away(async () => {
        for (let i = 0; i < 6; i++) await page.keyboard.press('+');
        await page.getByText('Details couldn’t be loaded').waitFor();
        details = page.waitForResponse((r) => /report\/flame\?.*from=/.test(r.url()) && r.ok());
      });
      await details;

      const broken = page.getByText('Part of this page couldn’t be loaded');
      await away(async () => {
        await page.getByRole('tab', { name: 'Labels' }).click();
        await broken.waitFor();
      });
      await page.getByRole('heading', { name: 'No labels' }).waitFor();
      assert.deepEqual(
        await page.evaluate(() => [...document.styleSheets].filter((sheet) => sheet.cssRules.length === 0).map((sheet) => sheet.href)), [],
      );

      // Of another server the page doesn't know the files: it starts again, where it was.
      let other = true;
      await page.route('**/assets/RawView-*.js', (route) => (other ? route.fulfill({ status: 404 }) : route.continue()));
      page.on('request', (request) => { if (request.isNavigationRequest()) other = false; });
      await away(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('r');
        await broken.waitFor();
      });
      await page.getByText('PeriodType').first().waitFor();
      assert.equal(new URL(page.url()).pathname, '/raw');
      assert.equal(other, false);
    } finally {
      await server.stop();
    }
  },
  // A server that ends answers 503 to what is under way.
  { expect: [/ERR_CONNECTION_REFUSED/, /foreign request/, /404/], allow: [/503/], mayShift: true },
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
      await page.getByRole('complementary', { name: 'The stack' }).waitFor();
    } finally {
      await Promise.all([first.stop(), again?.stop()]);
    }
  },
  { expect: [/ERR_CONNECTION_REFUSED/, /foreign request/], mayShift: true },
);
