// @ts-check
// What leaves the page: files in every format, and commands.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hone, honeBinary, root, temporaryFolder } from './hone.mjs';
import { exporting, settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([wordindex]);
const folder = temporaryFolder('exports');

/**
 * Exports what is shown and returns where the file is.
 * @param {Page} page
 * @param {string} label of the format
 */
async function exported(page, label) {
  const download = await exporting(page, label);
  const file = join(folder, `${page.url().length}-${download.suggestedFilename()}`);
  await download.saveAs(file);
  return { file, name: download.suggestedFilename(), text: () => readFileSync(file, 'utf8') };
}

/** Labels of the formats that the view shown offers. @param {Page} page */
async function formats(page) {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem').first().waitFor();
  const labels = await page.getByRole('menuitem').evaluateAll((all) => all.map((item) => item.getAttribute('data-label') ?? ''));
  await page.keyboard.press('Escape');
  return labels.filter((label) => label !== 'copy link');
}

/**
 * Parses a file in a page of no site, where hone's policy does not forbid it.
 * @param {Page} page
 * @param {string} text
 */
async function parseSVG(page, text) {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate((source) => {
      const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
      const error = parsed.querySelector('parsererror')?.textContent ?? null;
      return {
        error, root: parsed.documentElement.nodeName, texts: parsed.querySelectorAll('text').length,
        scripts: parsed.querySelectorAll('script').length,
      };
    }, text);
  } finally {
    await blank.close();
  }
}

check('every view offers pb.gz and its own formats', async ({ page, open }) => {
  for (const [view, expected] of /** @type {const} */ ([
    ['flame', ['png', 'html', 'svg', 'folded stacks', 'speedscope', 'firefox', 'pb.gz']],
    ['top', ['text', 'csv', 'pb.gz']],
    ['graph', ['svg', 'png', 'pdf', 'dot', 'callgrind', 'pb.gz']],
    ['source', ['html', 'text', 'pb.gz']],
    ['peek', ['text', 'pb.gz']],
    ['traces', ['text', 'pb.gz']],
    ['tags', ['text', 'csv', 'pb.gz']],
    ['raw', ['text', 'pb.gz']],
  ])) {
    await open(`/${view}?fn=main.addLine`);
    const offered = await formats(page);
    for (const format of expected) assert.ok(offered.includes(format), `${view} offers ${offered}`);
  }
});

check('the profile with its filters opens in go tool pprof', async ({ page, open }) => {
  await open('/top?focus=addLine');
  const { file, name } = await exported(page, 'pb\\.gz');
  assert.match(name, /\.pb\.gz$/);
  const go = process.env['GO'] ?? 'go';
  const figures = (/** @type {string} */ text) => text.slice(text.indexOf('Showing nodes')).replace(/^.*\n/, '');
  const text = execFileSync(go, ['tool', 'pprof', '-top', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.equal(
    figures(text).split('\n').slice(1, 6).map((l) => l.trim().split(/\s+/)[0]).join(),
    figures(hone('pprof', '-top', '-focus=addLine', wordindex)).split('\n').slice(1, 6).map((l) => l.trim().split(/\s+/)[0]).join(),
  );
});

check('text is that of hone pprof', async ({ page, open }) => {
  await open('/top?focus=addLine&sort=cum');
  const { text } = await exported(page, 'Text');
  assert.equal(text(), hone('pprof', '-top', '-cum', '-focus=addLine', wordindex));
});

check('CSV has the rows, quoted where needed', async ({ page, open }) => {
  await open('/top');
  const { text, name } = await exported(page, 'CSV');
  assert.match(name, /\.csv$/);
  const rows = parseCSV(text());
  const width = rows[0]?.length ?? 0;
  assert.ok(width >= 5);
  for (const row of rows) assert.equal(row.length, width, String(row));
  assert.ok(rows.some((row) => row.some((cell) => cell.includes('runtime.mallocgc'))));
});

check('the flame graph as SVG parses and has its names', async ({ page, open }) => {
  await open('/flame');
  const { text } = await exported(page, 'SVG');
  assert.ok(text().includes('addLine'));
  const { error, root: name, texts } = await parseSVG(page, text());
  assert.deepEqual({ error, name }, { error: null, name: 'svg' });
  assert.ok(texts > 10);
});

check('the SVG has what is shown: zoom and colours', async ({ page, open }) => {
  await open('/flame');
  const whole = (await exported(page, 'SVG')).text();
  await page.getByRole('application').or(page.locator('.flame-canvas, canvas')).first().waitFor();
  await open('/flame?color=module');
  const colored = (await exported(page, 'SVG')).text();
  const fills = (/** @type {string} */ text) => [...new Set([...text.matchAll(/fill="(#\w+)"/g)].map((m) => m[1]))].sort().join();
  assert.notEqual(fills(whole), fills(colored));
  assert.ok(colored.includes('standard library'), 'the legend');
  // Of a graph that is zoomed, what is beside the function is not there.
  await page.getByRole('button', { name: 'Export' }).blur();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL(/zoom=\d+%3Amain\.indexText/);
  await settled(page);
  const zoomed = (await exported(page, 'SVG')).text();
  assert.ok(whole.includes('gcBgMarkWorker') && !zoomed.includes('gcBgMarkWorker'), 'a neighbour');
  assert.ok(zoomed.includes('main.addLine'), 'what is in it');
});

check('a picture has the search, the scale and the callers of a pivot', async ({ page, open }) => {
  await open('/flame?q=mallocgc&color=self');
  const found = (await page.locator('#search-result').innerText()).replaceAll(/\s+/g, ' ').trim();
  assert.match(found, /^\d.*%/);
  const texts = async () => {
    const { text } = await exported(page, 'SVG');
    return [...text().matchAll(/<text[^>]*>([^<]*)</g)].map((m) => String(m[1]));
  };
  const plain = await texts();
  assert.ok(plain.includes(`mallocgc: ${found.replace('%', '% ·')}`), `${found} is not in ${plain.join('|')}`);
  for (const word of ['low self', 'high self']) assert.ok(plain.includes(word), word);
  await open('/flame?pivot=main.addLine');
  const pivoted = await texts();
  for (const name of ['main.indexText', 'main.addLine']) assert.ok(pivoted.some((text) => text.startsWith(name)), name);
  assert.ok(pivoted.some((text) => text.includes('callers and callees of main.addLine')));
});

check('the flame graph as a page works without a server', async ({ page, open }) => {
  await open('/flame');
  const { file } = await exported(page, 'HTML');
  const context = page.context();
  await context.setOffline(true);
  const alone = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  alone.on('console', (m) => m.type() === 'error' && faults.push(m.text()));
  alone.on('pageerror', (e) => faults.push(e.message));
  alone.on('request', (r) => !r.url().startsWith('file:')
    && !r.url().startsWith('data:') && !r.url().startsWith('blob:') && faults.push(r.url()));
  await alone.goto(pathToFileURL(file).href);
  await alone.waitForTimeout(300);
  assert.ok((await alone.content()).includes('addLine'));
  assert.deepEqual(faults, []);
});

check('the flame graph as a picture', async ({ page, open }) => {
  await open('/flame');
  const { file } = await exported(page, 'PNG');
  const bytes = readFileSync(file);
  assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
  assert.ok(bytes.readUInt32BE(16) >= 900, 'is narrow');
});

check('folded stacks add up to the total', async ({ page, open }) => {
  await open('/flame?sample_index=samples');
  const { text } = await exported(page, 'Folded');
  const sum = text().trimEnd().split('\n').reduce((n, line) => n + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const total = /of (\d+) total/.exec(hone('pprof', '-top', '-sample_index=samples', wordindex));
  assert.equal(sum, Number(total?.[1]));
});

check('the graph as SVG, PNG, PDF and DOT', async ({ page, open }) => {
  await open('/graph?nodecount=15');
  const svg = await exported(page, 'SVG');
  const { error } = await parseSVG(page, svg.text());
  assert.equal(error, null);
  assert.equal(readFileSync((await exported(page, 'PNG')).file).subarray(1, 4).toString('latin1'), 'PNG');
  assert.equal(readFileSync((await exported(page, 'PDF')).file).subarray(0, 5).toString('latin1'), '%PDF-');
  assert.match((await exported(page, 'DOT')).text(), /^digraph /);
});

const several = suite([labels]);

several('CSV of tags', async ({ page, open }) => {
  await open('/tags');
  const rows = parseCSV((await exported(page, 'CSV')).text());
  assert.ok(rows.length > 2);
});

const compared = suite(['-diff_base', wordindex, tuned]);

compared('a comparison exports text and CSV', async ({ page, open }) => {
  await open('/');
  await page.getByRole('tab', { name: 'Diff' }).click();
  await settled(page);
  const text = await exported(page, 'Text');
  assert.match(text.text(), /addLine|runtime/);
  assert.ok(parseCSV((await exported(page, 'CSV')).text()).length > 2);
});

check('the commands of the views run', async ({ page, open }) => {
  for (const [view, parameters] of /** @type {const} */ ([
    ['top', 'focus=addLine&sort=cum'],
    ['top', 'focus=' + encodeURIComponent("a'b|addLine")],
    ['sandwich', 'fn=main.addLine'],
    ['peek', 'fn=main.addLine'],
    ['source', 'fn=main.addLine'],
    ['traces', 'focus=addLine'],
    ['raw', ''],
  ])) {
    await open(`/${view}?${parameters}`);
    await runCopied(page);
  }
}, { permissions: ['clipboard-read', 'clipboard-write'] });

several('the command of tags runs', async ({ page, open }) => {
  await open('/tags');
  await runCopied(page);
}, { permissions: ['clipboard-read', 'clipboard-write'] });

compared('the command of a comparison runs', async ({ page, open }) => {
  await open('/');
  for (const name of ['Diff', 'Top']) {
    await page.getByRole('tab', { name }).click();
    await settled(page);
    await runCopied(page);
  }
}, { permissions: ['clipboard-read', 'clipboard-write'] });

/** Copies the command of what is shown, and runs it in a shell. @param {Page} page */
async function runCopied(page) {
  await page.getByRole('button', { name: 'Copy as command' }).click();
  await page.getByRole('menuitem', { name: /^hone/ }).click();
  const toast = page.locator('.toast').getByText('Command copied');
  await toast.waitFor();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^hone /);
  const path = `${dirname(honeBinary())}:${process.env['PATH']}`;
  const { status, stdout, stderr } = spawnSync(
    'sh', ['-c', command], { cwd: root, env: { ...process.env, PATH: path }, encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  assert.equal(status, 0, `${command}\n${stderr}`);
  assert.ok(stdout.length > 100, `${command}\n${stdout}`);
}

/** Rows of a CSV text (RFC 4180). @param {string} text */
function parseCSV(text) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '' && row.length === 0) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
