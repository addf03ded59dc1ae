// @ts-check
// What people come for, and in how few steps they have it: a click, a key, or text
// that is typed is a step. Each begins where one is after hone has opened.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hover, nodesOf, widest } from './graph.mjs';
import { hone, temporaryFolder } from './hone.mjs';
import { downloaded, eventually, settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';
import { FROM, hour, linkTo, MINUTE, slowHour, TO } from './slow.mjs';
import { ask, buildShakespeare, profiled, serveStore } from './store.mjs';

/** @typedef {import('./page.mjs').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

/** A user whose steps are counted. @param {Page} page */
function user(page) {
  let steps = 0;
  const step = async (/** @type {Promise<unknown>} */ done) => {
    steps++;
    await done;
    await settled(page);
  };
  return {
    click: (/** @type {Locator} */ what) => step(what.click()),
    press: (/** @type {string} */ key) => step(page.keyboard.press(key)),
    type: (/** @type {string} */ text) => step(page.keyboard.type(text)),
    /** From one place to another, as shares of the width and height of something. */
    drag: (/** @type {Locator} */ what, /** @type {[number, number]} */ from, /** @type {[number, number]} */ to) => step((async () => {
      const { x, y, width, height } = /** @type {{ x: number, y: number, width: number, height: number }} */ (await what.boundingBox());
      await page.mouse.move(x + from[0] * width, y + from[1] * height);
      await page.mouse.down();
      await page.mouse.move(x + to[0] * width, y + to[1] * height, { steps: 4 });
      await page.mouse.up();
    })()),
    menuAt: (/** @type {number} */ x, /** @type {number} */ y) => step(page.mouse.click(x, y, { button: 'right' })),
    /** @param {number} most */
    took: (most) => assert.ok(steps > 0 && steps <= most, `${steps} steps, and ${most} are enough`),
  };
}

/** @param {Page} page @param {string} label */
const rows = (page, label) => page.getByRole('grid', { name: label }).getByRole('row').filter({ has: page.getByRole('gridcell') });

/** The shares of functions of one's own that a report of the command line has. @param {string[]} args */
const shares = (...args) => JSON.parse(hone('top', '-json', ...args)).rows.map(
  (/** @type {{ name: string, flat: { percent: number } }} */ r) => ({ name: r.name, percent: r.flat.percent }),
);

const single = suite([wordindex]);

single('the hottest line of one\u2019s own takes a step', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  const hottest = page.getByRole('list', { name: 'Your most expensive lines' }).getByRole('link').first();
  const [, line, share] = /:(\d+) ([\d.]+%)/.exec(await hottest.innerText()) ?? [];
  await me.click(hottest);
  me.took(1);
  await page.getByRole('tab', { name: 'Source', selected: true }).waitFor();
  const url = new URL(page.url()).searchParams;
  assert.deepEqual([url.get('fn'), url.get('at')], ['main.addLine', line]);
  assert.ok(share, 'no share');
  const row = page.locator(`.listing tr.aimed[data-line="${line}"]`);
  await row.waitFor();
  const text = readFileSync(new URL('../../examples/wordindex/index.go', import.meta.url), 'utf8').split('\n')[Number(line) - 1]?.trim();
  assert.ok(text && (await row.innerText()).includes(text), `${await row.innerText()} is not ${text}`);
});

single('which of one\u2019s own functions bring mallocgc takes two', async ({ page, open }) => {
  await open('/');
  const { nodes, total } = await nodesOf(page);
  const { x, y } = await hover(page, widest(nodes, 'runtime.mallocgc'), total);
  const me = user(page);
  await me.menuAt(x, y);
  await me.click(page.getByRole('menuitem', { name: /^Your callers/ }));
  me.took(2);
  const [first, second] = shares('-mine', '-focus=^runtime\\.mallocgc$', wordindex);
  assert.match(first.name, /^main\.\S+ via /);
  const shown = rows(page, 'Functions by cost');
  for (const [i, { name, percent }] of [first, second].entries()) {
    await eventually(async () => {
      const text = await shown.nth(i).innerText();
      assert.ok(text.includes(`${percent.toFixed(2)}%`), `${text} lacks ${percent}`);
      assert.ok(name.includes(text.trim().split('\n').at(-1)?.split('.').at(-1) ?? name), `${text} is not ${name}`);
    });
  }
});

single('who calls a function takes one, by the pointer and by keys', async ({ page, open }) => {
  await open('/');
  const { nodes, total } = await nodesOf(page);
  await hover(page, widest(nodes, 'runtime.mallocgc'), total);
  const me = user(page);
  await me.press('S');
  me.took(1);
  await page.getByRole('tab', { name: 'Sandwich', selected: true }).waitFor();
  const callers = rows(page, 'Callers');
  await callers.first().waitFor();
  const peek = hone('peek', '^runtime\\.mallocgc$', wordindex);
  const name = (await callers.first().innerText()).trim().split('\n').at(-1) ?? '';
  assert.ok(name !== '' && peek.includes(name), `${name} is not in\n${peek}`);
});

single('giving what is shown to a colleague takes one', async ({ page, open }) => {
  await open('/top?focus=addLine');
  const shown = await page.locator('main').innerText();
  const me = user(page);
  await me.press('L');
  me.took(1);
  await page.locator('.toast').getByText('Link copied').waitFor();
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await settled(page);
  assert.equal(await page.locator('main').innerText(), shown);
}, { permissions: ['clipboard-read', 'clipboard-write'] });

single('the share of what a name matches takes two', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  await me.press('/');
  await me.type('regexp');
  me.took(2);
  const [, value] = /accounting for (\S+), [\d.]+% of/.exec(hone('top', '-nodecount=0', '-trim=false', '-focus=regexp', wordindex)) ?? [];
  await eventually(async () => {
    const said = await page.locator('#search-result').innerText();
    assert.ok(value && /^\d+(\.\d+)?%/.test(said) && said.includes(value), `${said} is not ${value}`);
  });
});

single('a picture for a document takes two', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  await me.click(page.getByRole('button', { name: /^Export/ }));
  const download = await downloaded(page, () => me.click(page.getByRole('menuitem', { name: /^SVG/ })));
  me.took(2);
  const picture = readFileSync(await download.path(), 'utf8');
  assert.match(picture, /^(<\?xml[^>]*>\s*)?<svg /);
  assert.ok(picture.includes('main.addLine'));
});

const labelled = suite([labels]);

labelled('which value of a label costs most takes one, and why', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  await me.click(page.getByRole('tab', { name: 'Labels' }));
  me.took(1);
  const by = await page.getByRole('combobox', { name: 'Label' }).inputValue();
  const first = await page.locator('.card').first().innerText();
  // As the command line has it.
  const told = hone('pprof', '-tags', labels);
  const [, most, value] = /([\d.]+)%\): (.*)/.exec(told.slice(told.indexOf(`${by}: Total`)).split('\n')[1] ?? '') ?? [];
  assert.ok(value && first.startsWith(`${value}\n`) && first.includes(`${most}%`), `${first} is not ${value}, ${most} of\n${told}`);
  const top = hone('top', '-mine', `-tagfocus=${by}=^${value}$`, labels).split('\n');
  const hottest = top.find((l) => /^\s+[\d.]+m?s/.test(l))?.trim().split(/\s+/)[5];
  assert.ok(hottest && first.includes(hottest.replace(/^.*\//, '')), `${first} lacks ${hottest}`);
});

labelled('one value of a label takes two', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  await me.click(page.getByRole('tab', { name: 'Labels' }));
  const card = page.locator('.card').filter({ hasText: '/search' });
  const said = await card.innerText();
  await me.click(card.getByRole('button', { name: '/search' }));
  me.took(2);
  await page.locator('.chip').filter({ hasText: '/search' }).waitFor();
  // As the command line has it.
  const [, share] = /([\d.]+)%/.exec(said) ?? [];
  const told = hone('pprof', '-tags', '-tagfocus=endpoint=/search', labels);
  assert.ok(share && told.split('\n').some((line) => line.includes(`${share}%): /search`)), `${share}% is not in\n${told}`);
});

const compared = suite(['-base', wordindex, tuned]);

compared('what changed between two profiles, and whether it is real, takes none', async ({ page, url }) => {
  await page.goto(url); // whose link has the comparison
  await settled(page);
  const said = page.getByRole('region', { name: 'In short' }).getByRole('paragraph');
  await said.nth(2).waitFor();
  assert.match(await said.nth(0).innerText(), /^CPU time fell by [\d.]+% \([\d.]+% to [\d.]+%\), from 6.93s to 740ms\.$/);
  assert.match(await said.nth(2).innerText(), /^Sure with 95% confidence( \(these functions only\))? by samples alone/);
  // The list follows, with an interval for each: what hone prints, and the verdict of the API.
  const most = rows(page, 'Functions by change').first();
  await most.waitFor();
  const [, name] = /([^\s]+ via [^\s]+)\n*gone$/.exec((await most.innerText()).trim()) ?? [];
  const [, low, high] = /\[-([\d.]+)s, -([\d.]+)s\]|\[-([\d.]+), -([\d.]+)\]/.exec(await most.innerText())?.filter(Boolean) ?? [];
  assert.ok(low && high && Number(low) > Number(high) && Number(high) > 0, await most.innerText());
  assert.ok(name && hone('diff', '-mine', wordindex, tuned).split('\n').find((l) => l.includes(name))?.includes('gone'), name);
});

for (const way of ['Flame', 'Side by side', 'Diff']) {
  compared(`a comparison as ${way.toLowerCase()} takes one`, async ({ page, open }) => {
    await open(way === 'Diff' ? '/flame' : '/');
    const me = user(page);
    await me.click(page.getByRole('link', { name: way, exact: true }));
    me.took(1);
    const graphs = page.locator('.flame-graph[data-ready="true"]');
    await eventually(async () => assert.equal(await graphs.count(), way === 'Diff' ? 0 : way === 'Flame' ? 1 : 2));
    if (way === 'Diff') await rows(page, 'Functions by change').first().waitFor();
  });
}

const folder = temporaryFolder('tasks');

const stored = suite([], {
  start: async () => {
    const server = await serveStore();
    const program = buildShakespeare(folder);
    await profiled(program, server.url, '1', 600);
    await profiled(program, server.url, '2', 600);
    return server;
  },
});

stored('what changed between two versions takes one', async ({ page, open }) => {
  await open('/');
  const me = user(page);
  await me.click(page.getByRole('button', { name: 'Compare the two latest versions of shakespeare' }));
  me.took(2);
  await rows(page, 'Functions by change').filter({ hasText: /[▲▼]/ }).first().waitFor();
  await page.getByText('vs version 1').waitFor();
  // Whether it is real takes no other.
  await page.getByText(/^Sure with 95% confidence/).waitFor();
  await rows(page, 'Functions by change').filter({ hasText: /\[[-+<>\d.]+, [-+<>\d.]+\]/ }).first().waitFor();
});

stored('which version of a service costs most takes one', async ({ page, open, url }) => {
  await open('/');
  await rows(page, 'Services').getByRole('link', { name: 'shakespeare', exact: true }).click();
  await settled(page);
  const me = user(page);
  await me.click(page.getByRole('tab', { name: 'Labels' }));
  me.took(1);
  const cards = page.locator('.card');
  await cards.nth(1).waitFor();
  const names = await cards.locator('.card-name').allInnerTexts();
  const { series } = await ask(url, `series?${new URLSearchParams({ q: 'cpu{service="shakespeare"}', by: 'version', per: 'second' })}`);
  const dearest = series.sort((/** @type {any} */ a, /** @type {any} */ b) => b.total.value - a.total.value)[0].labels.version;
  assert.equal(names[0], dearest);
});

stored('which version and when takes two', async ({ page, open, url }) => {
  await open('/');
  const me = user(page);
  await me.click(rows(page, 'Services').getByRole('link', { name: 'shakespeare', exact: true }));
  await me.click(page.getByRole('tab', { name: 'History' }));
  me.took(2);
  // Version 2 looks for substrings, where 1 had regular expressions: it came with that, then.
  const { markers } = await ask(url, 'markers');
  const came = markers.find((/** @type {{ version: string }} */ m) => m.version === '2').time;
  const row = rows(page, 'Functions by version').filter({ hasText: 'strings.ToLower' });
  const text = await row.innerText();
  assert.match(text, /▲\s*0%\s*→\s*[\d.]+%\s*2\s/);
  const when = /2 · (\d+ \w+ \d\d:\d\d)/.exec(text)?.[1] ?? '';
  const seen = Date.parse(`${when.replace(/ (\d\d:)/, ` ${new Date(came).getUTCFullYear()} $1`)} UTC`);
  assert.ok(seen >= came - 60_000 && seen < came + 300_000, `${text}: version 2 came at ${new Date(came).toISOString()}`);
});

const slow = suite([], { start: slowHour });

/** Where a minute of the hour is in the plot of the timeline, as a share of its width. @param {Page} page @param {Locator} plot */
async function minutesOf(page, plot) {
  const box = /** @type {{ x: number, width: number }} */ (await plot.boundingBox());
  const handle = async (/** @type {string} */ name) =>
    /** @type {{ x: number }} */ (await page.getByRole('slider', { name }).boundingBox()).x;
  // Between the handles is all of it.
  const [start, end] = [await handle('Start of the selection'), await handle('End of the selection')];
  return (/** @type {number} */ minute) => (start + ((minute * MINUTE) / (TO - FROM)) * (end - start) - box.x) / box.width;
}

slow('what happened to an instance at 14:05 takes two', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu')));
  const me = user(page);
  await me.press('H');
  const map = page.getByRole('application', { name: /^Heat map/ });
  const at = await minutesOf(page, map);
  // The darkest cells are in the first row.
  await me.drag(map, [at(35.2), 0.15], [at(37.8), 0.15]);
  me.took(2);
  const first = page.getByRole('list', { name: 'Your most expensive lines' }).getByRole('link').first();
  await eventually(async () => assert.match(await first.innerText(), /slow:23 6\d\.\d+%/));
  await page.getByText('instance b').first().waitFor();
});

slow('what happened at 14:20, against the rest of the hour, takes two', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu')));
  const me = user(page);
  const plot = page.locator('.timeline-plot');
  const at = await minutesOf(page, plot);
  await me.drag(plot, [at(50.2), 0.5], [at(51.8), 0.5]);
  await me.click(page.getByRole('button', { name: 'vs the rest' }));
  me.took(2);
  const said = page.getByRole('region', { name: 'In short' });
  await eventually(async () => assert.match(await said.innerText(), /main\.flush \+0\.1\d cores/));
  assert.match(await said.innerText(), /Sure with 95% confidence/);
});
