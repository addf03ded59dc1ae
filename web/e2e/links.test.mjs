// @ts-check
// What is shown lives in the address: filters, saved filters, reload, back and forward.

import assert from 'node:assert/strict';
import { eventually, settled, suite } from './page.mjs';
import { labels } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([labels]);

/** @param {Page} page @param {string} name @param {string | null} value */
const has = (page, name, value) => eventually(() => assert.equal(new URL(page.url()).searchParams.get(name), value));

/** Chooses an option in the filter menu. @param {Page} page @param {string} title */
async function choose(page, title) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const item = page.getByRole('menuitem', { name: new RegExp(`^${title}`) }).first();
  await page.getByRole('menuitem', { name: /^More/ }).waitFor();
  if (await item.count() === 0) await page.getByRole('menuitem', { name: /^More/ }).click();
  await item.click();
}

const TEXTS = /** @type {const} */ ([
  ['Focus', 'focus', 'main'],
  ['Ignore', 'ignore', 'gcBgMarkWorker'],
  ['Hide', 'hide', 'sort'],
  ['Show', 'show', '.'],
  ['Show from', 'show_from', 'main'],
  ['Cut off', 'prune_from', 'mallocgc'],
  ['Label focus', 'tagfocus', '.'],
  ['Label ignore', 'tagignore', 'nothing-has-this'],
  ['Show labels', 'tagshow', '.'],
  ['Hide labels', 'taghide', 'nothing-has-this'],
  ['Most entries', 'nodecount', '30'],
  ['Least share', 'nodefraction', '0.01'],
  ['Least share of calls', 'edgefraction', '0.01'],
  ['Unit', 'unit', 'ms'],
  ['Divide by', 'divide_by', '2'],
]);

check('every filter is set from the menu, changed and removed', async ({ page, open }) => {
  await open('/top');
  for (const [title, name, value] of TEXTS) {
    await choose(page, `${title}(?! [a-z]+ing)`);
    const editor = page.getByRole('dialog', { name: title, exact: true });
    const input = editor.getByRole('textbox');
    await input.fill(value);
    await page.keyboard.press('Enter');
    await has(page, name, value);
    const remove = page.getByRole('button', { name: `Remove ${title}`, exact: true });
    const chip = page.locator('.chip').filter({ has: remove });
    assert.match(await chip.innerText(), new RegExp(title));
    await chip.locator('.chip-edit').click();
    await eventually(async () => assert.equal(await input.evaluate((el) => el === document.activeElement), true));
    assert.equal(await input.inputValue(), value);
    await page.keyboard.press('Escape');
    await editor.waitFor({ state: 'hidden' });
    await remove.click();
    await has(page, name, null);
  }
});

check.core('a filter outlives a reload, and goes and comes with back and forward', async ({ page, open }) => {
  await open('/top');
  await choose(page, 'Focus(?! [a-z]+ing)');
  await page.getByRole('dialog', { name: 'Focus', exact: true }).getByRole('textbox').fill('main');
  await page.keyboard.press('Enter');
  await has(page, 'focus', 'main');
  await page.reload();
  await settled(page);
  const remove = page.getByRole('button', { name: 'Remove Focus', exact: true });
  await remove.click();
  await has(page, 'focus', null);
  await page.goBack();
  await has(page, 'focus', 'main');
  await remove.waitFor();
  await page.goForward();
  await has(page, 'focus', null);
  await remove.waitFor({ state: 'hidden' });
});

check('the function selected stays with views, filters, zoom, back and forward', async ({ page, open }) => {
  await open('/top?sort=cum');
  await page.getByRole('row').filter({ hasText: 'main.' }).first().click();
  const fn = new URL(page.url()).searchParams.get('fn') ?? '';
  assert.match(fn, /^main\./);
  const steps = [page.url()];
  const step = async (/** @type {() => Promise<unknown>} */ change) => {
    const before = page.url();
    await change();
    await eventually(() => assert.notEqual(page.url(), before));
    await settled(page);
    await has(page, 'fn', fn);
    steps.push(page.url());
  };
  await step(() => page.getByRole('tab', { name: 'Source' }).click());
  await step(() => page.getByRole('combobox', { name: 'Sample type' }).selectOption({ index: 0 }));
  await step(() => page.getByRole('tab', { name: 'Flame' }).click());
  await step(() => page.getByRole('button', { name: 'Inverted' }).click());
  await step(() => page.getByRole('tab', { name: 'Top' }).click());
  await step(async () => {
    await choose(page, 'Hide(?! [a-z]+ing)');
    await page.getByRole('dialog', { name: 'Hide', exact: true }).getByRole('textbox').fill('nothing-has-this');
    await page.keyboard.press('Enter');
  });
  // Another function, in another view: the way back has the first.
  await page.getByRole('row').filter({ hasText: 'runtime.' }).first().click();
  const other = new URL(page.url()).searchParams.get('fn');
  assert.notEqual(other, fn);
  steps[steps.length - 1] = page.url();
  for (const to of steps.toReversed().slice(1)) {
    await page.goBack();
    await eventually(() => assert.equal(page.url(), to));
    await settled(page);
    assert.equal(new URL(page.url()).searchParams.get('fn'), fn, to);
  }
  assert.ok((await page.getByRole('row', { selected: true }).innerText()).includes(fn));
  for (const to of steps.slice(1)) {
    await page.goForward();
    await eventually(() => assert.equal(page.url(), to));
  }
  await has(page, 'fn', other);
});

const FLAGS = /** @type {const} */ ([
  ['No inlined calls', 'noinlines', 'true'],
  ['Columns of a line', 'showcolumns', 'true'],
  ['Small entries, too', 'trim', 'false'],
  ['Call tree', 'call_tree', 'true'],
  ['Mean per count', 'mean', 'true'],
  ['Shares of what is left', 'relative_percentages', 'true'],
  ['Increases only', 'drop_negative', 'true'],
  ['Intel syntax', 'intel_syntax', 'true'],
]);

check.core('flags are turned on and off', async ({ page, open }) => {
  await open('/top');
  for (const [title, name, value] of FLAGS) {
    await choose(page, title);
    await has(page, name, value);
    await settled(page);
    await page.getByRole('button', { name: `Remove ${title}` }).click();
    await has(page, name, null);
  }
});

check('granularity is a choice', async ({ page, open }) => {
  await open('/top');
  await choose(page, 'Group by');
  await page.getByRole('radio', { name: /^Line/ }).click();
  await has(page, 'granularity', 'lines');
  await settled(page);
  await page.locator('.chip').filter({ hasText: 'Line' }).waitFor();
});

check('several chips are reset at once', async ({ page, open }) => {
  await open('/top?focus=main&hide=sort&sample_index=samples');
  await page.getByRole('button', { name: 'Reset all' }).click();
  await has(page, 'focus', null);
  await has(page, 'hide', null);
  await has(page, 'sample_index', 'samples'); // is no filter
});

check.core('a link shows the same again', async ({ page, open, url }) => {
  const link = '/sandwich?focus=main&sample_index=samples&fn=main.serveRequest&granularity=functions';
  await open(link);
  const shown = await page.locator('main').innerText();
  const address = page.url();
  assert.ok(address.startsWith(url));
  await page.goto('about:blank');
  await page.goto(address);
  await settled(page);
  await eventually(async () => assert.equal(await page.locator('main').innerText(), shown));
  assert.equal(page.url(), address);
});

check('typing leaves one step to go back, not one a letter', async ({ page, open }) => {
  await open('/flame');
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  await page.getByRole('searchbox').first().pressSequentially('main', { delay: 60 });
  await has(page, 'q', 'main');
  await page.goBack();
  await eventually(() => assert.equal(new URL(page.url()).pathname, '/flame'));
});

check('the filter menu has what most people need, then all of them, in sight', async ({ page, open }) => {
  await open('/top?nodecount=40');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const items = page.getByRole('menuitem');
  await items.first().waitFor();
  const labels = await items.evaluateAll((all) => all.map((item) => item.getAttribute('data-label')));
  assert.deepEqual(labels, ['focus', 'ignore', 'hide', 'your code', 'label focus', 'group by', 'most entries', 'more']); // one is set
  await page.keyboard.press('End'); // as in any menu
  await page.keyboard.press('Enter');
  await eventually(async () => assert.ok(await items.count() > 20));
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-label'));
  await eventually(async () => assert.equal(await focused(), 'focus'));
  const bottoms = await items.evaluateAll((all) => all.map((item) => item.getBoundingClientRect().bottom));
  assert.ok(Math.max(...bottoms) <= 800, bottoms.join(', '));
}, { viewport: { width: 1280, height: 800 }, mayShift: true });

check('filters are saved, applied, replaced and deleted', async ({ page, open }) => {
  await open('/top?focus=main');
  const panel = page.getByRole('dialog', { name: 'Saved filters' });
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await panel.getByRole('textbox').fill('only "main" <b>');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('only "main" <b>').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove Focus' }).click();
  await has(page, 'focus', null);

  await page.reload(); // kept by the server
  await settled(page);
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await panel.getByRole('button', { name: /^only "main" <b>/ }).click();
  await has(page, 'focus', 'main');

  await page.getByRole('button', { name: 'Saved filters' }).click();
  await panel.getByRole('button', { name: 'Delete only "main" <b>' }).click();
  await eventually(async () => assert.equal(await panel.getByRole('button', { name: /^only "main" <b>/ }).count(), 0));
});
