// @ts-check
// What is exported for other viewers, opened by them: speedscope in a browser, and
// the Firefox Profiler's own reader, which its command line has. They have to show
// the totals and the top functions of hone.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { launch } from './chromium.mjs';
import { hone, root, temporaryFolder } from './hone.mjs';
import { exporting, suite, test } from './page.mjs';
import { heap, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ name: string, flat: { value: number }, cum: { value: number } }} Row */

const modules = join(root, 'web', 'node_modules');
const folder = temporaryFolder('viewers');

/** The functions of a table of hone's. @param {string[]} args @returns {{ total: number, rows: Row[] }} */
function top(...args) {
  const { total, rows } = JSON.parse(hone('top', '-json', '-trim=false', ...args));
  return { total: total.value, rows };
}

/**
 * Exports a flame graph for a viewer.
 * @param {Page} page
 * @param {string} label of the format
 */
async function exported(page, label) {
  const download = await exporting(page, label);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
}

/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2', '.json': 'application/json' };

/** Speedscope's site, with files of the test beside it. */
function site() {
  const release = join(modules, 'speedscope', 'dist', 'release');
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://site').pathname;
    const name = path === '/' ? 'index.html' : path.slice(1);
    const file = [join(release, name), join(folder, name)].find((f) => existsSync(f));
    response.writeHead(file ? 200 : 404, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' });
    response.end(file && readFileSync(file));
  });
  return new Promise((/** @type {(server: import('node:http').Server) => void} */ resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** A value as speedscope prints it, in the profile's unit. @param {string} text */
function valueOf(text) {
  const [, number, unit] = /^([\d.,]+)\s*(\D*?)(?: |$)/.exec(text) ?? assert.fail(text);
  const factor = { s: 1e9, ms: 1e6, µs: 1e3, ns: 1, GB: 2 ** 30, MB: 2 ** 20, KB: 2 ** 10, B: 1 }[unit || 'ns'];
  return Number(number?.replaceAll(',', '')) * (factor ?? assert.fail(text));
}

/** Speedscope prints three digits or two decimals. @param {number} got @param {number} want @param {string} what */
function near(got, want, what) {
  assert.ok(Math.abs(got - want) <= Math.abs(want) * 0.01, `${what}: ${got} instead of ${want}`);
}

/** @type {import('playwright-core').Browser} */
let browser;
/** @type {import('node:http').Server} */
let server;
before(async () => {
  [browser, server] = await Promise.all([launch({ webgl: true }), site()]);
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** What speedscope shows of a file in `folder`. @param {string} name */
async function speedscope(name) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const page = await browser.newPage();
  try {
    /** @type {string[]} */
    const faults = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`http://127.0.0.1:${port}/#profileURL=${encodeURIComponent(`http://127.0.0.1:${port}/${name}`)}`);
    await page.getByText('Sandwich').click();
    // Its list of profiles has a head in the table; that of functions is two tables, one of them the head.
    const functions = page.locator('table:not(:has(thead)) tr');
    await functions.first().waitFor();
    /** @param {Element[]} rows */
    const cells = (rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? ''));
    const shown = {
      profiles: await page.locator('table:has(thead) tbody tr').evaluateAll(cells),
      functions: await functions.evaluateAll(cells),
    };
    assert.deepEqual(faults, []);
    return shown;
  } finally {
    await page.close();
  }
}

const check = suite([wordindex]);

check('speedscope shows what hone shows', async ({ page, open }) => {
  await open('/flame');
  const file = await exported(page, 'Speedscope');
  assert.match(file, /\.speedscope\.json$/);
  const shown = await speedscope(file.slice(folder.length + 1));
  const { total, rows } = top(wordindex);
  assert.deepEqual(shown.profiles.map((cells) => cells[1]), ['samples', 'cpu']);
  near(valueOf(shown.profiles[1]?.[2] ?? ''), total, 'the total');
  compare(shown.functions, rows);
});

test('speedscope shows bytes', async () => {
  hone('flame', '-sample_index=alloc_space', '-o', join(folder, 'heap.speedscope.json'), heap);
  const shown = await speedscope('heap.speedscope.json');
  assert.deepEqual(shown.profiles.map((cells) => cells[1]), ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']);
  compare(shown.functions, top('-sample_index=alloc_space', heap).rows);
});

/** Compares the first rows of speedscope's table, by self, with those of hone's. @param {string[][]} shown @param {Row[]} rows */
function compare(shown, rows) {
  const byName = new Map(rows.map((row) => [row.name, row]));
  assert.ok(shown.length >= 10, `only ${shown.length} functions are shown`);
  for (const [i, cells] of shown.slice(0, 10).entries()) {
    const [cum = '', flat = '', name = ''] = cells;
    const row = byName.get(name) ?? assert.fail(`hone has no ${name}`);
    near(valueOf(flat), row.flat.value, `self of ${name}`);
    near(valueOf(cum), row.cum.value, `total of ${name}`);
    near(valueOf(flat), rows[i]?.flat.value ?? NaN, `the ${i}th of the table`);
  }
}

/**
 * What the Firefox Profiler makes of a file.
 * @param {string} file
 * @returns {Promise<{ thread: string, functions: { name: string, selfSamples: number, totalSamples: number }[] }>}
 */
async function firefox(file) {
  const cli = join(modules, '@firefox-devtools', 'profiler-cli', 'dist', 'profiler-cli.js');
  const session = basename(file);
  const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder };
  // "load" would give the daemon half a second to start, which a busy machine may not have. Nobody
  // may ask for a session before it is there: that would remove the daemon's socket.
  const daemon = spawn(process.execPath, [cli, '--daemon', file, '--session', session], { env, stdio: 'ignore' });
  try {
    const log = join(folder, `${session}.log`);
    const hangs = Date.now() + 150_000; // before the test's own limit, which would leave this waiting
    for (let said = ''; !said.includes('Profile loaded successfully'); said = existsSync(log) ? readFileSync(log, 'utf8') : '') {
      assert.ok(daemon.exitCode === null && !said.includes('Failed to load') && Date.now() < hangs, said || 'the daemon said nothing');
      await setTimeout(50);
    }
    const args = [cli, 'thread', 'functions', '--json', '--session', session];
    const { friendlyThreadName: thread, functions } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }));
    return { thread, functions };
  } finally {
    daemon.kill();
  }
}

/** @param {Awaited<ReturnType<typeof firefox>>} shown @param {Row[]} rows @param {number} factor of the profiler's values */
function same(shown, rows, factor) {
  const values = (/** @type {number[]} */ ...shown) => shown.map((v) => Math.round(v * factor));
  const got = Object.fromEntries(shown.functions.map((f) => [f.name, values(f.selfSamples, f.totalSamples)]));
  const want = Object.fromEntries(rows.map((row) => [row.name, [row.flat.value, row.cum.value]]));
  assert.deepEqual(got, want);
}

check('the Firefox Profiler shows what hone shows', async ({ page, open }) => {
  await open('/flame?focus=addLine');
  const file = await exported(page, 'Firefox');
  assert.match(file, /\.firefox\.json$/);
  const shown = await firefox(file);
  assert.equal(shown.thread, 'cpu');
  same(shown, top('-focus=addLine', wordindex).rows, 1e6); // of milliseconds
});

test('the Firefox Profiler shows bytes and counts', async () => {
  for (const type of ['alloc_space', 'alloc_objects']) {
    const file = join(folder, `${type}.firefox.json`);
    hone('flame', `-sample_index=${type}`, '-o', file, heap);
    const shown = await firefox(file);
    assert.equal(shown.thread, type);
    same(shown, top(`-sample_index=${type}`, heap).rows.filter((row) => row.cum.value !== 0), 1);
  }
});

test('the Firefox Profiler shows comparisons', async () => {
  const file = join(folder, 'diff.firefox.json');
  hone('flame', '-base', wordindex, '-o', file, tuned);
  const shown = await firefox(file);
  assert.equal(shown.thread, 'cpu difference');
  const got = new Map(shown.functions.map((f) => [f.name, f]));
  for (const row of top('-diff_base', wordindex, tuned).rows.slice(0, 20)) {
    const f = got.get(row.name) ?? assert.fail(row.name);
    assert.deepEqual([f.selfSamples, f.totalSamples].map((v) => Math.round(v * 1e6)), [row.flat.value, row.cum.value], row.name);
  }
});

const compared = suite(['-diff_base', wordindex, tuned]);

compared('a comparison is not offered as what speedscope has no place for', async ({ page, open }) => {
  await open('/flame');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /^Firefox/ }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: /^Speedscope/ }).count(), 0);
});
