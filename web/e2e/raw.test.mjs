// @ts-check
// The profile as text: sections, what is put away, and references that lead to other lines.

import assert from 'node:assert/strict';
import { clean } from './axe.mjs';
import { hone } from './hone.mjs';
import { allowClipboard, eventually, settled, suite } from './page.mjs';
import { wordindex } from './profiles.mjs';

const check = suite([wordindex]);

const printed = () => hone('pprof', '-raw', wordindex).split('\n');

check('a sample leads to its location, that to its mapping and function, and back', async ({ page, open }) => {
  await open('/raw');
  const current = page.locator('.raw-line[aria-current]');
  const lines = printed();
  const location = page.locator('.raw-line').filter({ hasText: /^8/ }).getByRole('button', { name: '12', exact: true });
  await location.hover(); // tells what it is
  await page.locator('.pane-facts').getByText(/^12: 0x\w+ M=1 regexp\./).waitFor();
  await location.click();
  const at = lines.findIndex((line) => /^ +12: 0x/.test(line));
  await eventually(async () => assert.equal(await current.locator('> :last-child').textContent(), lines[at]));
  assert.match(page.url(), new RegExp(`at=${at + 1}(&|$)`));
  await page.screenshot();
  await clean(page);
  await current.getByRole('button', { name: 'M=1' }).click();
  await eventually(async () => assert.match(await current.innerText(), /wordindex/)); // the last lines
  await page.goBack();
  await eventually(async () => assert.equal(await current.locator('> :last-child').textContent(), lines[at]));
  await current.locator('.raw-function').click();
  await page.getByRole('menuitem', { name: /^Source/ }).click();
  await eventually(() => assert.match(page.url(), /\/source\?.*fn=/));
});

check('sections of the text lead to their lines, and are put away', async ({ page, open }) => {
  await open('/raw');
  const bar = page.getByRole('group', { name: 'Sections' });
  const lines = printed();
  const current = page.locator('.raw-line[aria-current] > :last-child');
  await bar.getByRole('button', { name: /^Locations [\d\s]+$/ }).click();
  await eventually(async () => assert.equal(await current.textContent(), lines[lines.indexOf('Locations') + 1]));
  for (const name of ['samples', 'locations']) await bar.getByRole('button', { name: `Fold ${name}` }).click();
  const shown = () => page.locator('.raw-line > :last-child').allTextContents();
  const [samples, locations, mappings] = ['samples/count cpu/nanoseconds', 'Locations', 'Mappings'].map((title) => lines.indexOf(title));
  const rest = [...lines.slice(0, Number(samples) + 1), lines[Number(locations)], ...lines.slice(Number(mappings), -1)];
  await eventually(async () => assert.deepEqual(await shown(), rest));
  assert.match(page.url(), /fold=samples%2Clocations/);
  await bar.getByRole('button', { name: /^Samples/ }).first().click(); // opens it
  await eventually(async () => assert.equal(await current.textContent(), lines[Number(samples) + 1]));
}, { mayShift: true });

check('keys move through the text and follow what a line refers to', async ({ page, open }) => {
  await open('/raw?at=7');
  await page.getByRole('region', { name: 'The profile as text' }).focus();
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /at=8(&|$)/));
  await page.keyboard.press('Tab'); // the first location of this line
  await page.keyboard.press('Enter');
  await eventually(async () => assert.match(await page.locator('.raw-line[aria-current]').innerText(), /: 0x/));
}, { mayShift: true });

check('a filter shows what matches, and an id what refers to it', async ({ page, open }) => {
  await open('/raw');
  const lines = page.locator('.raw-line > :last-child');
  const find = page.getByRole('searchbox', { name: 'Filter the text' });
  const section = (/** @type {string} */ name) => page.getByRole('group', { name: 'Sections' }).getByRole('button', { name }).first();
  const samplesOf = async () => Number(/[\d\s]+$/.exec(String(await section('Samples').textContent()))?.[0].replaceAll(/\s/g, ''));
  const all = await samplesOf();
  await page.getByRole('button', { name: 'Fold samples' }).click();
  await page.getByRole('button', { name: 'Only what refers to location 12', exact: true }).click();
  await eventually(async () => assert.equal(await find.inputValue(), 'location 12'));
  await settled(page);
  await page.getByRole('button', { name: 'Fold samples' }).click();
  const samples = (await lines.allTextContents()).filter((line) => /^ +\d+ +\d+: \d/.test(line));
  assert.ok(samples.length > 0 && samples.length < all, `${samples.length} of ${all} samples`);
  for (const line of samples) assert.match(line, /: (\d+ )*12 /);
  await page.getByRole('button', { name: '12', exact: true }).first().click(); // what it refers to is there
  await eventually(async () => assert.match(await page.locator('.raw-line[aria-current]').innerText(), /^\d*\s*12: 0x/));
  await clean(page);
  await find.fill('nothing like this');
  await page.getByText('Nothing matches').waitFor();
  await find.fill('');
  await eventually(async () => assert.equal(await samplesOf(), all));
}, { mayShift: true });

check('the lines that are shown are copied', async ({ page, open }) => {
  await open('/raw?fold=samples');
  await allowClipboard(page);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText(/lines copied$/).waitFor();
  const lines = printed();
  const samples = lines.indexOf('samples/count cpu/nanoseconds');
  const want = [...lines.slice(0, samples + 1), ...lines.slice(lines.indexOf('Locations'))];
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), want.join('\n'));
});
