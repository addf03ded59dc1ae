// @ts-check
// The pages of kept runs, on runs that hone bench made.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { tabTo } from './focus.mjs';
import { honeBinary, serve } from './hone.mjs';
import { allowClipboard, downloaded, eventually, settled, suite, test } from './page.mjs';
import { benched } from './runs.mjs';
import { absolute, wordindex } from './profiles.mjs';

const { folder, ids } = benched();
const [slow, fast, against] = /** @type {[string, string, string]} */ (ids);
// Latin-1 names and more: what is not a run must not stop the list.
mkdirSync(join(folder, '.hone', 'runs', '20200101-000000-dead'));
writeFileSync(join(folder, '.hone', 'runs', '20200101-000000-dead', 'run.json'), '{"schema": 1, <b>');

const check = suite([], { cwd: folder });

/** @param {import('./page.mjs').Page} page @param {string} label */
const rows = (page, label) => page.getByRole('grid', { name: label }).getByRole('row').filter({ has: page.getByRole('gridcell') });

test('hone ui without a source shows the runs of the module, with runs their page', async () => {
  for (const [args, path] of /** @type {[string[], string][]} */ ([
    [[], '/runs'],
    [['latest'], `/run?run=${against}`],
    [[slow, fast], `/compare?run=${slow}&run=${fast}`],
    [[`${fast}:Count/cpu`], '/flame?profile='],
    [['-view', 'top', fast], '/top?profile='],
    [[absolute(wordindex)], '/flame?profile='],
  ])) {
    const server = await serve(args, { cwd: folder });
    try {
      const { pathname, search } = new URL(/Serving on (\S+);/.exec(server.log())?.[1] ?? '');
      assert.ok((pathname + search).startsWith(path), `${args}: ${pathname}${search}`);
    } finally {
      await server.stop();
    }
  }
});

test('-runs says where they are, in whatever folder', async () => {
  const server = await serve(['-runs', join(folder, '.hone', 'runs')], { cwd: '/' });
  try {
    const { runs } = await (await fetch(`${server.url}/api/v1/runs`)).json();
    assert.equal(runs.length, 4);
    assert.equal((await fetch(`${server.url}/api/v1/runs/compare?run=/etc/hostname`)).status, 404);
    assert.equal((await fetch(`${server.url}/api/v1/runs/nothing`)).status, 404);
    assert.equal((await fetch(`${server.url}/api/v1/runs/trend?limit=x`)).status, 400);
  } finally {
    await server.stop();
  }
});

check('runs are told apart: subject and branch of the commit, what measured them, how long, and the verdict', async ({ page, open }) => {
  await open('/runs');
  const row = rows(page, 'Runs').filter({ hasText: '-against' });
  const text = String(await row.textContent());
  for (const part of [/words/, /main · /, /bench -count 6 .*-against HEAD/, /\d+ (s|min)/]) assert.match(text, part);
  await page.getByRole('button', { name: 'Took' }).click();
  await page.getByRole('searchbox', { name: 'Find runs' }).fill('main');
  await eventually(async () => assert.equal(await rows(page, 'Runs').count(), 3)); // not the broken one
});

for (const width of [360, 1280]) {
  check(`a window of ${width} has what tells runs apart, and no mark is cut off`, async ({ page, open }) => {
    await open('/runs');
    const row = rows(page, 'Runs').filter({ hasText: '-against' });
    const text = await row.innerText();
    const parts = [/uncommitted/, /with base/, /^words/m, /main · /, /bench -count 6 /, /\d+(\.\d)? (s|min)/];
    for (const part of parts) assert.match(text, part);
    const cut = await page.locator('.runs-when .badge').evaluateAll((all) => all.flatMap((badge) => {
      const [a, b] = [badge.getBoundingClientRect(), /** @type {Element} */ (badge.closest('.cell')).getBoundingClientRect()];
      return a.right > b.right || a.bottom > b.bottom ? [`${badge.textContent} at ${a.right},${a.bottom} in ${b.right},${b.bottom}`] : [];
    }));
    assert.deepEqual(cut, []);
    await rows(page, 'Runs').nth(1).getByText('not compared').waitFor();
  }, { viewport: { width, height: 740 } });
}

check.core('the list has time, commit, package, marks and what is broken; it is filtered and saved', async ({ page, open }) => {
  await open('/runs');
  assert.equal(await rows(page, 'Runs').count(), 4);
  const first = rows(page, 'Runs').first();
  for (const text of ['example.com/words', '+dirty vs', 'with base', 'words']) assert.ok((await first.textContent())?.includes(text), text);
  await rows(page, 'Runs').last().getByText('corrupt').waitFor();
  await page.getByRole('searchbox', { name: 'Find runs' }).fill('against');
  await eventually(async () => assert.equal(await rows(page, 'Runs').count(), 1));
  assert.equal(new URL(page.url()).searchParams.get('find'), 'against');
  const download = await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click());
  const csv = readFileSync(await download.path(), 'utf8');
  assert.match(csv, new RegExp(`^[^\\n]*Id[^\\n]*\\r\\n[^\\n]*${against}[^\\n]*\\r\\n$`));
});

check.core('two runs that are ticked are compared, the older as the base', async ({ page, open }) => {
  await open('/runs');
  await page.getByRole('checkbox', { name: `Compare ${fast}` }).check();
  await page.getByRole('checkbox', { name: `Compare ${slow}` }).check();
  await page.getByText(/^Before: .*\d\d:\d\d.*, after: .*\d\d:\d\d/).waitFor();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await rows(page, 'Comparison').first().waitFor();
  assert.deepEqual(new URL(page.url()).searchParams.getAll('run'), [slow, fast]);
  await page.goBack();
  for (const id of [slow, fast]) {
    assert.ok(await page.getByRole('checkbox', { name: `Compare ${id}` }).isChecked(), `${id} is still ticked`);
  }
});

check.core('a comparison says what hone compare says', async ({ page, open }) => {
  await open(`/compare?run=${slow}&run=${fast}`);
  const said = JSON.parse(execFileSync(honeBinary(), ['compare', '-json', slow, fast], { cwd: folder, encoding: 'utf8' })).comparisons[0];
  await page.getByText(said.summary).waitFor();
  const all = rows(page, 'Comparison');
  assert.equal(await all.count(), said.comparisons.length);
  for (const [i, c] of said.comparisons.entries()) {
    const text = await all.nth(i).textContent();
    const words = await all.nth(i).locator(`[title="${c.words}"]`).count(); // some verdicts have shorter words beside
    assert.ok(text?.includes(c.benchmark.replace(/-\d+$/, '')) && words === 1, `${text}: ${c.benchmark} ${c.words}`);
  }
});

/** Both sides of the function that changed between two runs. @param {string} more */
const code = (more = '') =>
  `/source?profile=${fast}:Count/mem&base=${slow}:Count/mem&sample_index=alloc_space&fn=example.com/words.Count${more}`;

check.core('the code of both sides is next to each other, the base at its commit, with what lines cost', async ({ page, open }) => {
  await open(`/diff?profile=${fast}:Count/mem&base=${slow}:Count/mem&sample_index=alloc_space&fn=example.com/words.Count`);
  await page.getByRole('navigation', { name: 'Ways to compare' }).getByRole('link', { name: 'Source' }).click();
  const listing = page.getByRole('article', { name: 'example.com/words.Count', exact: true });
  const changed = listing.getByRole('row').filter({ hasText: 'FindAllString' });
  assert.match(String(await changed.locator('.before').textContent()), /for _, w := range word\.FindAllString\(text, -1\)/);
  assert.match(String(await changed.locator('.after').textContent()), /for w := range strings\.FieldsSeq\(text\)/);
  assert.match(String(await changed.getByRole('cell').nth(0).textContent()), /\dMB|\dkB/);
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  await listing.getByRole('region', { name: 'Before' }).getByText(`at ${commit}`).waitFor();
  await listing.getByRole('region', { name: 'After' }).getByText('as it is now (built with uncommitted changes)').waitFor();
  // By keys: to the change.
  await page.getByRole('region', { name: 'Source of both sides' }).focus();
  await page.keyboard.press(']');
  assert.equal(await changed.getAttribute('class'), 'changed hot aimed');
  await clean(page);
});

check('in a narrow window a comparison says which runs it is of', async ({ page, open }) => {
  await open(`/compare?run=${slow}&run=${fast}`);
  for (const side of ['Before', 'After']) await page.locator('.runs-sides').getByText(side, { exact: true }).waitFor();
}, { viewport: { width: 360, height: 740 } });

check('the code of both sides looks the same after the list of changes', async ({ page, open }) => {
  const looks = () => page.locator('table.code td.change').first().evaluate((cell) => {
    const { height, display, backgroundImage } = getComputedStyle(cell);
    return [height, display, backgroundImage];
  });
  await open(code());
  const alone = await looks();
  await page.getByRole('tab', { name: 'Diff' }).click();
  await page.locator('.change-bar').first().waitFor();
  await page.getByRole('tab', { name: 'Source' }).click();
  assert.deepEqual(await looks(), alone);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check(`in a narrow window the code of both sides is below each other, ${colorScheme}`, async ({ page, open }) => {
    await open(code());
    const lines = await page.locator('table.code tbody tr').evaluateAll((rows) => rows.map((row) => row.className.replace(' hot', '')));
    const at = lines.indexOf('gone');
    assert.deepEqual(lines.slice(at - 1, at + 3), ['same', 'gone', 'new', 'same'], lines.join());
    await clean(page);
  }, { viewport: { width: 360, height: 740 }, colorScheme });
}

check('a side whose commit is not there says so, and another one can be named', async ({ page, open }) => {
  await open(code('&base_revision=0123456789ab'));
  const before = page.getByRole('region', { name: 'Before' });
  await before.getByText("doesn't have 0123456789ab").waitFor();
  await before.getByRole('button', { name: 'Change commit' }).click();
  await before.getByRole('textbox', { name: 'Commit or tag of before' }).fill(
    execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim(),
  );
  await page.keyboard.press('Enter');
  await before.getByText(/ at [0-9a-f]{12}/).waitFor();
  await page.getByRole('button', { name: 'Both sides' }).click();
  await page.getByRole('button', { name: 'Assembly' }).waitFor(); // the source view of one file
}, { mayShift: true });

check('the biggest movers come first on demand, and what did not change goes', async ({ page, open }) => {
  await open(`/compare?run=${slow}&run=${fast}`);
  await page.getByRole('button', { name: 'Biggest movers' }).click();
  assert.equal(new URL(page.url()).searchParams.get('order'), '-change');
  assert.match(String(await rows(page, 'Comparison').first().textContent()), /Count/);
  const before = await rows(page, 'Comparison').count();
  await page.getByRole('button', { name: 'Changed' }).click();
  await eventually(async () => assert.ok((await rows(page, 'Comparison').count()) < before));
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('allocs/op');
  await eventually(async () => assert.equal(await rows(page, 'Comparison').count(), 1));
  await page.reload();
  await settled(page);
  assert.equal(await rows(page, 'Comparison').count(), 1);
});

check.core('a row leads to the difference of its profiles, and back leads to the row', async ({ page, open }) => {
  await open(`/compare?run=${slow}&run=${fast}`);
  // So short a benchmark has hardly a CPU profile; its allocations are all there.
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('B/op');
  await page.getByRole('grid', { name: 'Comparison' }).focus();
  await page.keyboard.press('Home');
  const detail = page.getByRole('region', { name: 'Selected benchmark' });
  await detail.getByText('All functions, without what they call').waitFor();
  await detail.getByText('regexp.(*Regexp).FindAllString').first().waitFor();
  const yours = detail.getByRole('table', { name: /^Your functions, with what they call/ });
  assert.match(await yours.getByRole('row').nth(1).innerText(), /words\.Count$/);
  const there = page.url();
  await page.getByRole('grid', { name: 'Comparison' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: 'Functions by change' }).waitFor();
  await settled(page);
  const { pathname, searchParams } = new URL(page.url());
  assert.equal(pathname, '/diff');
  assert.match(String(searchParams.get('profile')), new RegExp(`^${fast}:Count(-\\d+)?/mem$`));
  assert.match(String(searchParams.get('base')), new RegExp(`^${slow}:Count(-\\d+)?/mem$`));
  // Both sides are of as many operations: what got cheaper is not red, and the run's verdict is there.
  assert.ok(Number(searchParams.get('base_total')) > 1, page.url());
  assert.match(String(await page.locator('.totals-change').textContent()), /▼ [-−]/);
  const verdict = page.getByRole('region', { name: 'Verdict of the runs' });
  await verdict.getByText(/Count.*B\/op/).first().waitFor();
  // The sentences speak per operation, as the verdict does.
  const said = page.getByRole('region', { name: 'In short' }).getByRole('paragraph');
  await said.nth(2).waitFor();
  const [, fell] = /^Per operation, allocated memory fell by ([\d.]+)%/.exec(await said.first().innerText()) ?? [];
  const [, judged] = /[-−]([\d.]+)%/.exec(await verdict.innerText()) ?? [];
  assert.ok(Math.abs(Number(fell) - Number(judged)) < 1, `${await said.first().innerText()} but ${await verdict.innerText()}`);
  await page.goBack();
  await settled(page);
  assert.equal(page.url(), there);
  await detail.waitFor();
});

check('a link to a profile of a run works in a server that has opened none', async ({ page, open, url }) => {
  const { profiles } = await (await fetch(`${url}/api/v1/runs/${fast}`)).json();
  const mem = profiles.find((/** @type {any} */ p) => p.kind === 'mem' && p.benchmark.startsWith('Count'));
  await open(`/top?profile=${encodeURIComponent(mem.id)}&sample_index=alloc_space`);
  await page.getByText('words.Count').first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('profile'), mem.id);
  await page.getByRole('link', { name: 'Runs' }).click();
  await rows(page, 'Runs').first().waitFor();
});

check('a run has all units with their intervals, profiles and facts', async ({ page, open }) => {
  await open(`/run?run=${slow}`);
  for (const unit of ['sec/op', 'B/op', 'allocs/op', 'words/op']) {
    await rows(page, 'Results').filter({ hasText: 'Count' }).filter({ hasText: unit }).first().waitFor();
  }
  await page.getByRole('button', { name: 'About' }).click();
  await page.getByText('hone bench -count 6 -benchtime 30x -profile cpu,mem').waitFor();
  await page.keyboard.press('Escape');
  await rows(page, 'Results').first().click();
  const links = page.getByRole('region', { name: 'Selected benchmark' }).getByRole('link');
  const views = ['Flame', 'Top', 'Source'];
  assert.deepEqual(await links.allInnerTexts(), ['Trend', ...views, ...views]); // of two kinds
  await links.filter({ hasText: 'Source' }).first().click();
  await page.getByRole('tab', { name: 'Source', selected: true }).waitFor();
});

check('a run against a base shows the comparison with it', async ({ page, open }) => {
  await open('/run?run=latest');
  await rows(page, 'Comparison').filter({ hasText: 'Count' }).first().click();
  const links = page.getByRole('region', { name: 'Selected benchmark' }).getByRole('link', { name: 'Flame' });
  await links.first().click();
  await page.waitForURL(/base=/);
  const q = new URL(page.url()).searchParams;
  assert.ok(q.get('base')?.startsWith(`${against}:base/`), String(q.get('base')));
});

check.core('a trend has a point a run, with the objective, and each leads to its run', async ({ page, open }) => {
  await open('/trend');
  const points = page.locator('.chart-point');
  await eventually(async () => assert.equal(await points.count(), 3));
  await page.getByText('max 1ms', { exact: false }).first().waitFor();
  assert.match(String(await points.first().getAttribute('aria-label')), /s ± .*samples/);
  await points.nth(1).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/run\\?run=${fast}`));
  await page.getByRole('region', { name: 'Selected benchmark' }).waitFor();
});

check('comparisons are saved as files and copied as a command', async ({ page, open, url }) => {
  await open(`/compare?run=${slow}&run=${fast}`);
  await page.getByRole('button', { name: 'Export' }).click();
  const download = await downloaded(page, () => page.getByRole('menuitem', { name: /^CSV/ }).click());
  assert.equal(readFileSync(await download.path(), 'utf8'), execFileSync(
    honeBinary(), ['compare', '-csv', slow, fast], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  ));
  await allowClipboard(page);
  await page.getByRole('button', { name: 'Copy command' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `hone compare ${slow} ${fast}`);
});

check('below a trend are its runs, the newest first, with the change from the one before', async ({ page, open }) => {
  await open('/trend');
  const list = rows(page, 'Runs of the trend');
  assert.equal(await list.count(), 3);
  assert.match(await list.first().innerText(), /%/);
  assert.doesNotMatch((await list.last().innerText()).split('\n').slice(2).join(' '), /%/); // the first has none before it
  await list.last().click();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/run\\?run=${slow}`));
}, { mayShift: true });

const TREND = 'a trend tells each benchmark’s last figure, what each run was, and leads to its comparison with the run before';
check(TREND, async ({ page, open }) => {
  await open('/trend');
  const words = rows(page, 'Benchmarks').filter({ hasText: 'words/op' });
  assert.match(await words.innerText(), /Count[\s\S]*words\/op\s+\d+\s+0\.0%/);
  const memory = rows(page, 'Benchmarks').filter({ hasText: 'B/op' }).filter({ hasText: 'Count' });
  await memory.click();
  const list = rows(page, 'Runs of the trend');
  const second = list.nth(1);
  assert.match(await second.innerText(), /-\d+\.\d%/);
  assert.match(await second.innerText(), /words main · /);
  assert.equal(await list.last().getByRole('link').count(), 0); // the first has none before it
  await page.locator('.chart-note.less').filter({ hasText: /^-\d+\.\d%$/ }).waitFor();
  await second.getByRole('link', { name: /^Compare / }).click();
  await page.waitForURL(/\/compare\?/);
  assert.deepEqual(new URL(page.url()).searchParams.getAll('run'), [slow, fast]);
  await page.getByRole('region', { name: 'Selected benchmark' }).getByText('Count').first().waitFor();
}, { mayShift: true });

check('the commit of a run is told by its subject where a run is shown, and where one is chosen', async ({ page, open }) => {
  await open(`/run?run=${slow}`);
  await page.locator('.runs-head').getByText('words', { exact: true }).waitFor();
  await page.locator('.runs-head').getByText(/^main · /).waitFor();
  await open(`/compare?run=${slow}&run=${fast}`);
  const options = await page.getByRole('combobox', { name: 'Before' }).locator('option').allTextContents();
  assert.ok(options.every((text) => text.includes(' · words · ')), options.join('\n'));
});

check('from the list of runs to a comparison and a trend by keyboard alone', async ({ page, open }) => {
  await open('/runs');
  await tabTo(page, /^grid/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/run\?run=/);
  await settled(page);
  await tabTo(page, /^grid Comparison/);
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /pick=/));
  await open('/trend');
  await tabTo(page, /^grid Benchmarks/);
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /pick=/));
  await tabTo(page, /^a .*samples/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/run\?run=/);
}, { mayShift: true });

check('the tab key goes into the current row of a table, to what is in its cells', async ({ page, open }) => {
  await open('/runs');
  await tabTo(page, /^grid/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const inside = [];
  for (let i = 0; i < 20; i++) { // past the headers, and out of the row again
    await page.keyboard.press('Tab');
    const row = await page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row') ?? '');
    if (row) inside.push(row);
  }
  assert.ok(inside.length > 0 && inside.length < 10, `in ${inside}`);
  assert.deepEqual([...new Set(inside)], ['1']);
});

check('a run that is not there is told, and so is one that is broken', async ({ page, open }) => {
  await open('/run?run=20990101-000000-ffff');
  await page.getByRole('alert').getByText('20990101-000000-ffff').waitFor();
  await open('/run?run=20200101-000000-dead');
  await page.getByRole('alert').getByText('run.json').waitFor();
}, { expect: [/console: .*404/, /console: .*422/] });

const pages = [`/runs`, `/run?run=${slow}&pick=x`, `/run?run=${against}`, `/compare?run=${slow}&run=${fast}`, `/trend`];
for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing, ${colorScheme}`, async ({ page, open }) => {
    for (const path of pages) {
      await open(path);
      const row = page.getByRole('row').nth(1);
      if (!path.startsWith('/runs')) await row.click();
      await clean(page, { where: path });
    }
  }, { colorScheme });
}

for (const width of [360, 3840]) {
  check(`nothing is wider than a window of ${width}`, async ({ page, open }) => {
    for (const path of pages) {
      await open(path);
      const [inner, outer] = await page.evaluate(() => [
        Math.max(document.documentElement.scrollWidth, document.querySelector('#view')?.scrollWidth ?? 0), innerWidth,
      ]);
      assert.ok(Number(inner) <= Number(outer), `${path}: ${inner} > ${outer}`);
    }
  }, { viewport: { width, height: width > 1000 ? 2160 : 720 } });
}
