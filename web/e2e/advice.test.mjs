// @ts-check
// What to change in the source: the page of a run, the view of a profile, and marks in the source.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clean } from './axe.mjs';
import { advised, MARKUP } from './advised.mjs';
import { tabTo } from './focus.mjs';
import { serve, temporaryFolder } from './hone.mjs';
import { absolute, heap, wordindex } from './profiles.mjs';
import { allowClipboard, eventually, settled, suite, test } from './page.mjs';

const { folder, run, findings } = advised();
const [first] = findings;
const check = suite([], { cwd: folder });

const profile = `${run}:${first.evidence.subject}/mem`;
const path = (/** @type {string} */ page, /** @type {Record<string, string>} */ settings) => `/${page}?${new URLSearchParams(settings)}`;
const source = path('source', { profile, fn: first.symbol, sample_index: 'alloc_space' });
const pages = [path('run', { run, show: 'advice' }), path('advice', { profile }), `${source}&finding=${first.id}`];

/** @param {import('./page.mjs').Page} page @param {string} title */
const head = (page, title) => page.getByRole('region', { name: 'Findings' }).getByRole('button', { name: title });

const ranked = 'the advice of a run is ranked, says what it costs, and leads to the line and to the flame graph';
check.core(ranked, async ({ page, open, url }) => {
  await open(path('run', { run }));
  await page.getByRole('button', { name: 'Advice' }).click();
  const found = head(page, first.title);
  await found.waitFor();
  assert.equal(await found.getAttribute('aria-expanded'), 'true');
  const text = String(await found.textContent());
  for (const part of ['names.go:7 in Valid', '% bytes', 'review it', 'not tried']) assert.ok(text.includes(part), `${part} in ${text}`);
  const all = page.getByRole('region', { name: 'Findings' }).getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) });
  assert.equal(await all.count(), findings.length);
  assert.equal(await page.getByText('ordered by the expected gain').count(), findings.length > 1 ? 1 : 0);
  await page.getByText(first.why).waitFor();
  assert.ok((await page.getByText(MARKUP).count()) > 0, 'the line is there as it is');
  assert.equal(await page.locator('img').count(), 0);
  assert.match(String(await page.getByRole('region', { name: 'The rewrite' }).textContent()), /^\+var validRE = regexp\.MustCompile/m);
  await allowClipboard(page);
  await page.getByRole('button', { name: `Copy hone fix ${first.id}` }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `hone fix ${first.id}`);

  await page.getByRole('link', { name: 'Flame graph of the function' }).click();
  await page.getByRole('tab', { name: 'Flame', selected: true }).waitFor();
  const q = new URL(page.url()).searchParams;
  assert.deepEqual([q.get('profile'), q.get('focus'), q.get('fn')], [profile, String.raw`^example\.com/names\.Valid$`, first.symbol]);
  await page.goBack();
  await page.getByRole('link', { name: 'Source line' }).click();
  await page.getByRole('region', { name: 'Advice on line 7' }).getByText(first.why).waitFor();
  assert.equal(await page.locator('img').count(), 0);
});

check('what is worth doing comes first, with the figures of the list, where there are several findings', async ({ page, open }) => {
  await open(path('advice', { profile }));
  await head(page, first.title).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Worth doing' }).count(), findings.length > 1 ? 1 : 0);
  await page.route('**/api/v1/advice?**', async (route) => {
    const answer = await (await route.fetch()).json();
    answer.findings?.push({ ...answer.findings[0], id: 'other-1', title: 'another one' });
    await route.fulfill({ json: answer });
  });
  for (const at of [path('run', { run, show: 'advice' }), path('advice', { profile })]) {
    await open(at);
    const worth = page.getByRole('region', { name: 'Worth doing' });
    await worth.getByText('Worth doing first', { exact: true }).waitFor();
    await head(page, first.title).click();
    await page.getByText(first.why).waitFor({ state: 'detached' });
    await worth.getByRole('link', { name: first.title }).click();
    await page.getByText(first.why).waitFor();
    assert.ok(await head(page, first.title).evaluate((el) => el === document.activeElement));
    assert.ok(page.url().includes(first.id));
    const most = /-([\d.]+%)\s*bytes/.exec(String(await head(page, first.title).innerText()))?.[1];
    assert.match(String(await worth.textContent()), new RegExp(`: at most ${most} of the bytes.*names\\.go:7`));
  }
});

check('memory in use is told as in a terminal', async ({ page, open }) => {
  await page.route('**/api/v1/advice?**', async (route) => {
    const answer = await (await route.fetch()).json();
    const evidence = { live: { value: 114354012, share: 0.794 }, liveObjects: { value: 324810, share: 0.7 } };
    for (const f of answer.findings ?? []) Object.assign(f, { evidence, bound: { time: 0, live: 0.5, liveBytes: 52428800 } });
    await route.fulfill({ json: answer });
  });
  await open(path('advice', { profile }));
  const text = String(await head(page, first.title).innerText()).replaceAll('\u202f', '');
  for (const part of ['79.4% of the heap in use', '109 MiB in 324810 objects', '50.0% less heap in use', '50 MiB']) {
    assert.ok(text.replaceAll('\n', ' ').includes(part), `${part} in ${text}`);
  }
});

check.core('a line with a finding has a mark that keys open and close', async ({ page, open }) => {
  await open(source);
  const mark = page.getByRole('button', { name: /^Advice on line 7: / });
  await mark.waitFor();
  await page.getByRole('link', { name: 'Advice on 1 line' }).waitFor();
  await page.keyboard.press('e');
  const box = page.getByRole('region', { name: 'Advice on line 7' });
  await box.getByText(`hone fix ${first.id}`).waitFor();
  assert.ok(await mark.evaluate((el) => el === document.activeElement));
  assert.equal(new URL(page.url()).searchParams.get('finding'), first.id);
  await page.keyboard.press('Enter');
  await box.waitFor({ state: 'detached' });
  await page.keyboard.press('Space');
  await box.waitFor();
  await box.getByRole('link', { name: 'All advice' }).click();
  await page.getByRole('tab', { name: 'Advice', selected: true }).waitFor();
  assert.equal(await head(page, first.title).getAttribute('aria-expanded'), 'true');
});

check('advice by keyboard alone', async ({ page, open }) => {
  await open(path('run', { run, show: 'advice' }));
  const found = head(page, first.title);
  await found.waitFor();
  await tabTo(page, new RegExp(`^button .*${first.title.slice(0, 20)}`));
  const before = await found.getAttribute('aria-expanded');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.notEqual(await found.getAttribute('aria-expanded'), before));
  await page.keyboard.press('Enter');
  await tabTo(page, /^a Source line/);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Advice on line 7' }).waitFor();
}, { mayShift: true });

check('what became of rewrites is told', async ({ page, open }) => {
  const { id: finding, rule, file } = first;
  const trial = { finding, rule, file, state: 'refuted', why: 'it is slower <b>here</b>', time: '2026-11-20T10:00:00Z' };
  const history = join(folder, '.hone', 'advice', 'history.jsonl');
  writeFileSync(history, `${JSON.stringify(trial)}\n`);
  try {
    await open(path('advice', { profile }));
    await eventually(async () => assert.match(String(await head(page, first.title).textContent()), /not better/));
    const tried = page.getByRole('region', { name: 'Tried before' });
    for (const text of ['2026-11-20', 'not better', first.id, 'it is slower <b>here</b>']) await tried.getByText(text).first().waitFor();
  } finally {
    writeFileSync(history, '');
  }
});

check('advice that takes long says how far it is, and need not be waited for', async ({ page, open }) => {
  let asked = 0;
  await page.route('**/api/v1/advice?**', async (route) => {
    asked++;
    await route.fulfill({ status: 202, json: { stage: 'reading 7 packages', elapsed: 3200 } });
  });
  await open(path('advice', { profile }));
  await page.getByRole('status').filter({ hasText: 'Reading 7 packages … 3 s' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  await page.unroute('**/api/v1/advice?**');
  const before = asked;
  assert.ok(before > 0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await head(page, first.title).waitFor();
});

check('the profile of another program has no findings, and what was not examined is said', async ({ page, open, url }) => {
  const init = { method: 'POST', body: readFileSync(absolute(heap)) };
  const { id } = await (await fetch(`${url}/api/v1/profiles?name=other`, init)).json();
  await open(path('advice', { profile: id }));
  await page.getByRole('heading', { name: 'No findings' }).first().waitFor();
  await page.getByRole('region', { name: 'Not examined' }).getByText('are they from another program?').waitFor();
});

const nowhere = temporaryFolder('nowhere');
const elsewhere = suite([absolute(wordindex)], { cwd: nowhere });

elsewhere('without a source the page says where advice is to be had', async ({ page, open }) => {
  await open('/advice');
  await page.getByRole('heading', { name: 'No source here' }).waitFor();
  await page.getByText(`hone advise ${absolute(wordindex)}`).waitFor();
  await open('/source');
  assert.equal(await page.getByText(/Advice on|Looking for advice/).count(), 0);
});

test.core('hone fix knows what a page showed', async () => {
  const server = await serve([], { cwd: folder });
  try {
    const advice = await (await fetch(`${server.url}/api/v1/advice?run=latest&wait=60`)).json();
    assert.equal(advice.kept, true);
    const shown = JSON.parse(readFileSync(join(folder, '.hone', 'advice', 'shown.json'), 'utf8'));
    assert.ok(shown[0].findings.some((/** @type {any} */ f) => f.id === first.id));
  } finally {
    await server.stop();
  }
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`axe finds nothing, ${colorScheme}`, async ({ page, open }) => {
    for (const at of pages) {
      await open(at);
      await page.getByText(first.why).waitFor();
      await settled(page);
      await clean(page, { where: at });
    }
  }, { colorScheme });
}

for (const width of [360, 3840]) {
  check(`nothing is wider than a window of ${width}`, async ({ page, open }) => {
    for (const at of pages) {
      await open(at);
      await page.getByText(first.why).waitFor();
      const [inner, outer] = await page.evaluate(() => [
        Math.max(document.documentElement.scrollWidth, document.querySelector('#view')?.scrollWidth ?? 0), innerWidth,
      ]);
      assert.ok(Number(inner) <= Number(outer), `${at}: ${inner} > ${outer}`);
    }
  }, { viewport: { width, height: width > 1000 ? 2160 : 720 } });
}
