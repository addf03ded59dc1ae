// @ts-check
// The other views show the figures that `hone pprof` prints for the same options.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { hone, root, serve, temporaryFolder } from './hone.mjs';
import { allowClipboard, eventually, settled, suite } from './page.mjs';
import { absolute, labels, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([wordindex]);

const kinds = suite(['cpu.wordcount-v1', 'cpu.wordcount-v2', 'block.accounts'].map((name) => `testdata/${name}.pb.gz`));

kinds('only what measures the same can be a base', async ({ page, open }) => {
  await open('/diff');
  const ids = await profileIDs(page);
  await open(`/diff?profile=${ids['cpu.wordcount-v1.pb.gz']}`);
  const names = page.getByRole('listbox', { name: 'Compare with' }).getByRole('option');
  await names.first().waitFor();
  assert.deepEqual(await names.locator('.picker-short').allTextContents(), ['cpu.wordcount-v2.pb.gz']);
  await open(`/diff?profile=${ids['block.accounts.pb.gz']}`);
  await page.getByText('No other profile measures the same.').waitFor();
});

/** Ids of the open profiles by name. @param {Page} page @returns {Promise<Record<string, string>>} */
const profileIDs = (page) => page.evaluate(async () => {
  const { profiles } = await (await fetch('/api/v1/profiles')).json();
  return Object.fromEntries(profiles.map((/** @type {{ name: string, id: string }} */ p) => [p.name.split('/').at(-1), p.id]));
});

check('a part of a function says which lines its sums are of', async ({ page, open }) => {
  await open('/source?fn=runtime.memmove');
  const parts = page.getByRole('article', { name: 'runtime.memmove', exact: true });
  await parts.nth(1).waitFor(); // its code has runs of lines far from each other
  for (const sums of await parts.locator('.listing-sums').allInnerTexts()) assert.match(sums, /^lines \d+ to \d+ alone:/);
  await open('/source?fn=main.addLine');
  await page.locator('.listing-sums').first().waitFor();
  assert.equal(await page.getByText(/^lines .* alone:/).count(), 0);
});

check('what is looked for in one view stays there, however soon another is opened', async ({ page, open }) => {
  const finds = ['Top', 'Sandwich', 'Source', 'Traces'];
  for (const [i, view] of finds.entries()) {
    await open(`/${view.toLowerCase()}`);
    await settled(page);
    const next = finds[(i + 1) % finds.length] ?? '';
    await page.evaluate((to) => {
      const field = document.querySelector('input.find');
      if (field instanceof HTMLInputElement) {
        field.value = 'addLine';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      document.getElementById(`tab-${to}`)?.click();
    }, next.toLowerCase());
    await page.getByRole('tab', { name: next, selected: true }).waitFor();
    await settled(page);
    await page.waitForTimeout(300); // longer than a field waits for the next letter
    assert.equal(new URL(page.url()).searchParams.get('find'), null, `${view} to ${next}`);
    const texts = await page.locator('input.find').evaluateAll((all) => all.map((el) => /** @type {any} */ (el).value));
    assert.equal(texts.join(''), '', `${view} to ${next}`);
  }
});

check('the smallest print of a graph can be read, and its names end with their last letter', async ({ page, open }) => {
  await open('/graph');
  // A match is underlined as a whole.
  for (const name of await page.locator('.graph .node .name').allTextContents()) assert.match(name, /\S$/);
  await settled(page);
  const sizes = await page.locator('.graph .node text').evaluateAll((all) => all.map((text) => Number(text.getAttribute('font-size'))));
  assert.ok(sizes.length > 3 && sizes.every((size) => size >= 9), `${sizes.sort((a, b) => a - b).slice(0, 5)}`);
});

/** Sizes of units in the smallest of their kind, as terminals and pages call them. */
const UNITS = new Map([
  ['ns', 1], ['us', 1e3], ['µs', 1e3], ['ms', 1e6], ['s', 1e9], ['hrs', 3.6e12],
  ['B', 1], ['kB', 2 ** 10], ['MB', 2 ** 20], ['GB', 2 ** 30],
]);

/**
 * A value whatever its unit and digits: a column of the page has one unit and as many digits for all, each line of a terminal its own.
 * @param {string} text
 */
function measured(text) {
  const share = /^(-?)<?([\d.]+)%$/.exec(text);
  if (share) return `${share[1]}${text.includes('<') ? '0.00' : Number(share[2]).toFixed(2)}%`;
  const [, number, unit = ''] = /^(-?[\d.]+)([a-zµ]+)$/i.exec(text.replaceAll('\u202f', '')) ?? [];
  const size = UNITS.get(unit);
  if (size === undefined) return text.replaceAll('\u202f', '');
  return `${Number((Number(number) * size).toPrecision(9))} ${/b$/i.test(unit) ? 'bytes' : 'ns'}`;
}

/**
 * Rows of a table as text, as far as they are drawn; a badge after a name is left out.
 * @param {Page} page
 * @param {string} [name] of the table
 */
async function rows(page, name) {
  const table = page.getByRole('grid', name === undefined ? {} : { name, exact: true }).first();
  await table.waitFor();
  const texts = await table.locator('[data-row]').evaluateAll((all) =>
    all
      .sort((a, b) => Number(a.getAttribute('data-row')) - Number(b.getAttribute('data-row')))
      .map((row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => {
        const name = cell.querySelector('.fname');
        return ((name ? name.getAttribute('title') || name.textContent : cell.textContent) ?? '').trim();
      })),
  );
  return texts.map((cells) => cells.map(measured));
}

/** The table in a report of `hone pprof -top`: values, then the name. @param {string[]} args */
function top(...args) {
  const lines = hone('pprof', '-top', ...args).trimEnd().split('\n');
  const head = lines.findIndex((line) => /^\s+flat\s+flat%/.test(line));
  return lines.slice(head + 1).map((line) => {
    const [flat = '', flatShare = '', sum = '', cum = '', cumShare = '', ...name] = line.trim().split(/\s+/);
    const figures = [flat, flatShare, sum, cum, cumShare].map(measured);
    return [...figures, name.join(' ').replace(/ \((partial-)?inline\)$/, '')];
  });
}

/**
 * Lines with values as `go tool pprof -list` prints them: line, flat, cum.
 * @param {string} pattern
 */
function list(pattern) {
  const { status, stdout, stderr } = spawnSync(
    process.env['GO'] ?? 'go',
    ['tool', 'pprof', '-trim_path=github.com/hone-go/hone', `-source_path=${root}`, `-list=${pattern}`, absolute(wordindex)],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const lines = stdout.matchAll(/^ *(\S+) +(\S+) +(\d+):/gm);
  return [...lines].map(([, flat = '', cum = '', line]) => [line, measured(flat), measured(cum)])
    .filter(([, flat, cum]) => flat !== '.' || cum !== '.');
}

for (const [parameters, args] of /** @type {[string, string[]][]} */ ([
  ['', []],
  ['sort=cum', ['-cum']],
  ['sample_index=samples', ['-sample_index=samples']],
  ['focus=addLine&ignore=mallocgc', ['-focus=addLine', '-ignore=mallocgc']],
  ['hide=runtime&unit=ms', ['-hide=runtime', '-unit=ms']],
  ['mine=true&focus=mallocgc', ['-mine', '-focus=mallocgc']],
  ['granularity=lines', ['-lines']],
  ['granularity=files', ['-files']],
  ['nodecount=7', ['-nodecount=7', '-trim=true']],
  ['noinlines=true&relative_percentages=true&focus=addLine', ['-noinlines', '-relative_percentages', '-focus=addLine']],
])) {
  const declare = ['', 'focus=addLine&ignore=mallocgc'].includes(parameters) ? check.core : check;
  declare(`top has the figures of hone pprof -top ${args.join(' ')}`, async ({ page, open }) => {
    await open(`/top?${parameters}`);
    const all = parameters.includes('nodecount') ? [] : ['-nodecount=0', '-trim=false'];
    const expected = top(...all, ...args, wordindex).slice(0, 20);
    assert.ok(expected.length >= 5, String(expected));
    assert.deepEqual((await rows(page)).slice(0, expected.length), expected);
  });
}

check.core('top orders by any column, and back', async ({ page, open }) => {
  await open('/top');
  const flat = await rows(page);
  await page.getByRole('columnheader', { name: 'Total', exact: true }).getByRole('button').click();
  await settled(page);
  const cum = top('-cum', '-nodecount=0', '-trim=false', wordindex);
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, 10), cum.slice(0, 10)));
  await page.getByRole('columnheader', { name: 'Function' }).getByRole('button').click();
  await eventually(async () => {
    const names = (await rows(page)).map((row) => String(row[5]));
    assert.deepEqual(names, [...names].sort());
  });
  await page.getByRole('columnheader', { name: 'Self', exact: true }).getByRole('button').click();
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, 10), flat.slice(0, 10)));
});

check.core('your code is one key away, in every view and in the link', async ({ page, open }) => {
  await open('/top');
  const button = page.getByRole('button', { name: 'Your code' });
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('y');
  const expected = top('-mine', '-nodecount=0', '-trim=false', wordindex);
  assert.ok(expected.some((row) => String(row[5]).startsWith('main.addLine via ')), String(expected));
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, 10), expected.slice(0, 10)));
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  assert.equal(new URL(page.url()).searchParams.get('mine'), 'true');

  // What a function calls out to leads to its own lines, whose own value is what they cost.
  await page.getByRole('grid').getByText('addLine via').first().click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await settled(page);
  await page.getByRole('region', { name: 'Source lines' }).getByText('regexp.MustCompile(').waitFor();
  for (const name of ['Flame', 'Graph', 'Sandwich', 'Peek', 'Traces']) {
    await page.getByRole('tab', { name }).click();
    await settled(page);
    assert.equal(new URL(page.url()).searchParams.get('mine'), 'true', name);
    if (name !== 'Flame' && name !== 'Graph') await page.locator('main').getByText(/addLine via/).first().waitFor();
  }
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  await button.click();
  const all = top('-nodecount=0', '-trim=false', wordindex);
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, 10), all.slice(0, 10)));
  assert.equal(new URL(page.url()).searchParams.get('mine'), null);
});

check('a profile says in short what costs, and leads to the line', async ({ page, open }) => {
  await open('/flame');
  const short = page.getByRole('region', { name: 'In short' });
  await short.getByText('693 samples').waitFor();
  await short.getByText(/garbage collection \d/).waitFor();
  const line = short.getByRole('list', { name: 'Your most expensive lines' }).getByRole('link').first();
  const [, number] = /^addLine(?: index\.go)?:(\d+)/.exec(await line.innerText()) ?? [];
  await line.click();
  await settled(page);
  assert.equal(new URL(page.url()).searchParams.get('at'), number);
  const row = page.locator(`.listing tr.aimed[data-line="${number}"]`);
  await row.waitFor();
  assert.match(await row.innerText(), /\d/);
  await short.getByRole('button', { name: 'In short' }).click();
  await short.getByRole('link').first().waitFor({ state: 'detached' });
});

for (const width of [1280, 360]) {
  kinds(`a comparison opens with what changed, for a review, at ${width} pixels`, async ({ page, open, url }) => {
    await open('/diff');
    const ids = await profileIDs(page);
    const of = `profile=${ids['cpu.wordcount-v2.pb.gz']}&base=${ids['cpu.wordcount-v1.pb.gz']}`;
    const { report } = await (await fetch(`${url}/api/v1/report/diff?${of}&mine=auto`)).json();
    const sure = report.rows.filter((/** @type {any} */ r) => !r.noise.flat);
    await open(`/diff?${of}`);
    const short = page.getByRole('region', { name: 'In short' });
    const said = short.getByRole('paragraph');
    await said.first().waitFor();
    const more = short.getByRole('button', { name: 'more' });
    if (await more.isVisible()) await more.click();
    const texts = await said.allInnerTexts();
    assert.equal(texts.length, 3);
    assert.match(String(texts[0]), /^CPU time (rose|fell) by \d|^CPU time didn\u2019t change by more|clear whether CPU time changed/);
    assert.equal(/by more than chance|clear whether/.test(String(texts[0])), report.total.noise);
    const named = await short.getByRole('paragraph').nth(1).getByRole('link').allInnerTexts();
    assert.deepEqual(named, sure.slice(0, 3).map((/** @type {any} */ r) => r.name.replace(/^.*\//, '')));
    assert.ok(named.length > 0);
    assert.equal(/ (\d+) others?\.$/.exec(String(texts[1]))?.[1], sure.length > 3 ? String(sure.length - 3) : undefined);
    assert.match(String(texts[2]), /^Sure with 95% confidence( \(these functions only\))? by samples alone/);

    await allowClipboard(page);
    await short.getByRole('button', { name: 'Copy as text, for a review' }).click();
    const copied = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    assert.deepEqual(copied.slice(2), texts);
    assert.match(copied.slice(0, 2).join(' '), /^Before: \S*wordcount-v1\.pb\.gz After: \S*wordcount-v2\.pb\.gz$/);

    const cut = await short.evaluate((el) => el.scrollWidth > el.clientWidth || el.scrollHeight > el.clientHeight + 1);
    assert.ok(!cut, 'the sentences are not seen whole');
    await short.getByRole('link').first().click();
    assert.equal(new URL(page.url()).searchParams.get('fn'), sure[0].name);
    await short.getByRole('button', { name: 'In short' }).click();
    await said.first().waitFor({ state: 'detached' });
  }, { viewport: { width, height: 720 } });
}

const idle = suite([], {
  start: async () => {
    const file = join(temporaryFolder('idle'), 'idle.pb.gz');
    hone('pprof', '-proto', '-output', file, '-focus=^strings\\.ToLower$', wordindex); // all the program did in 6 s
    return serve([file]);
  },
});

idle('an idle profile says that it is', async ({ page, open }) => {
  await open('/');
  await page.getByRole('region', { name: 'In short' }).getByText(/^Mostly idle: .*wall or block profile/).waitFor();
});

check('rows are found by what a search finds', async ({ page, open }) => {
  await open('/top');
  for (const [text, finds] of /** @type {const} */ ([['line', /line/i], ['^main|sort', /^main|sort/i], ['Line', /Line/], ['(*', /\(\*/]])) {
    await page.getByLabel('Find in names').fill(text);
    await eventually(async () => {
      const names = (await rows(page)).map((row) => String(row[5]));
      assert.ok(names.length > 0 && names.every((name) => finds.test(name)), `${text}: ${names}`);
    });
  }
});

check.core('a selected function is selected in other views', async ({ page, open }) => {
  await open('/top');
  await page.getByLabel('Find in names').fill('addLine');
  await eventually(async () => {
    const names = (await rows(page)).map((row) => String(row[5]));
    assert.ok(names.length > 0 && names.every((name) => /addLine/i.test(name)), String(names));
  });
  await settled(page);
  await page.getByRole('grid').getByText('addLine').first().click();
  await eventually(() => assert.equal(new URL(page.url()).searchParams.get('fn'), 'main.addLine'));
  for (const name of ['Sandwich', 'Source', 'Peek', 'Flame', 'Graph']) {
    await page.getByRole('tab', { name }).click();
    await settled(page);
    // The drawings have it as a picture.
    if (name !== 'Flame' && name !== 'Graph') await page.locator('main').getByText('addLine').first().waitFor();
    await page.locator('.refine').getByText('main.addLine').waitFor();
  }
});

check.core('sandwich has the callers and callees that peek prints', async ({ page, open }) => {
  await open('/sandwich?fn=main.addLine');
  const text = hone('pprof', '-peek=^main\\.addLine$', wordindex).split('\n');
  const self = text.findIndex((line) => line.endsWith('| main.addLine') && !line.startsWith(' '.repeat(40)));
  assert.ok(self > 0, text.join('\n'));
  const calls = (/** @type {string[]} */ lines) =>
    lines.filter((line) => line.includes('|')).map((line) => {
      const [, value = '', share = '', name = ''] = /^\s+(\S+)\s+(\S+)\s+\|\s+(.*?)(?: \(inline\))?$/.exec(line) ?? [];
      return [measured(value), measured(share), name];
    }).filter(([value]) => value);
  const callers = calls(text.slice(0, self));
  const callees = calls(text.slice(self + 1));
  assert.ok(callees.length > 3, text.join('\n'));
  const [row] = JSON.parse(hone('peek', '-json', '^main\\.addLine$', wordindex)).rows;
  const withFlat = (/** @type {string[][]} */ printed, /** @type {any[]} */ of) =>
    printed.map((cells, i) => [measured(of[i].flat.text), ...cells]);
  assert.deepEqual(await rows(page, 'Callers'), withFlat(callers, row.callers));
  assert.deepEqual((await rows(page, 'Callees')).slice(0, 8), withFlat(callees, row.callees).slice(0, 8));
}, { viewport: { width: 1800, height: 900 } });

/** The functions that `hone pprof -peek` prints. @param {string} pattern */
const peeked = (pattern) => hone('pprof', `-peek=${pattern}`, wordindex).split('\n')
  .filter((l) => /^\s+\S+\s+\S+%\s+\S+%\s+\S+\s+\S+%\s+\|/.test(l))
  .map((l) => l.split('| ')[1]?.trim().replace(/ \(inline\)$/, ''));

check('peek finds by pattern', async ({ page, open }) => {
  const names = () => page.locator('.peek-self .fname').allTextContents();
  await open('/peek');
  assert.deepEqual((await names()).slice(0, 5), peeked('.').slice(0, 5));
  await page.getByLabel(/Functions that match/).fill('main\\.');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Callers and callees' }).waitFor();
  await eventually(async () => assert.deepEqual((await names()).sort(), peeked('main\\.').sort()));
});

check.core('source has the values of pprof -list', async ({ page, open }) => {
  await open('/source?fn=main.addLine');
  await page.getByRole('region', { name: 'Source lines' }).waitFor();
  const shown = await page.locator('.lines tr.hot').evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')),
  );
  const values = shown.map(([line, flat, cum]) => [line, measured(flat || '.'), measured(cum || '.')]);
  assert.deepEqual(values, list('^main\\.addLine$'));
  // Its text is in the repository.
  assert.ok(shown.some((row) => row[3]?.startsWith('ix[w] += decimal(number)')), String(shown));
});

check('source begins with the function of your costliest line, and has the figures of the strip', async ({ page, open }) => {
  await open('/source');
  await page.getByRole('region', { name: 'Source lines' }).waitFor();
  const listing = page.locator('.listing').first();
  assert.equal(await listing.getAttribute('aria-label'), 'main.addLine');
  const strip = await page.getByRole('list', { name: 'Your most expensive lines' }).getByRole('listitem').allInnerTexts();
  assert.ok(strip.length > 1, String(strip));
  for (const text of strip) {
    const [, line, share] = /:(\d+)\s+([\d.]+%)/.exec(text) ?? [];
    const row = listing.locator(`tr[data-line="${line}"]`);
    const shares = await row.locator('.value').evaluateAll((all) => all.map((cell) => cell.getAttribute('title')));
    const told = [await row.innerText(), ...shares];
    assert.ok(share && told.some((of) => of?.includes(share)), `${text}: ${told}`);
  }
  await open('/sandwich');
  await page.locator('.sandwich-bar h2').getByText('addLine').waitFor();
});

check('source warns of a missing program only where assembly is asked for', async ({ page, open }) => {
  await open('/source?fn=main.addLine');
  await page.getByRole('region', { name: 'Source lines' }).waitFor();
  const warning = page.locator('main').getByRole('note', { name: 'Warnings' });
  assert.equal(await warning.count(), 0);
  await page.keyboard.press('x');
  await warning.getByText(/^no machine code: /).waitFor();
});

const elsewhere = suite([absolute(wordindex)], { cwd: temporaryFolder('elsewhere') });

elsewhere('source that is not there tells where it was looked for', async ({ page, open }) => {
  await open('/source?fn=main.addLine');
  const main = page.locator('main');
  await main.getByText('Searched in').waitFor();
  const places = await main.locator('.missing').first().locator('li').allTextContents();
  assert.ok(places.length > 0 && places.every((place) => /\w/.test(place)), String(places));
  await main.getByText('-source_path').first().waitFor();
});

check('several functions without source have one warning, and lines with costs alone', async ({ page, open }) => {
  await page.route('**/api/v1/report/source?**', async (route) => {
    const answer = await (await route.fetch()).json();
    for (const f of answer.report.functions) {
      Object.assign(f, { error: `${f.file} was not found`, looked: ['/src', `/src/${f.file}`] });
      f.lines = f.lines.filter((/** @type {any} */ l) => l.cum.value !== 0).map((/** @type {any} */ l) => ({ ...l, text: '???' }));
    }
    await route.fulfill({ json: answer });
  });
  await open('/source');
  const lines = page.getByRole('region', { name: 'Source lines' });
  await lines.getByText(/The source files of \d+ functions aren’t here: their lines have costs alone\./).waitFor();
  assert.equal(await lines.locator('.missing').count(), 1);
  assert.ok((await lines.locator('tr.hot').count()) > 1);
  assert.doesNotMatch(await lines.innerText(), /\?\?\?/);
});

/** The example with its program, for machine code. */
function withProgram() {
  const folder = temporaryFolder('disasm');
  const program = join(folder, process.platform === 'win32' ? 'wordindex.exe' : 'wordindex');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-trimpath', '-o', program, './examples/wordindex'], { cwd: root });
  const profile = join(folder, 'cpu.pb.gz');
  execFileSync(program, ['-for', '1s', '-cpuprofile', profile], { stdio: 'ignore' });
  return [program, profile];
}

const programmed = suite([], { start: () => serve(withProgram()) });

programmed('disassembly opens with the function of the costliest line of yours', async ({ page, open }) => {
  await open('/disasm');
  const list = page.getByRole('grid', { name: 'Functions' });
  const first = await page.locator('.summary-fn').first().innerText();
  const code = page.getByRole('grid', { name: /^Instructions of / });
  await code.waitFor();
  const name = await code.getAttribute('aria-label');
  assert.ok(name?.endsWith(first), `${name} is not of ${first}`);
  // The code has what the compiler put into the function, which the list has apart.
  await page.getByText(/^self \S+ with inlined calls · total /).waitFor();
  assert.equal(await list.locator('[aria-selected=true]').count(), 1);
});

programmed('disassembly begins with the instruction that costs most with what it calls', async ({ page, open }) => {
  await open('/disasm?fn=main.addLine');
  const code = page.getByRole('grid', { name: /^Instructions of / });
  await code.waitFor();
  const total = (/** @type {string} */ text) => Number(text.replace(/[^\d.]/g, ''));
  const chosen = await code.locator('[aria-selected=true] [role=gridcell]').nth(1).innerText();
  const all = await code.locator('[data-row]')
    .evaluateAll((rows) => rows.map((row) => row.querySelectorAll('[role=gridcell]')[1]?.textContent ?? ''));
  assert.ok(all.every((text) => total(text) <= total(chosen)), `${chosen} of ${all}`);
});

programmed('disassembly folds what has no samples, and walks along what is hot', async ({ page, open }) => {
  await open('/disasm');
  const code = page.getByRole('grid', { name: /^Instructions of / });
  await code.waitFor();
  const all = Number(/(\d+) instructions/.exec(await page.locator('.pane-facts').innerText())?.[1]);
  const shown = async () => Number(await code.getAttribute('aria-rowcount')) - 1;
  const few = await shown();
  await page.getByRole('button', { name: 'All code' }).click();
  await eventually(async () => assert.equal(await shown(), all));
  assert.match(page.url(), /fold=none/);
  await page.getByRole('button', { name: 'All code' }).click();
  await eventually(async () => assert.equal(await shown(), few));
  // From the hottest, the one in view, to the others that cost.
  const at = () => code.locator('[aria-selected=true]').innerText();
  const hottest = await at();
  assert.match(hottest, /\dm?s/);
  const fold = code.locator('.disasm-fold').first();
  if (await fold.count() > 0) {
    await fold.click();
    await eventually(async () => assert.ok(await shown() > few));
  }
  for (const key of ['[', ']', ']', '[']) {
    await page.keyboard.press(key);
    assert.ok((await at()).length > 0);
  }
});

check('lists of functions have both costs, and one’s own code in sight', async ({ page, open }) => {
  for (const view of ['sandwich', 'source']) {
    await open(`/${view}`);
    const list = page.getByRole('grid', { name: 'Functions' });
    const heads = await list.getByRole('columnheader').allTextContents();
    assert.deepEqual(heads.slice(0, 2).map((text) => text.replace(/[^A-Za-z]/g, '')), ['Self', 'Total']);
    await list.getByText('addLine').first().waitFor();
  }
  await page.getByRole('grid', { name: 'Functions' }).getByRole('columnheader', { name: 'Self' }).click();
  await eventually(async () => assert.match(page.url(), /order=flat/));
});

check('a report that takes long says so, and can be stopped', async ({ page, url }) => {
  let slow = true;
  await page.route('**/api/v1/report/top?**', async (route) => {
    if (!slow) await route.continue(); // else it is never answered
  });
  await page.goto(`${url}/top`);
  await page.getByText('hone is making this report').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  slow = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.table [data-row]').first().waitFor();
});

check('the search of the graph says how many functions it marks', async ({ page, open }) => {
  await open('/graph?q=regexp');
  const marked = await page.locator('.graph .node.marked').count();
  assert.ok(marked > 1);
  await eventually(async () => assert.match(await page.locator('#search-result').innerText(), new RegExp(`\\b${marked} functions$`)));
});

check('peek breaks long names between their words on a telephone', async ({ page, open }) => {
  await open('/peek?fn=main.addLine');
  const broken = await page.locator('.peek-block .fname').evaluateAll((all) => all.flatMap((el) => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    /** @type {string[]} */
    const inside = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) inside.push(node.textContent ?? '');
    }
    return inside;
  }));
  assert.deepEqual(broken, []);
}, { viewport: { width: 360, height: 740 } });

check('disassembly without the program says what to do', async ({ page, open }) => {
  await open('/disasm?fn=main.addLine');
  await page.getByRole('heading', { name: 'No machine code' }).waitFor();
  await page.locator('main').getByText('PPROF_BINARY_PATH').waitFor();
}, { expect: [/console: .*422/] });

check.core('traces has every stack', async ({ page, open }) => {
  await open('/traces');
  const text = hone('pprof', '-traces', wordindex);
  const stacks = text.split('\n').filter((line) => /^-+\+-+$/.test(line)).length;
  await page.getByText(new RegExp(`^${stacks - 1} stacks$`)).or(page.getByText(new RegExp(`^${stacks} stacks$`))).first().waitFor();
  const stack = page.getByRole('complementary', { name: 'The stack' });
  const before = await stack.innerText();
  await stack.getByRole('button', { name: 'Next stack' }).click();
  await eventually(async () => assert.notEqual(await stack.innerText(), before));
});

check('a server without runs says how to make some', async ({ page, open }) => {
  await open('/runs');
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  await page.getByRole('button', { name: 'Copy the command' }).waitFor();
  assert.equal(await page.getByText('may have been closed').count(), 0);
}, { expect: [/console: .*404/] });

check.core('raw has the text of hone pprof -raw', async ({ page, open }) => {
  await open('/raw');
  const lines = await page.locator('.raw-line').evaluateAll((all) => all.map((l) => l.lastElementChild?.textContent ?? ''));
  const printed = hone('pprof', '-raw', wordindex).split('\n');
  assert.ok(lines.length > 20);
  assert.deepEqual(lines, printed.slice(0, lines.length));
});

check.core('the graph has the nodes of hone pprof -dot', async ({ page, open }) => {
  await open('/graph?nodecount=20');
  const dot = hone('pprof', '-dot', '-nodecount=20', wordindex);
  const nodes = dot.split('\n').filter((line) => /^N\d+ \[/.test(line)).length;
  const edges = dot.split('\n').filter((line) => /^N\d+ -> N\d+ \[/.test(line)).length;
  assert.match(await page.locator('.pane-facts').innerText(), new RegExp(`${nodes} functions, ${edges} calls`));
});

const labelled = suite([labels]);

labelled('a bar stays within its column', async ({ page, open }) => {
  await open('/tags?as=list');
  await settled(page);
  const across = await page.locator('.tag-value').evaluateAll((all) => all.filter((row) => {
    const [bar, value] = [row.querySelector('.tag-bar'), row.querySelector('.num')].map((el) => el?.getBoundingClientRect());
    return !bar || !value || bar.right > value.left;
  }).map((row) => row.textContent));
  assert.deepEqual(across, []);
});

labelled.core('tags have the sums of hone pprof -tags', async ({ page, open }) => {
  await open('/tags?as=list');
  const shown = await page.locator('.tag').evaluateAll((all) =>
    all.map((tag) => ({
      key: tag.getAttribute('aria-label'),
      values: [...tag.querySelectorAll('.tag-value')].map((v) => [...v.children].map((c) => c.textContent)),
    })),
  );
  assert.ok(shown.length > 0);
  const text = hone('pprof', '-tags', labels);
  for (const { key, values } of shown) {
    assert.ok(text.includes(`${key}: Total`), `${key} is not in\n${text}`);
    for (const [value, sum, share] of values) {
      // A column has one unit, the terminal one for each value.
      const ms = (/** @type {string} */ t) => Math.round(parseFloat(t) * (t.endsWith('ms') ? 1 : 1000));
      const line = text.split('\n').find((l) => l.trimEnd().endsWith(`: ${value}`) && ms(/\S+/.exec(l)?.[0] ?? '') === ms(String(sum)));
      assert.ok(line?.includes(String(share).replace('%', '')), `${value} ${sum} ${share} is not in\n${text}`);
    }
  }
});

labelled.core('a value of a label filters', async ({ page, open }) => {
  await open('/tags?as=list');
  await page.locator('.tag-value').first().click();
  await eventually(() => assert.match(page.url(), /tagfocus=/));
  await settled(page);
  await page.locator('.chip').filter({ hasText: 'Label focus' }).waitFor();
  await page.getByRole('tab', { name: 'Top' }).click();
  await settled(page);
  const filter = String(new URL(page.url()).searchParams.get('tagfocus'));
  const expected = top('-nodecount=0', '-trim=false', `-tagfocus=${filter}`, labels).slice(0, 10);
  await eventually(async () => assert.deepEqual((await rows(page)).slice(0, expected.length), expected));
});

const compared = suite(['-diff_base', wordindex, tuned]);

compared('top of a comparison has the figures of hone pprof -diff_base', async ({ page, open }) => {
  await open('/top');
  await page.keyboard.press('y'); // all code
  await settled(page);
  const expected = top('-nodecount=0', '-trim=false', '-diff_base', wordindex, tuned).slice(0, 10);
  const shown = (await rows(page)).slice(0, 10);
  // The page keeps the sign of a share, which the text leaves out.
  assert.deepEqual(shown.map((r) => r.map((cell, i) => ([1, 2, 4].includes(i) ? cell.replace('-', '') : cell))), expected.map((r) =>
    r.map((cell, i) => ([1, 2, 4].includes(i) ? cell.replace('-', '') : cell))));
});

compared.core('diff has the figures of hone diff, in absolute and relative order', async ({ page, open }) => {
  await open('/');
  const shown = await rows(page);
  assert.ok(shown.length > 5);
  const text = hone('diff', '-mine', wordindex, tuned);
  for (const row of shown.slice(0, 5)) {
    const name = String(row.at(-1));
    const line = text.split('\n').find((l) => l.includes(name));
    assert.ok(line, `${name} is not in\n${text}`);
    const change = String(row[2]).replace(/^[▲▼]\s*/, '');
    assert.ok(line.includes(change.replace(/^[+-]/, '')), `${change} is not in ${line}`);
  }
  const hatched = await page.locator('.row:has(.change-bar.less)').evaluateAll((all) => all.map((r) => [
    [...r.querySelectorAll('.badge')].some((b) => b.textContent === 'gone'),
    getComputedStyle(/** @type {Element} */ (r.querySelector('.change-bar i'))).backgroundImage.includes('repeating'),
  ]));
  assert.deepEqual(hatched.map(([, is]) => is), hatched.map(([gone]) => gone)); // only what is gone, as in the flame graph
  assert.ok(hatched.some(([gone]) => gone) && hatched.some(([gone]) => !gone));
  await page.getByRole('button', { name: 'Relative', exact: true }).click();
  await eventually(async () => assert.notDeepEqual(await rows(page), shown));
  await page.getByRole('button', { name: 'Swap before and after' }).click();
  await settled(page);
  await eventually(async () => assert.notDeepEqual(await rows(page), shown));
});
