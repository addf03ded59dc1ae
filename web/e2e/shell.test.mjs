// @ts-check
// What surrounds the views: profiles, tabs, keys, theme, help, errors.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsChromium } from './browser.mjs';
import { temporaryFolder } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { absolute, heap, labels, tuned, wordindex } from './profiles.mjs';

const check = suite([wordindex, tuned, labels]);

const VIEWS = ['Flame', 'Top', 'Sandwich', 'Graph', 'Source', 'Disassembly', 'Peek', 'Traces', 'Labels', 'Raw', 'Diff', 'Advice'];

/** @typedef {import('./page.mjs').Page} Page */

/** @param {Page} page @param {RegExp} address */
const at = (page, address) => eventually(() => assert.match(decodeURIComponent(page.url()), address));

/** Drops files on the page, as from a file manager. @param {Page} page @param {{ name: string, text?: string, path?: string }[]} files */
async function drop(page, files) {
  const { readFileSync } = await import('node:fs');
  const contents =
    files.map(({ name, text, path }) => ({ name, base64: (path ? readFileSync(path) : Buffer.from(text ?? '')).toString('base64') }));
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) {
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    }
    return transfer;
  }, contents);
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', type, { dataTransfer: data });
}

check.core('the address of the server shows the flame graph', async ({ page, open }) => {
  await open('/');
  await at(page, /\/flame/);
  assert.equal(await page.getByRole('tab', { selected: true }).textContent(), 'Flame');
  assert.match(await page.title(), /^Flame: .* – hone$/);
});

check.core('tabs show their view and are in the address', async ({ page, open }) => {
  await open('/top');
  assert.deepEqual(await page.getByRole('tab').allTextContents(), VIEWS);
  for (const name of VIEWS) {
    await page.getByRole('tab', { name, exact: true }).click();
    await settled(page);
    assert.equal(await page.getByRole('tab', { selected: true }).textContent(), name);
    assert.equal(await page.getByRole('alert').count(), 0, `${name} shows an error`);
  }
  await at(page, /\/advice/);
  await page.goBack();
  await at(page, /\/diff/);
}, { expect: [/console: .*422/] }); // the program isn't there to be disassembled

check.core('keys switch between views and open help', async ({ page, open }) => {
  await open('/top');
  for (const [keys, address] of /** @type {const} */ ([['gs', /\/sandwich/], ['gx', /\/traces/], ['gf', /\/flame/], ['gt', /\/top/]])) {
    for (const key of keys) await page.keyboard.press(key);
    await at(page, address);
  }
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  for (const name of VIEWS) assert.equal(await help.getByText(name, { exact: true }).count() > 0, true, `help has no ${name}`);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
});

check('arrows move between tabs', async ({ page, open }) => {
  await open('/top');
  await page.getByRole('tab', { name: 'Top' }).focus();
  await page.keyboard.press('ArrowRight');
  await at(page, /\/sandwich/);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Sandwich');
  await page.keyboard.press('End');
  await at(page, /\/advice/);
});

check.core('another profile can be picked, and several added up', async ({ page, open }) => {
  await open('/top');
  const before = await page.getByRole('grid').innerText();
  await page.locator('.header-profiles button').first().click();
  const options = page.getByRole('listbox').getByRole('option');
  await eventually(async () => assert.equal(await options.count(), 4)); // the sum, and each
  await options.filter({ hasText: 'tuned' }).click();
  await settled(page);
  await eventually(async () => assert.notEqual(await page.getByRole('grid').innerText(), before));
  const one = page.url();
  assert.equal(new URL(one).searchParams.getAll('profile').length, 1);
  await page.locator('.header-profiles button').first().click();
  await page.getByRole('combobox', { name: /filter by name/ }).fill('labels');
  await page.keyboard.press('Shift+Enter');
  await eventually(() => assert.equal(new URL(page.url()).searchParams.getAll('profile').length, 2));
});

check('the sample type can be chosen', async ({ page, open }) => {
  await open('/top');
  const type = page.getByRole('combobox', { name: 'Sample type' });
  await eventually(async () => { // its types may come after the report
    const other = await type.locator('option').allTextContents();
    assert.ok(other.length >= 2, `only ${other}`);
  });
  const before = await page.getByRole('grid').innerText();
  await type.selectOption({ index: 0 });
  await at(page, /sample_index=/);
  await settled(page);
  await eventually(async () => assert.notEqual(await page.getByRole('grid').innerText(), before));
});

check.core('light and dark are chosen and kept', async ({ page, open }) => {
  await open('/top');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const choose = async (/** @type {string} */ name) => {
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await page.getByRole('menuitemradio', { name }).click();
  };
  await choose('Dark');
  const dark = await background();
  assert.notEqual(dark, light);
  await page.reload();
  await settled(page);
  assert.equal(await background(), dark);
  await choose('Same as the system');
  assert.equal(await background(), light);
  needsChromium('way to change that while it runs');
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await background(), dark);
});

check.core('a dropped file is opened', async ({ page, open }) => {
  await open('/top');
  await drop(page, [{ name: 'dropped.pb.gz', path: absolute(heap) }]);
  await page.locator('.toast').filter({ hasText: 'Opened dropped.pb.gz' }).waitFor();
  await settled(page);
  await page.locator('.header-profiles button').first().getByText('dropped.pb.gz').waitFor();
});

check(
  'a file that is no profile is refused with the reason',
  async ({ page, open }) => {
    await open('/top');
    const before = page.url();
    await drop(page, [{ name: 'notes.txt', text: 'nothing of the kind' }]);
    const toast = page.locator('.toast-error');
    await toast.waitFor();
    assert.match(await toast.innerText(), /Couldn’t open notes\.txt: \S/);
    assert.equal(page.url(), before);
    await toast.getByRole('button', { name: 'Dismiss' }).click();
    await toast.waitFor({ state: 'hidden' });
  },
  { expect: [/console: .*422/] },
);

check.core('a file that is cut off is refused with the reason', async ({ page, open }) => {
  const { readFileSync } = await import('node:fs');
  await open('/top');
  const whole = readFileSync(absolute(wordindex));
  const half = join(temporaryFolder('cut'), 'half.pb.gz');
  writeFileSync(half, whole.subarray(0, whole.length / 2));
  await drop(page, [{ name: 'half.pb.gz', path: half }]);
  await page.locator('.toast-error').filter({ hasText: /Couldn’t open half\.pb\.gz: \S/ }).waitFor();
}, { expect: [/console: .*422/] });

check(
  'a link to a profile that is not open says so and offers those that are',
  async ({ page, open }) => {
    await open('/top?profile=0123456789abcdef01234567&focus=main');
    await page.getByText('The profile of this link isn’t open').waitFor();
    await page.locator('main').getByRole('link').first().click();
    await settled(page);
    await at(page, /focus=main/);
    await page.getByRole('grid').waitFor();
  },
  { expect: [/console: .*404/] },
);

check(
  'an option that is wrong is marked where it is set',
  async ({ page, open }) => {
    await open('/top?focus=%28');
    const chip = page.locator('.chip-bad');
    await chip.waitFor();
    assert.match(await chip.innerText(), /Focus/);
    await page.getByRole('button', { name: 'Remove Focus' }).click();
    await page.getByRole('grid').waitFor();
  },
  { expect: [/console: .*400/] },
);

check('the profile tells about itself', async ({ page, open }) => {
  await open('/top');
  await page.locator('.profile-info button').click();
  const box = page.getByRole('dialog', { name: 'About this profile' });
  await box.waitFor();
  for (const term of ['Stacks', 'Functions', 'Id']) await box.getByText(term, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'hidden' });
});
