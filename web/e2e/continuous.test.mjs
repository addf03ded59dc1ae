// @ts-check
// The pages of continuous profiling, on a server that two versions of a program
// send their profiles to by hone's agent.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { tabTo } from './focus.mjs';
import { honeBinary, root, temporaryFolder } from './hone.mjs';
import { allowClipboard, downloaded, eventually, settled, suite } from './page.mjs';
import { ask, buildShakespeare, profiled, serveStore } from './store.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const folder = temporaryFolder('continuous');

// A target that nobody serves: what fails has to be told.
const DOWN = '[[scrape]]\nname = "gateway"\ninterval = "5s"\ntimeout = "1s"\nprofiles = { cpu = { enabled = false } }\n'
  + '[[scrape.static]]\ntargets = ["127.0.0.1:1"]\n';

const check = suite([], {
  start: async () => {
    const server = await serveStore({ config: DOWN });
    const program = buildShakespeare(folder);
    // So much that what a program does at its start is little beside it.
    await profiled(program, server.url, '1', 1000);
    await profiled(program, server.url, '2', 500);
    return server;
  },
});
// Profiles that say nothing of how long they took, as files that were pushed.
const pushed = suite([], {
  start: async () => {
    const server = await serveStore();
    for (const [file, version] of [['block.accounts', 'v1'], ['block.rwmutex', 'v2'], ['mutex.rwmutex', 'v1']]) {
      const query = new URLSearchParams({ service: 'locks', kind: (file ?? '').replace(/\..*/, ''), version: version ?? '' });
      const body = new Uint8Array(readFileSync(join(root, 'testdata', `${file}.pb.gz`)));
      // A kept connection may end just as it is used again.
      const headers = { connection: 'close' };
      const response = await fetch(`${server.url}/api/v1/profiles?${query}`, { method: 'POST', body, headers });
      if (!response.ok) throw new Error(await response.text());
    }
    return server;
  },
});
const empty = suite([], { start: () => serveStore() });
/** @type {string} */
let token;
const closed = suite([], {
  start: () => serveStore({
    config: '[auth]\nrequired = true\n',
    prepare: (data) => {
      token = execFileSync(
        honeBinary(), ['token', 'add', '-data', data, '-role', 'read', 'ada'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      ).trim().split(/\s+/).at(-1) ?? '';
    },
  }),
});

/** @param {Page} page @param {string} label */
const rows = (page, label) => page.getByRole('grid', { name: label }).getByRole('row').filter({ has: page.getByRole('gridcell') });

/** The selection in the address. @param {Page} page @param {'profile' | 'base'} [which] */
const selection = (page, which = 'profile') => new URLSearchParams((new URL(page.url()).searchParams.get(which) ?? 'sel:').slice(4));

/** Shows the CPU time of the program: both versions, and nothing after. @param {string} url */
async function link(url, view = 'flame', more = '') {
  const { services } = await ask(url, 'services');
  const { markers } = await ask(url, 'markers');
  const from = Math.floor(markers[0].time / 1000 - 2) * 1000;
  const to = Math.ceil(services[0].last / 1000 + 2) * 1000;
  const id = `sel:${new URLSearchParams({ q: 'cpu{service="shakespeare"}', from: String(from), to: String(to), per: 'second' })}`;
  return { path: `/${view}?profile=${encodeURIComponent(id)}${more}`, from, to };
}

empty('without a profile it says how to send the first one', async ({ page, open, url }) => {
  await open('/');
  assert.equal(new URL(page.url()).pathname, '/services');
  await page.getByRole('heading', { name: 'No profiles yet' }).waitFor();
  await allowClipboard(page);
  await page.getByRole('button', { name: 'Copy: A file' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `hone push -server ${url} -service shop cpu.pb.gz`);
});

check.core('services are the start: kinds, versions, whether they live; a notice says what fails', async ({ page, open }) => {
  await open('/');
  assert.equal(new URL(page.url()).pathname, '/services');
  const row = rows(page, 'Services').filter({ hasText: 'shakespeare' });
  for (const text of ['live', 'cpu', 'heap', 'goroutine', 'cores', 'main.']) {
    assert.ok((await row.textContent())?.includes(text), `${text}: ${await row.textContent()}`);
  }
  await page.getByRole('button', { name: /could not be fetched/ }).click();
  await page.getByRole('link', { name: 'State of the server' }).click();
  await page.getByRole('cell', { name: /connection refused/ }).first().waitFor();
  await page.goBack();
  await row.getByRole('link', { name: 'shakespeare', exact: true }).click();
  await settled(page);
  assert.equal(selection(page).get('q'), 'cpu{service="shakespeare"}');
  await page.getByRole('button', { name: /could not be fetched/ }).waitFor(); // on every page
  await page.getByRole('application').or(page.locator('.flame-canvas, canvas')).first().waitFor();
});

pushed('profiles without a duration are shown as averages, from every link', async ({ page, open }) => {
  const fine = async () => {
    await page.locator('.flame-canvas, canvas').first().waitFor();
    await settled(page);
    assert.equal(selection(page).get('per'), 'profile');
    assert.equal(await page.getByText(/is not valid|no duration/).count(), 0);
  };
  for (const kind of ['block', 'mutex']) {
    await open('/services');
    await rows(page, 'Services').getByRole('link', { name: kind, exact: true }).click();
    await fine();
  }
  await open('/services');
  await page.getByRole('button', { name: 'Compare the two latest versions of locks' }).click();
  await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
  await settled(page);
  assert.equal(selection(page, 'base').get('per'), 'profile');
});

pushed('a link that asks for rates of profiles without a duration shows averages', async ({ page, open }) => {
  await open(`/flame?profile=${encodeURIComponent(`sel:${new URLSearchParams({ q: 'mutex{service="locks"}', per: 'second' })}`)}`);
  await eventually(() => assert.equal(selection(page).get('per'), 'profile'));
  await page.locator('.flame-canvas, canvas').first().waitFor();
  await settled(page);
  assert.equal(await page.getByText(/is not valid|no duration/).count(), 0);
}, { allow: [/./], mayShift: true });

check('Escape leaves a page as it is, and what was selected before it', async ({ page, open, url }) => {
  await open((await link(url, 'top', '&fn=main.main')).path);
  await settled(page);
  const before = page.url();
  await page.getByRole('link', { name: 'Services' }).click();
  await rows(page, 'Services').first().waitFor();
  await page.keyboard.press('Escape');
  assert.equal(new URL(page.url()).pathname, '/services');
  await page.goBack();
  assert.equal(page.url(), before);
});

check.core('one click compares the two latest versions, and the guilty function moved most', async ({ page, open }) => {
  await open('/services');
  await page.getByRole('button', { name: 'Compare the two latest versions of shakespeare' }).click();
  await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
  await settled(page);
  assert.equal(selection(page).get('q'), 'cpu{service="shakespeare", version="2"}');
  assert.equal(selection(page, 'base').get('q'), 'cpu{service="shakespeare", version="1"}');
  for (const side of /** @type {const} */ (['profile', 'base'])) assert.equal(selection(page, side).get('per'), 'second');
  await page.getByRole('button', { name: 'Total', exact: true }).click();
  await settled(page);
  // Of what takes less: how much CPU time a second each version got is the machine's
  // affair. Its callers, which do nothing else, may be as large.
  await eventually(async () => {
    const less = (await rows(page, 'Functions by change').allTextContents()).filter((text) => text.includes('▼')).slice(0, 12);
    assert.ok(less.some((text) => /matchRegexp\s*gone/.test(text)), less.join('\n'));
  });
  await page.getByText('vs version 1').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await settled(page);
  await page.getByRole('button', { name: 'End the comparison' }).click();
  await eventually(() => assert.equal(selection(page, 'base').size, 0));
});

check.core('a drag on the timeline selects, keys move its ends, back returns', async ({ page, open, url }) => {
  const { path, from, to } = await link(url);
  await open(path);
  const plot = await page.locator('.timeline-plot').boundingBox();
  assert.ok(plot);
  const y = plot.y + plot.height / 2;
  await page.mouse.move(plot.x + plot.width * 0.25, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.75, y, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  const [start, end] = [Number(selection(page).get('from')), Number(selection(page).get('to'))];
  assert.ok(start > from && end < to && end > start, `${start}–${end} in ${from}–${to}`);
  assert.equal(new URL(page.url()).searchParams.get('span'), `${from}-${to}`);
  const handle = page.getByRole('slider', { name: 'End of the selection' });
  await handle.focus();
  await page.keyboard.press('ArrowRight');
  await eventually(() => assert.ok(Number(selection(page).get('to')) > end));
  await page.goBack();
  await settled(page);
  assert.equal(selection(page).get('from'), String(from));
  // The second drag, with Shift, is what to compare with.
  await page.keyboard.down('Shift');
  await page.mouse.move(plot.x + plot.width * 0.1, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.4, y, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('slider', { name: 'End of the time before' }).waitFor();
  assert.ok(Number(selection(page, 'base').get('to')) < to);
}, { mayShift: true });

check('a finger selects too, also from the line of a marker on', async ({ page, open, url }) => {
  const { path, to } = await link(url);
  await open(path);
  const plot = await page.locator('.timeline-plot').boundingBox();
  const marker = await page.locator('.marker').first().boundingBox();
  assert.ok(plot && marker && marker.x < plot.x + plot.width / 2);
  const client = await page.context().newCDPSession(page);
  /** @param {'touchStart' | 'touchMove' | 'touchEnd'} type @param {number} [x] */
  const touch = (type, x) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: x === undefined ? [] : [{ x, y: plot.y + plot.height / 2 }],
  });
  // What touches do here is known to the browser once it has drawn the page, at its
  // own time: until then a finger scrolls. And it gives up a touch that the page does not
  // take within a fifth of a second, which a busy machine may not manage.
  await eventually(async () => {
    await touch('touchStart', marker.x);
    for (const share of [0.2, 0.5, 1]) await touch('touchMove', marker.x + share * (plot.width / 4));
    await touch('touchEnd');
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    assert.ok(Number(selection(page).get('to')) < to);
  }, 40_000);
}, { hasTouch: true, mayShift: true });

check('filters, weight, groups and values are in the address', async ({ page, open, url }) => {
  const { path } = await link(url);
  await open(path);
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('version');
  const legend = page.getByRole('group', { name: 'Lines' });
  await legend.getByRole('button').nth(1).waitFor();
  await legend.getByRole('button', { name: /^1/ }).click();
  assert.equal(new URL(page.url()).searchParams.get('off'), '1');
  assert.equal(await legend.getByRole('button', { name: /^1/ }).getAttribute('aria-pressed'), 'false');
  await page.getByRole('combobox', { name: 'Values' }).selectOption('Sum');
  await settled(page);
  assert.equal(selection(page).get('per'), null);
  await page.getByRole('button', { name: /All profiles/ }).click();
  await page.getByRole('menuitemradio', { name: 'Top 25 %' }).click();
  await settled(page);
  assert.equal(selection(page).get('top'), '0.25');
  const all = (await ask(url, `records?${new URLSearchParams({ q: 'cpu' })}`)).id.length;
  await page.locator('.profile-words', { hasText: `${Math.ceil(all / 4)} profile` }).waitFor(); // rounded up
  await page.keyboard.press('o');
  await page.getByRole('dialog', { name: 'Labels' }).getByRole('button', { name: /^version/ }).click();
  await page.getByRole('textbox', { name: 'Find a version' }).fill('2');
  await page.getByRole('group', { name: 'version' }).getByRole('button', { name: '2', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(selection(page).get('q'), 'cpu{service="shakespeare", version="2"}');
  await page.getByRole('button', { name: 'Any version' }).click();
  await page.getByRole('button', { name: 'Edit the selector as text' }).click();
  await page.getByRole('textbox', { name: 'Selector' }).fill('cpu{version=~"["}');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText(/version/).waitFor();
  await page.getByRole('textbox', { name: 'Selector' }).fill('heap{version="1"}');
  await page.keyboard.press('Enter');
  await eventually(() => assert.equal(selection(page).get('q'), 'heap{version="1"}'));
  await settled(page);
  // Kinds: any has nothing that can be added up, each other one its own sample types and values.
  await page.getByRole('combobox', { name: 'Values' }).selectOption('profile');
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('');
  await page.getByRole('button', { name: /^kind/ }).click();
  await page.getByRole('button', { name: 'Any', exact: true }).click();
  await page.getByText('The profiles selected measure different things').waitFor();
  await page.getByRole('alert').getByText(/; select one kind/).waitFor();
  for (const [kind, per] of /** @type {const} */ ([['cpu', 'second'], ['heap', 'profile']])) {
    await page.getByRole('button', { name: /^kind/ }).click();
    await page.getByRole('group', { name: 'kind' }).getByRole('button', { name: kind, exact: true }).click();
    await eventually(() => assert.deepEqual([selection(page).get('q'), selection(page).get('per')], [`${kind}{version="1"}`, per]));
    await settled(page);
    await page.getByRole('application', { name: 'Flame graph' }).or(page.locator('.flame-canvas, canvas')).first().waitFor();
  }
}, { expect: [/console: .*400/, /console: .*422/] });

check('deployments stand on the timeline, others can be added', async ({ page, open, url }) => {
  const { path, to } = await link(url);
  await open(path);
  await page.getByRole('button', { name: /First profile of version 2 of shakespeare/ }).waitFor();
  await page.getByRole('button', { name: /Marker/ }).last().click();
  await page.getByRole('textbox', { name: 'What' }).fill('cache on');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: /^cache on/ }).waitFor();
  await page.getByRole('button', { name: /First profile of version 2 of shakespeare/ }).click();
  await page.getByRole('menuitem', { name: 'Compare after with before' }).click();
  await settled(page);
  assert.equal(selection(page).get('from'), selection(page, 'base').get('to'));
  assert.equal(selection(page).get('to'), String(to));
});

check.core('history has the selected function among those that changed, and a point leads to its window', async ({ page, open, url }) => {
  const { path } = await link(url, 'top', '&sort=cum&find=matchRegexp');
  await open(path);
  await rows(page, 'Functions by cost').filter({ hasText: 'main.matchRegexp' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^History/ }).click();
  await settled(page);
  assert.equal(new URL(page.url()).pathname, '/history');
  const table = rows(page, 'Functions by version');
  const chosen = table.filter({ hasText: 'matchRegexp' }).first();
  assert.equal(await chosen.getAttribute('aria-selected'), 'true');
  assert.match(await chosen.innerText(), /▼[\s\S]*→\s*0%\s*2\s/); // gone with version 2
  assert.ok((await table.count()) > 3);
  for (const name of ['1', '2']) await page.getByRole('columnheader', { name, exact: true }).waitFor();
  await page.locator('.chart-flag').filter({ hasText: '2' }).first().waitFor();
  // A line is left out, and a walk through the table shows that of another function.
  const drawn = async () => new Set(await page.locator('.chart-point').evaluateAll((all) =>
    all.map((p) => p.getAttribute('aria-label')?.split(', ')[1])));
  const lines = await drawn();
  await page.getByRole('button', { name: 'Line of main.matchRegexp', exact: true }).click();
  await eventually(async () => assert.ok(!(await drawn()).has('main.matchRegexp')));
  assert.ok(lines.has('main.matchRegexp') && lines.size > 3, [...lines].join());
  await page.getByRole('columnheader', { name: 'First seen' }).getByRole('button').click();
  await settled(page);
  assert.equal(new URL(page.url()).searchParams.get('order'), '-first');
  // Your code folds here, too.
  await page.keyboard.press('y');
  await settled(page);
  await table.filter({ hasText: ' via ' }).first().waitFor();
  const point = page.locator('.chart-point').first();
  await point.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await settled(page);
  assert.ok(new URL(page.url()).searchParams.get('span'));
});

check('a history leads to the comparison of a version with the one before it, whatever time is selected', async ({ page, open, url }) => {
  const { from, to } = await link(url);
  // All of it is on the timeline, and what the second version sent is selected.
  const began = String(Math.ceil((await ask(url, 'markers')).markers[1].time / 1000) * 1000);
  const id = `sel:${new URLSearchParams({ q: 'cpu{service="shakespeare"}', from: began, to: String(to), per: 'second' })}`;
  await open(`/history?${new URLSearchParams({ profile: id, span: `${from}-${to}` })}`);
  const compared = async () => {
    await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
    await settled(page);
    assert.deepEqual(['profile', 'base'].map((which) => selection(page, /** @type {'profile' | 'base'} */ (which)).get('q')), [
      'cpu{service="shakespeare", version="2"}', 'cpu{service="shakespeare", version="1"}',
    ]);
    assert.deepEqual([selection(page).get('from'), selection(page).get('to')], [String(from), String(to)]);
  };
  await rows(page, 'Functions by version').filter({ hasText: 'ToLower' }).getByRole('link', { name: 'Compare 2 with 1' }).click();
  await compared();
  assert.equal(new URL(page.url()).searchParams.get('fn'), 'strings.ToLower');
  await page.goBack();
  await page.locator('.chart-flag').getByRole('link', { name: 'Compare 2 with 1' }).click();
  await compared();
});

check('a history draws what functions cost, too', async ({ page, open, url }) => {
  await open((await link(url, 'history')).path);
  const [values, said] = [page.locator('.history-chart .chart-left'), page.locator('.chart-point')];
  await eventually(async () => assert.match(String(await values.last().textContent()), /%$/));
  assert.match(String(await said.first().getAttribute('aria-label')), /^[\d.]+% · (0|[\d.]+ cores?), /);
  await page.getByRole('group', { name: 'Lines show' }).getByRole('button', { name: 'Cost' }).click();
  await eventually(async () => assert.match(String(await values.last().textContent()), / cores?$/));
  await page.reload();
  await settled(page);
  assert.match(String(await values.last().textContent()), / cores?$/);
});

check.core('single profiles are listed by cost, saved, and opened', async ({ page, open, url }) => {
  const { path } = await link(url, 'records');
  await open(path);
  const { id, value } = await ask(url, `records?${new URLSearchParams({ q: 'cpu' })}`);
  assert.equal(await rows(page, 'Profiles').count() > 0, true);
  const download = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
  const lines = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
  assert.equal(lines.length, id.length + 1);
  assert.equal(lines[1]?.split(',')[1], String(Math.max(...value)));
  await page.getByRole('grid', { name: 'Profiles' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await settled(page);
  assert.ok(id.includes(selection(page).get('id')));
  await page.getByText('1 profile', { exact: true }).waitFor();
});

check('times: presets, now, live, and a link of yesterday', async ({ page, open, url }) => {
  const { path } = await link(url);
  await open(path);
  await page.getByRole('button', { name: /\d\d:\d\d/ }).first().click();
  await page.getByRole('button', { name: 'Last 3 hours' }).click();
  await settled(page);
  const length = () => Number(selection(page).get('to')) - Number(selection(page).get('from'));
  assert.equal(length(), 3 * 3_600_000);
  await page.keyboard.press('l');
  await eventually(() => assert.equal(new URL(page.url()).searchParams.get('live'), '3h'));
  await page.keyboard.press('l');
  await page.keyboard.press(',');
  await page.getByText('No profiles in this time range').first().waitFor();
  await page.keyboard.press('r');
  await settled(page);
  await page.getByRole('button', { name: /\d profiles?/ }).first().waitFor();
  const relative = `sel:${new URLSearchParams({ q: 'cpu', from: '-1h' })}`;
  await open(`/flame?profile=${encodeURIComponent(relative)}`);
  await eventually(() => assert.match(String(selection(page).get('from')), /^\d{13}$/)); // what is shared means what was seen
}, { expect: [/console: .*404/], mayShift: true });

check('from the services to a comparison by keyboard alone', async ({ page, open }) => {
  await open('/services');
  await page.keyboard.press('Tab'); // past the link that skips
  await page.getByRole('grid', { name: 'Services' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await settled(page);
  await page.keyboard.press('b');
  assert.match(String(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))), /^Start of the selection/);
  // What has the focus as soon as the box is there: Enter may follow at once.
  const focused = await page.evaluateHandle(() => {
    const seen = { first: /** @type {Promise<string> | null} */ (null) };
    seen.first = new Promise((found) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('[role=dialog]')) return;
        observer.disconnect();
        found(document.activeElement?.closest('button')?.textContent ?? 'no button');
      }).observe(document.body, { childList: true, subtree: true });
    });
    return seen; // not the promise, which would be waited for
  });
  await page.keyboard.press('m');
  assert.match(String(await focused.evaluate((seen) => seen.first)), /two latest versions/);
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
  await page.keyboard.press('h');
  await eventually(async () => assert.equal(await page.locator('.timeline').count(), 0));
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  for (const text of ['Compare to', 'Live: keep up with new profiles', 'Go to the timeline', 'History']) {
    await help.getByText(text, { exact: true }).waitFor();
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('1'); // the first page
  await page.waitForURL(/\/services/);
}, { mayShift: true });

empty('what the store has set aside is in a table of the state', async ({ page, open }) => {
  await page.route('**/api/v1/status', async (route) => {
    const response = await route.fetch();
    const aside = [{
      service: 'shop', from: 1_789_948_800_000, since: 1_790_000_000_000, profiles: null, problem: 'a block is damaged',
      next: 'hone store repair /srv/hone',
    }];
    await route.fulfill({ response, json: { ...(await response.json()), aside } });
  });
  await open('/status');
  const cells = await page.getByRole('region', { name: 'Set aside' }).getByRole('row').last().locator('th, td').allTextContents();
  assert.deepEqual([cells[0], ...cells.slice(3)], ['shop', 'unknown', 'a block is damaged', 'hone store repair /srv/hone']);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing, ${colorScheme}`, async ({ page, open, url }) => {
    for (const path of [
      '/services', '/status', (await link(url, 'flame', '&by=version')).path, (await link(url, 'history')).path,
      (await link(url, 'records')).path,
    ]) {
      await open(path);
      await clean(page, { where: path });
    }
    for (const keys of ['m', 'o']) {
      await page.keyboard.press(keys);
      await page.locator('.floating button').first().waitFor();
      await clean(page, { where: `menu of ${keys}` });
      await page.keyboard.press('Escape');
    }
  }, { colorScheme });
}

for (const width of [360, 3840]) {
  check(`nothing is wider than a window of ${width}, nothing moves`, async ({ page, open, url }) => {
    for (const path of [
      '/services', '/status', (await link(url)).path, (await link(url, 'history')).path, (await link(url, 'records')).path,
    ]) {
      await open(path);
      const [inner, outer] = await page.evaluate(() => [
        Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('#view, .status')].map((e) => e.scrollWidth)),
        innerWidth,
      ]);
      assert.ok(Number(inner) <= Number(outer), `${path}: ${inner} > ${outer}`);
    }
  }, { viewport: { width, height: width > 1000 ? 2160 : 720 } });
}

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  closed.axe(`axe finds nothing where one logs in, ${colorScheme}`, async ({ page, url }) => {
    await page.goto(`${url}/login?to=/services`);
    await clean(page);
    await page.locator('input[name=token]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await clean(page, { where: 'after a wrong token' });
  }, { colorScheme, allow: [/console: .*40[13]/], mayShift: true });
  empty.axe(`axe finds nothing before the first profile, ${colorScheme}`, async ({ page, open }) => {
    for (const path of ['/services', '/status']) {
      await open(path);
      await clean(page, { where: path });
    }
  }, { colorScheme });
}

check('history by keyboard alone', async ({ page, open, url }) => {
  await open((await link(url, 'history')).path);
  await tabTo(page, /^grid Functions by version/); // all points of the chart are one stop
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /fn=/));
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Source', selected: true }).waitFor();
}, { mayShift: true });

check('services, single profiles and the state by keyboard alone', async ({ page, open, url }) => {
  await open('/services');
  await tabTo(page, /^grid Services/);
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await open((await link(url, 'records')).path);
  await tabTo(page, /^grid Profiles/, 120);
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  await open('/status');
  await tabTo(page, /Skip to the page/);
  await tabTo(page, /^body|Skip to the page/, 120); // all the way
}, { mayShift: true });

closed('behind a login, the first profile needs a token, and the page says how to get it', async ({ page, url }) => {
  await page.goto(`${url}/services`);
  await page.locator('input[name=token]').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'First, a token' }).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const copied = async (/** @type {string} */ title) => {
    await page.getByRole('button', { name: `Copy: ${title}` }).click();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(await copied('First, a token'), 'hone token add -role write -service shop shop-agents > token');
  assert.equal(await copied('A file'), `hone push -server ${url} -token-file token -service shop cpu.pb.gz`);
  await page.getByText('Start the program with the token in HONE_TOKEN.').waitFor();
}, { allow: [/console: .*401/], mayShift: true });

closed.core('who is not known logs in, is shown, and logs out', async ({ page, url }) => {
  await page.goto(`${url}/services?find=x`);
  await page.waitForURL(/\/login\?to=/);
  await page.locator('input[name=token]').fill(token);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/services\?find=x/);
  await page.getByRole('button', { name: /Logged in as ada/ }).click();
  await page.getByText('ada may read').waitFor();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL(/\/login/);
}, { allow: [/console: .*401/], mayShift: true }); // of requests that nobody may send
