// @ts-check
// The pages of runs that hone load made: of a load, of two, of a damaged one.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { honeBinary, temporaryFolder } from './hone.mjs';
import { eventually, settled, suite } from './page.mjs';
import { absolute, wordindex } from './profiles.mjs';

const folder = temporaryFolder('load');
const runs = join(folder, '.hone', 'runs');
writeFileSync(join(folder, 'go.mod'), 'module example.com/shop\n');

/** A service that refuses every tenth request, under load. Returns the id of the run. */
async function loaded() {
  let n = 0;
  const service = createServer((_, answer) => {
    n++;
    answer.statusCode = n % 10 === 0 ? 503 : 200;
    answer.end('found\n');
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (service.address());
  try {
    // Whatever the machine is busy with, no request is late.
    const child = spawn(honeBinary(), [
      'load', 'http', '-rate', '100', '-duration', '1s', '-count', '2', '-warmup', '0s', '-late', '1h', '-goal', 'failed<=50%',
      '-goal', 'p50<=1ns', `http://127.0.0.1:${port}/search`,
    ], { cwd: folder });
    let said = '';
    child.stdout.on('data', (text) => (said += text));
    child.stderr.on('data', (text) => (said += text));
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 3, said); // a goal is missed
  } finally {
    service.closeAllConnections();
    service.close();
  }
  return /** @type {string} */ (readdirSync(runs).find((name) => !name.startsWith('.')));
}

const real = await loaded();
const HOSTILE = '<img src=x onerror=alert(1)>';

/** @param {string} id @param {(load: any) => unknown} change what becomes of the real one's load.json @param {object} [info] of the run */
function made(id, change, info) {
  const dir = join(runs, id);
  cpSync(join(runs, real), dir, { recursive: true });
  const { files: _, ...known } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'));
  writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...known, id, state: 'partial', ...info }));
  const changed = change(JSON.parse(readFileSync(join(dir, 'load.json'), 'utf8')));
  writeFileSync(join(dir, 'load.json'), typeof changed === 'string' ? changed : JSON.stringify(changed));
  return dir;
}

const against = '20260101-000000-aaaa';
const dir = made(against, (load) => {
  const head = load.sides[0];
  const curve = head.response.curve.map((/** @type {any} */ p) => ({ q: p.q, time: 2 * p.time }));
  const cost = (/** @type {number} */ value) =>
    [{ kind: 'process', unit: 'cpu-ns/op', value }, { kind: 'memory', unit: 'gcs/op', value: 0.001 }];
  return {
    ...load, sides: [
      { ...head, side: 'base', costs: cost(80_000), failures: undefined, failed: 0 },
      {
        ...head, response: { ...head.response, curve }, costs: cost(160_000), hottest: [{ function: HOSTILE, share: 0.5 }], gc_share: 0.25,
        failures: [{ name: HOSTILE, count: 20, samples: [`${HOSTILE}\nsecond line`] }],
      },
    ],
  };
}, { base: { name: 'main' } });
cpSync(join(dir, 'bench.txt'), join(dir, 'base.txt'));
cpSync(join(dir, 'bench.txt'), join(dir, 'head.txt'));
const kept = join(dir, 'profiles', 'load%2Fhttp@GET%2Fsearch');
mkdirSync(kept, { recursive: true });
for (const side of ['base', 'head']) cpSync(absolute(wordindex), join(kept, `${side}.cpu.pb.gz`));

const damaged = '20260102-000000-dddd';
made(damaged, (load) => JSON.stringify(load).replace('"q":0,', '"q":7,'));

const refused = '20260103-000000-eeee';
made(refused, (load) => {
  const none = { mean: null, p50: null, p90: null, p99: null, 'p99.9': null, 'p99.99': null, max: null, curve: [] };
  const windows = load.sides[0].windows.map((/** @type {any} */ w) =>
    ({ ...w, succeeded: 0, failed: w.succeeded + w.failed, p50: null, p99: null, max: null }));
  return { ...load, sides: [{ ...load.sides[0], succeeded: 0, failed: 200, windows, response: none, service: none }] };
});

const frozen = '20260104-000000-ffff';
made(frozen, (load) => {
  const window = (/** @type {number} */ start, /** @type {number} */ succeeded, more = {}) => ({
    start: start * 1e9, end: (start + 1) * 1e9, asked: 100, succeeded, failed: 0, p50: 1e6, p99: 1e6, max: 1e6, ...more,
  });
  const windows = [
    window(0, 101), window(1, 0), window(2, 0), window(3, 300), window(4, 99), window(5, 0, { failed: 400 }),
    window(6, 100, { asked: 0, overdue: 100 }),
  ];
  return {
    ...load, sides: [{
      ...load.sides[0], asked: 100, rate: 83.33, period: 6e9, elapsed: 7e9, succeeded: 600, failed: 400, overdue: 100, windows,
      periods: [{ start: 0, end: 7e9, started: load.sides[0].started }], silences: [{ start: 1e9, end: 3e9, due: 200 }],
    }],
  };
});

const check = suite([], { cwd: folder });

/** @param {import('./page.mjs').Page} page @param {string} name */
const chart = (page, name) => page.getByRole('slider', { name });

/** What a chart reads out. @param {import('./page.mjs').Page} page @param {string} name @param {RegExp} what */
const reads = (page, name, what) =>
  eventually(async () => assert.match(String(await chart(page, name).getAttribute('aria-valuetext')), what));

check.core('a load shows its course, and keys read it', async ({ page, open, url }) => {
  await open(`/run?run=${real}`);
  const { sides: [side] } = await (await fetch(`${url}/api/v1/runs/${real}/load`)).json();
  assert.equal(side.succeeded + side.failed, 200);
  await page.getByText(`${side.succeeded - (side.overdue ?? 0)} answered in`).waitFor(); // the last one may come late on a busy machine
  await page.getByText('failed<=50% ✓ met').waitFor();
  await page.getByText('p50<=1ns ✗ missed').waitFor();
  for (const [name, lines] of /** @type {[string, string[]][]} */ ([
    ['Throughput over time', ['line-asked', 'tone-0', 'line-failed']],
    ['Response times over time', ['tone-0 line-thin', 'line-failed']], // of so many that failed there is no p99
    ['Quantiles of response times', ['tone-0', 'tone-0 line-thin']],
  ])) {
    for (const line of lines) {
      const path = chart(page, name).locator(`path[class="chart-path ${line}"]`);
      assert.ok((await path.getAttribute('d'))?.startsWith('M'), `${name}: ${line}`);
    }
  }
  const legend = page.getByRole('region', { name: 'Throughput' }).getByRole('listitem');
  assert.deepEqual((await legend.allTextContents()).slice(0, 3), ['asked', 'answered', 'failed']);
  await chart(page, 'Throughput over time').focus();
  await page.keyboard.press('Home');
  await reads(page, 'Throughput over time', /^0 to \S+s, .*\/s answered of 100\/s(, \d+ late answers)?, \d+ failed, p50 /);
  await page.keyboard.press('ArrowRight');
  // The second period begins when the last answer of the first one has come.
  await reads(page, 'Throughput over time', /^[1-9]\d*(\.\d+)?s? to /);
  await chart(page, 'Quantiles of response times').focus();
  await page.keyboard.press('Home');
  await reads(page, 'Quantiles of response times', /^0 % of the requests, at most .*s, service .*s$/);
  // A tenth failed: there is no time that 90 % and more did not exceed.
  await page.keyboard.press('End');
  await reads(page, 'Quantiles of response times', /^(8\d|90) % of the requests/);
  const response = page.getByRole('region', { name: 'Quantiles', exact: true }).getByRole('row', { name: /^response/ });
  assert.match(String(await response.textContent()), /failed/);
});

check.core('failures are told by class, with their share and some in full', async ({ page, open }) => {
  await open(`/run?run=${real}`);
  const row = page.getByRole('region', { name: 'Failures' }).getByRole('row', { name: /status 503/ });
  assert.match(String(await row.textContent()), /503 Service Unavailable.*20 10/);
  await page.getByRole('region', { name: 'A request costs' }).getByText('hone load -pprof').waitFor();
});

check('a load begins with its figures, and leads to each section', async ({ page, open, url }) => {
  await open(`/run?run=${real}`);
  const { sides: [side] } = await (await fetch(`${url}/api/v1/runs/${real}/load`)).json();
  const tiles = page.locator('.load-tiles > div');
  const texts = Object.fromEntries((await tiles.allInnerTexts()).map((text) => text.split('\n')).map(([name, value]) => [name, value]));
  assert.deepEqual(Object.keys(texts), ['Throughput', 'p50', 'p99', 'Slowest', 'Failed']);
  assert.equal(texts['Failed'], String(side.failed));
  assert.equal(texts['p99'], 'failed');
  const box = page.locator('.load');
  assert.equal(await box.evaluate((el) => el.scrollTop), 0);
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Cost', exact: true }).click();
  await eventually(async () => assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'A request costs',
  ));
  assert.ok(await box.evaluate((el) => el.scrollTop) > 0);
}, { mayShift: true, viewport: { width: 360, height: 640 } });

check('times have an axis of logarithms, or a linear one, in the link', async ({ page, open }) => {
  await open(`/run?run=${real}`);
  const curve = chart(page, 'Quantiles of response times').locator('path.chart-path').first();
  const before = await curve.getAttribute('d');
  await page.getByRole('button', { name: 'Linear' }).click();
  await eventually(async () => assert.notEqual(await curve.getAttribute('d'), before));
  assert.equal(new URL(page.url()).searchParams.get('scale'), 'linear');
  await page.reload();
  await settled(page);
  assert.equal(await page.getByRole('button', { name: 'Linear' }).getAttribute('aria-pressed'), 'true');
});

check('the figures are one click away', async ({ page, open }) => {
  await open(`/run?run=${real}`);
  await page.getByRole('button', { name: 'Figures' }).click();
  await page.getByRole('grid', { name: 'Results' }).getByText('req/s').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('show'), 'figures');
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  await chart(page, 'Throughput over time').waitFor();
});

check.core('two sides are drawn together, and whatever they say is text', async ({ page, open }) => {
  await open(`/run?run=${against}`);
  await page.getByRole('grid', { name: 'Comparison' }).waitFor(); // the verdicts come first
  await page.getByRole('button', { name: 'Load', exact: true }).click();
  const curves = page.getByRole('region', { name: 'Quantiles of response times' });
  const legend = curves.getByRole('listitem');
  await eventually(async () => assert.deepEqual(await legend.allTextContents(), ['Before: response', 'After: response']));
  const [base, head] = await chart(page, 'Quantiles of response times').locator('path.chart-path').evaluateAll(
    (paths) => paths.map((p) => p.getAttribute('d')),
  );
  assert.notEqual(base, head);
  const costs = page.getByRole('region', { name: 'A request costs' });
  assert.match(String(await costs.getByRole('row', { name: /CPU time/ }).first().textContent()), /80\.00µs160\.0µs/);
  await costs.getByText('1 in 1\u202f000').first().waitFor();
  const fn = costs.getByRole('link', { name: HOSTILE });
  assert.equal(new URL(String(await fn.getAttribute('href')), page.url()).searchParams.get('mine'), 'true'); // it is named so only then
  await page.getByRole('region', { name: 'Failures' }).getByText(HOSTILE).first().waitFor();
  assert.equal(await page.locator('img').count(), 0);
  // Profiles of both sides are compared for as many requests.
  await page.getByRole('region', { name: 'Profiled under the same load' }).getByRole('link', { name: 'Diff' }).click();
  await page.waitForURL(/\/diff\?/);
  const q = new URL(page.url()).searchParams;
  assert.equal(q.get('profile'), `${against}:GET/search/cpu`);
  assert.equal(q.get('base'), `${against}:base/GET/search/cpu`);
  assert.equal(q.get('base_total'), '0.5');
});

check('two runs are drawn together', async ({ page, open }) => {
  await open(`/compare?run=${against}&run=${real}&show=load`);
  const answered = page.getByRole('region', { name: 'Throughput' }).getByRole('listitem').filter({ hasText: 'answered' });
  await eventually(async () => assert.deepEqual(await answered.allTextContents(), ['Before: answered', 'After: answered']));
  await chart(page, 'Response times over time').focus();
  await page.keyboard.press('Home');
  await reads(page, 'Response times over time', /Before: .*After: /);
});

check('a load that was refused has no times, and says so', async ({ page, open }) => {
  await open(`/run?run=${refused}`);
  await page.getByText('200 failed, 100%').waitFor();
  await page.getByRole('region', { name: 'Quantiles of response times' }).getByText('No request succeeded.').waitFor();
  const times = chart(page, 'Response times over time');
  assert.equal(await times.locator('.chart-left').count(), 0);
  await times.focus();
  await page.keyboard.press('Home');
  await reads(page, 'Response times over time', /p50 failed, p99 failed/);
});

check('no rate is above what was asked for, and a time without answers is marked', async ({ page, open }) => {
  await open(`/run?run=${frozen}`);
  await page.getByText('no answer for 2.000s, from 1.000s on, while 200 requests were due').waitFor();
  await page.getByText('100 answered after their period ended: not counted in the rate').waitFor();
  const throughput = page.getByRole('region', { name: 'Throughput' });
  assert.deepEqual(await throughput.getByRole('listitem').allTextContents(), ['asked', 'answered', 'failed', 'no answer', 'late answers']);
  const top = async (/** @type {string} */ look) => {
    const d = String(await chart(page, 'Throughput over time').locator(`path[class="chart-path ${look}"]`).getAttribute('d'));
    return Math.min(...d.slice(1).split(/[ML]/).map((point) => Number(point.split(' ')[1])));
  };
  const asked = await top('line-asked'); // pixels, from above
  assert.ok(await top('tone-0') >= asked && await top('line-failed') >= asked);
  for (const [band, n] of /** @type {const} */ ([['band-silent', 1], ['band-late', 2]])) {
    assert.equal(await chart(page, 'Throughput over time').locator(`rect.${band}`).count(), n, band);
  }
  await chart(page, 'Throughput over time').focus();
  await page.keyboard.press('Home');
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  await reads(page, 'Throughput over time', /^3s to 4\.0s, 100\/s answered of 100\/s, 200 late answers, p50 /);
});

check('a damaged file is told by its name, and the figures stay', async ({ page, open }) => {
  await open(`/run?run=${damaged}`);
  await page.getByRole('alert').getByText('load.json: head: point 0 of the quantiles is out of order').waitFor();
  await page.getByRole('button', { name: 'Figures' }).click();
  await page.getByRole('grid', { name: 'Results' }).waitFor();
}, { expect: [/console: .*422/] });

const pages = [`/run?run=${real}`, `/run?run=${frozen}`, `/run?run=${against}&show=load`, `/compare?run=${against}&run=${real}&show=load`];
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing, ${colorScheme}`, async ({ page, open }) => {
    for (const path of pages) {
      await open(path);
      await chart(page, 'Quantiles of response times').focus();
      await page.keyboard.press('ArrowRight');
      await clean(page, { where: path });
    }
  }, { colorScheme });
}

for (const width of [360, 3840]) {
  check(`nothing is wider than a window of ${width}`, async ({ page, open }) => {
    for (const path of pages) {
      await open(path);
      await chart(page, 'Throughput over time').waitFor();
      const wide = await page.evaluate(() => ['html', '#view', '.load'].filter((s) => {
        const e = document.querySelector(s);
        return e && e.scrollWidth > e.clientWidth;
      }));
      assert.deepEqual(wide, [], path);
    }
  }, { viewport: { width, height: width > 1000 ? 2160 : 720 } });
}
