// @ts-check
// When something happened, and to whom: heat maps of the timeline, and parts of it against the rest.

import assert from 'node:assert/strict';
import { clean } from './axe.mjs';
import { tabTo } from './focus.mjs';
import { eventually, settled, suite } from './page.mjs';
import { ask } from './store.mjs';
import { clock, FROM, hour, INSTANCES, linkTo, MINUTE, pushCPU, slowHour, TO } from './slow.mjs';

/** @typedef {import('./page.mjs').Page} Page */

const check = suite([], { start: slowHour });

/** The selection in the address. @param {Page} page @param {'profile' | 'base'} [which] */
const selection = (page, which = 'profile') => new URLSearchParams((new URL(page.url()).searchParams.get(which) ?? 'sel:').slice(4));

/** @param {Page} page */
const heat = (page) => page.getByRole('application', { name: /^Heat map/ });

/**
 * The middle of a cell: a minute of the hour, in a row.
 * @param {Page} page @param {number} minute @param {number} row @param {number} rows
 */
async function cell(page, minute, row, rows) {
  const x = async (/** @type {string} */ name) => {
    const box = await page.getByRole('slider', { name }).boundingBox();
    assert.ok(box);
    return box.x;
  };
  const [start, end] = [await x('Start of the selection'), await x('End of the selection')];
  const box = await heat(page).boundingBox();
  assert.ok(box);
  const [top, foot] = [box.y + 16, box.y + box.height - 18];
  return { x: start + (((minute + 0.5) * MINUTE) / (TO - FROM)) * (end - start), y: top + ((row + 0.5) / rows) * (foot - top) };
}

/** The summary says which function it was. @param {Page} page */
const blamed = (page) => eventually(async () => {
  assert.match(await page.getByRole('region', { name: 'In short' }).innerText(), /main\.slow \+0\.6 cores \(new\)/);
});

/** @param {Page} page @param {{ x: number, y: number }} from @param {{ x: number, y: number }} to */
async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await settled(page);
}

check.core('a heat map shows which instance and which minute; a drag selects both, and the rest is a step away', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu')));
  await page.locator('.timeline-by select').selectOption({ label: 'Heat map by instance' });
  await settled(page);
  assert.equal(new URL(page.url()).searchParams.get('heat'), 'instance');
  // The largest is the first row; its minute is in the name, for people who can't see colours.
  assert.match((await heat(page).getAttribute('aria-label')) ?? '', /Most: b, \d+ \w+ 14:0[567]:00 – 14:0[678]:00, 0\.\d+ cores/);
  const [from, to] = [await cell(page, 35, 0, INSTANCES.length), await cell(page, 37, 0, INSTANCES.length)];
  await page.mouse.move(from.x, from.y);
  await page.locator('.heat-words').filter({ hasText: /14:05 \(60 s\) · b: 0\.\d+ cores, 1 profile/ }).waitFor();
  await drag(page, from, to);
  const sel = selection(page);
  assert.equal(sel.get('q'), 'cpu{service="shop", instance="b"}');
  assert.deepEqual([sel.get('from'), sel.get('to')], [String(clock(14, 5)), String(clock(14, 8))]);
  await page.getByRole('button', { name: 'vs the rest' }).click();
  await settled(page);
  const base = selection(page, 'base');
  assert.equal(base.get('q'), 'cpu{service="shop", instance="b"}');
  assert.deepEqual([base.get('from'), base.get('to'), base.get('except')], [String(FROM), String(TO), `${clock(14, 5)}-${clock(14, 8)}`]);
  await blamed(page);
  // All rows are still there, and the way back.
  assert.match((await heat(page).getAttribute('aria-label')) ?? '', /^Heat map by time and instance/);
  assert.equal(await page.locator('.heat-row').count(), INSTANCES.length);
  await page.getByRole('button', { name: 'Select the whole timeline' }).click();
  await settled(page);
  assert.equal(selection(page).get('q'), 'cpu{service="shop"}');
  assert.equal(new URL(page.url()).searchParams.get('base'), null); // nothing is left to compare with
}, { mayShift: true });

check('the hottest cell keeps its colour outside of the selection', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu', { to: String(clock(14, 0)) }), { heat: 'instance', span: `${FROM}-${TO}` }));
  const canvas = page.locator('.heat canvas');
  await settled(page);
  /** @returns {Promise<Record<string, number>>} how many pixels have each colour */
  const colours = async (/** @type {string | null} */ picture) => canvas.evaluate(async (el, picture) => {
    const bytes = picture && Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
    const of = bytes ? await createImageBitmap(new Blob([bytes])) : /** @type {HTMLCanvasElement} */ (el);
    const context = new OffscreenCanvas(of.width, of.height).getContext('2d');
    context?.drawImage(of, 0, 0);
    const { data = new Uint8ClampedArray() } = context?.getImageData(0, 0, of.width, of.height) ?? {};
    /** @type {Record<string, number>} */
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
      const key = data.slice(i, i + 3).join(' ');
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }, picture);
  const hottest = '83 22 3';
  const drawn = (await colours(null))[hottest] ?? 0;
  assert.ok(drawn > 0, 'the scale ends in another colour');
  const seen = (await colours((await page.locator('.heat').screenshot()).toString('base64')))[hottest] ?? 0;
  assert.ok(seen > drawn / 3, `${seen} of ${drawn} pixels`);
});

check('two drags are compared', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu'), { heat: 'instance' }));
  await drag(page, await cell(page, 35, 0, 5), await cell(page, 37, 0, 5));
  await page.keyboard.down('Shift');
  const whole = { from: FROM, to: TO };
  // The handles are at the selection now: places come from the plot.
  const box = await heat(page).boundingBox();
  assert.ok(box);
  const left = (await page.locator('.heat-row').first().boundingBox())?.x ?? 0;
  const x = (/** @type {number} */ minute) => left + 12 + ((minute * MINUTE) / (whole.to - whole.from)) * (box.x + box.width - left - 16);
  await drag(page, { x: x(5), y: box.y + 24 }, { x: x(15), y: box.y + 24 });
  await page.keyboard.up('Shift');
  const base = selection(page, 'base');
  assert.equal(base.get('q'), 'cpu{service="shop", instance="b"}');
  const [from, to] = [Number(base.get('from')), Number(base.get('to'))];
  assert.ok(from >= FROM + 4 * MINUTE && to <= FROM + 17 * MINUTE && to - from >= 9 * MINUTE, base.toString());
  await blamed(page);
});

check('keys select in a heat map, and choose what to compare with', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu'), { heat: 'instance' }));
  await tabTo(page, /^application Heat map/);
  await page.keyboard.press('Home');
  for (let i = 0; i < 3; i++) await page.keyboard.press('PageDown');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await page.locator('.heat-words').filter({ hasText: /14:05 .*· b: / }).waitFor();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await settled(page);
  const sel = selection(page);
  assert.deepEqual(
    [sel.get('q'), sel.get('from'), sel.get('to')], ['cpu{service="shop", instance="b"}', String(clock(14, 5)), String(clock(14, 8))],
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Enter');
  await settled(page);
  assert.match(selection(page, 'base').get('q') ?? '', /^cpu\{service="shop", instance="[acde]"\}$/);
});

check('a heat map by value has a row for the few profiles that cost most; a drag selects their time', async ({ page, open, url }) => {
  await open(linkTo('flame', hour('cpu'), { heat: '=value' }));
  const map = await ask(url, `heat?${hour('cpu').slice(4)}&values=1&limit=13`);
  const last = map.rows.length - 1;
  assert.equal(map.rows[last].profiles, 3);
  assert.equal(await page.locator('.heat-row').count() > 3, true);
  await drag(page, await cell(page, 35, 0, 5), await cell(page, 37, 0, 5));
  const sel = selection(page);
  assert.deepEqual([sel.get('q'), sel.get('from'), sel.get('to')], ['cpu{service="shop"}', String(clock(14, 5)), String(clock(14, 8))]);
});

check('a typed time is shown with what is around it, or selected on the timeline', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu')));
  const shown = () => [selection(page).get('from'), selection(page).get('to'), new URL(page.url()).searchParams.get('span')];
  const day = new Date(FROM).toISOString().slice(0, 10);
  const field = page.getByRole('textbox', { name: /^Time, / });
  await page.keyboard.press('T');
  await field.waitFor();
  await page.keyboard.type(`${day} 14:05`); // in place of what is there
  await page.getByText(/^Shows \d+ \w+ 13:05 – 15:05, with 14:00 – 14:10 selected\.$/).waitFor();
  await page.keyboard.press('Enter');
  await settled(page);
  assert.deepEqual(shown(), [String(clock(14, 0)), String(clock(14, 10)), `${clock(13, 5)}-${clock(15, 5)}`]);
  await page.locator('.sel-span').click();
  await field.fill('soon');
  await page.getByText(/^Type a time like 14:05, /).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show', exact: true }).isDisabled(), true);
  await field.fill(`${day} 14:05 – 14:08`);
  await page.getByRole('button', { name: 'Select on the timeline' }).click();
  await settled(page);
  assert.deepEqual(shown(), [String(clock(14, 5)), String(clock(14, 8)), `${clock(13, 5)}-${clock(15, 5)}`]);
});

check('a link shows the same when new profiles have come', async ({ page, open, url }) => {
  await open(linkTo('flame', hour('cpu'), { heat: 'instance' }));
  await drag(page, await cell(page, 35, 0, 5), await cell(page, 37, 0, 5));
  await page.getByRole('button', { name: 'vs the rest' }).click();
  await settled(page);
  const said = () => page.getByRole('region', { name: 'In short' }).innerText();
  await eventually(async () => assert.match(await said(), /main\.slow/));
  const [link, before] = [page.url(), await said()];
  await pushCPU(url, 'b', Date.now() - MINUTE, 500, 500);
  await page.goto('about:blank');
  await page.goto(link);
  await settled(page);
  await eventually(async () => assert.equal(await said(), before));
  assert.equal(page.url(), link);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`a heat map is accessible, ${colorScheme}`, async ({ page, open }) => {
    const rest = { base: hour('cpu', { except: `${clock(14, 5)}-${clock(14, 8)}` }), vs: `rest:${FROM}-${TO}`, span: `${FROM}-${TO}` };
    await open(linkTo('flame', hour('cpu', { from: String(clock(14, 5)), to: String(clock(14, 8)) }), { heat: 'instance', ...rest }));
    await clean(page);
  }, { colorScheme });
}

check('a narrow window has the heat map and the way to the rest', async ({ page, open }) => {
  const part = hour('cpu', { from: String(clock(14, 5)), to: String(clock(14, 8)) });
  await open(linkTo('flame', part, { heat: 'instance', span: `${FROM}-${TO}` }));
  const box = await page.getByRole('button', { name: 'vs the rest' }).boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
}, { viewport: { width: 360, height: 720 } });

for (const [width, height] of [[640, 480], [1280, 640], [360, 720]]) {
  check(`a flame graph has room below a heat map in a window of ${width} by ${height}`, async ({ page, open }) => {
    await open(linkTo('flame', hour('cpu'), { heat: 'instance' }));
    const box = await page.locator('.flame-stage').boundingBox();
    assert.ok(box && box.height > 120, JSON.stringify(box));
    await page.locator('.flame-foot').scrollIntoViewIfNeeded();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }, { viewport: { width: width ?? 0, height: height ?? 0 } });
}

check('the lines that hold more and more memory are first, with their slope and a chart', async ({ page, open }) => {
  await open(linkTo('flame', hour('cpu')));
  assert.equal(await page.getByRole('tab', { name: 'Growth' }).count(), 0); // CPU time is not held
  await open(linkTo('growth', hour('cpu')));
  await page.getByRole('heading', { name: 'Growth is for memory and goroutines' }).waitFor();
  await open(linkTo('flame', hour('heap')));
  await page.getByRole('tab', { name: 'Growth' }).click();
  await settled(page);
  const rows = page.getByRole('grid', { name: 'Lines by growth' }).getByRole('row').filter({ has: page.getByRole('gridcell') });
  await eventually(async () => assert.equal(await rows.count(), 3));
  const [first, ...others] = await rows.allInnerTexts();
  assert.match(first ?? '', /Cache\)\.Put.*cache\.go:31[\s\S]*\+(59|60)(\.\d+)?MB\/h[\s\S]*\d+(\.\d+)?MB → \d+(\.\d+)?MB/);
  assert.ok(others.every((text) => /index\.go:12|buffer\.go:8/.test(text)), others.join('\n'));
  assert.equal(await rows.first().locator('.growth-more').count(), 1);
  assert.equal(await rows.locator('.growth-more').count(), 1);
  assert.equal(await rows.locator('.growth-spark path[d^="M"]').count(), 3);
  await page.getByText('1 line grew').waitFor();
  // A point of its chart leads to the profiles of that window.
  const point = page.locator('.chart-point').last();
  assert.match((await point.getAttribute('aria-label')) ?? '', /^\d+(\.\d+)?MB, main\.\(\*Cache\)\.Put/);
  await point.click();
  await settled(page);
  assert.ok(Number(selection(page).get('from')) > clock(14, 20));
  assert.equal(new URL(page.url()).searchParams.get('fn'), 'main.(*Cache).Put');
  await page.goBack();
  await settled(page);
  await rows.first().dblclick();
  await page.getByRole('tab', { name: 'Source', selected: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('at'), '31');
}, { allow: [/404|422/] });

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  check.axe(`growth is accessible, ${colorScheme}`, async ({ page, open }) => {
    await open(linkTo('growth', hour('heap')));
    await clean(page);
  }, { colorScheme });
}

/** Three minutes of all instances, or of some, against the rest of the hour. @param {Record<string, string>} [more] */
const minutes = (more = {}) => linkTo('flame', hour('cpu', { from: String(clock(14, 5)), to: String(clock(14, 8)), ...more }), {
  base: hour('cpu', { except: `${clock(14, 5)}-${clock(14, 8)}`, ...more }), vs: `rest:${FROM}-${TO}`, span: `${FROM}-${TO}`,
});

check('what chance explains of several instances leads to their heat map', async ({ page, open }) => {
  await open(minutes());
  const said = page.getByRole('region', { name: 'In short' });
  const told = /(chance explains|clear whether).*\n[\s\S]*(unlike the other|One instance may have changed alone)/;
  await eventually(async () => assert.match(await said.innerText(), told));
  await said.getByRole('link', { name: 'heat map' }).click();
  await settled(page);
  await heat(page).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('heat'), 'instance');
  assert.doesNotMatch(await said.innerText(), /changed alone/);
}, { mayShift: true });

check('no letter does two things in a comparison', async ({ page, open }) => {
  await open(minutes());
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  const all = await help.locator('dl > div dt').evaluateAll((rows) => rows
    .map((row) => [...row.querySelectorAll('kbd')].map((kbd) => kbd.textContent ?? ''))
    .filter(([first]) => first !== 'g').flat());
  const letters = all.filter((key) => /^[a-z]$/i.test(key));
  assert.ok(letters.includes('b') && letters.includes('B') && letters.includes('X'), letters.join(' '));
  assert.deepEqual(letters.filter((key, i) => letters.indexOf(key) !== i), []);
});

for (const width of [1280, 1440]) {
  check(`names and figures of a comparison are whole in a window of ${width}`, async ({ page, open }) => {
    await open(minutes({ q: 'cpu{service="shop", version="v1.4.0"}' }));
    const right = async (/** @type {import('playwright-core').Locator} */ of) => {
      const box = await of.boundingBox();
      assert.ok(box);
      return box.x + box.width;
    };
    const chip = page.locator('.sel-chip').filter({ hasText: 'version' });
    assert.ok(await right(chip) <= await right(page.locator('.sel-filters')) + 1);
    // Two versions are told by their names alone.
    const cut = await page.locator('.sel-chip .chip-text, .against-name').evaluateAll((all) =>
      all.filter((el) => el.scrollWidth > el.clientWidth + 1).map((el) => el.textContent));
    if (width >= 1280) assert.deepEqual(cut, []);
    for (const item of await page.locator('.timeline-legend .legend-item').all()) {
      assert.ok(await right(item.locator('b')) <= await right(item) + 1, await item.innerText());
    }
  }, { viewport: { width, height: 800 } });
}

check('a base that is longer than the timeline has one figure, in the legend as in the sentences', async ({ page, open }) => {
  const other = new URLSearchParams(linkTo('flame', hour('cpu')).split('?')[1]);
  const sel = String(other.get('profile'));
  const at = (/** @type {number} */ from, /** @type {number} */ to) =>
    sel.replace(/from=\d+/, `from=${from}`).replace(/to=\d+/, `to=${to}`);
  const span = { from: TO - 10 * MINUTE, to: TO };
  const q = new URLSearchParams({
    profile: at(span.from, span.to), base: at(FROM, FROM + 40 * MINUTE), span: `${span.from}-${span.to}`,
  });
  await open(`/diff?${q}`);
  const said = await page.getByRole('region', { name: 'In short' }).innerText();
  const [, was] = /(?:from|was) (\S+) cores?/.exec(said) ?? /from (\S+) to/.exec(said) ?? [];
  assert.ok(was, said);
  const legend = page.locator('.timeline-legend .tone-base b');
  await eventually(async () => assert.equal(Number.parseFloat(await legend.innerText()), Number.parseFloat(was), said));
});

check('a part of the timeline has one figure, in the legend as in the sentences', async ({ page, open }) => {
  const part = hour('cpu').replace(/from=\d+/, `from=${FROM + 30 * MINUTE}`).replace(/to=\d+/, `to=${FROM + 40 * MINUTE}`);
  await open(linkTo('flame', part, { span: `${FROM}-${TO}` }));
  const said = page.getByRole('region', { name: 'In short' });
  const legend = page.getByRole('group', { name: 'Lines' });
  await eventually(async () => {
    const [, cores] = /(\d\.\d\d) cores\/instance/.exec(await said.innerText()) ?? [];
    assert.ok(cores, await said.innerText());
    const [, value] = /^selected\s+([\d.]+) cores?\s+per instance$/.exec(await legend.innerText()) ?? [];
    assert.equal(Number(value), Number(cores), await legend.innerText());
  });
});

check('sentences that are longer than their room are behind “more”', async ({ page, open }) => {
  await open(minutes());
  const said = page.getByRole('region', { name: 'In short' });
  await said.getByRole('button', { name: 'more' }).click();
  assert.equal(await said.evaluate((el) => el.scrollHeight > el.clientHeight + 1), false);
  await said.getByRole('button', { name: 'more' }).waitFor({ state: 'detached' });
}, { mayShift: true });

for (const viewport of [{ width: 360, height: 720 }, { width: 640, height: 400 }]) {
  check(`the ways to compare are in sight, beside the sentences, in a window of ${viewport.width}`, async ({ page, open }) => {
    await open(minutes());
    const said = page.getByRole('region', { name: 'In short' });
    await said.locator('.summary-change p').first().waitFor();
    const overlaps = await said.evaluate((section) => {
      const whole = section.getBoundingClientRect();
      const buttons = [...section.querySelectorAll('.compare-views a, .btn-icon')].map((b) => b.getBoundingClientRect());
      const lines = [...section.querySelectorAll('.summary-change p')].flatMap((p) => {
        const range = document.createRange();
        range.selectNodeContents(p);
        return [...range.getClientRects()];
      });
      const apart = (/** @type {DOMRect} */ a, /** @type {DOMRect} */ b) =>
        a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
      return {
        buttons: buttons.length, out: buttons.filter((b) => b.bottom > whole.bottom || b.right > whole.right).length,
        over: buttons.filter((b, i) => lines.some((l) => !apart(b, l)) || buttons.some((c, j) => j !== i && !apart(b, c))).length,
      };
    });
    assert.deepEqual(overlaps, { buttons: 5, out: 0, over: 0 });
  }, { viewport });
}

const steps = /** @type {const} */ ([
  ['history', 'work|encode', /main\.(work|encode)/], ['records', 'v1', /\d: /], ['tags', 'encode', /encode/],
]);
for (const [view, q, marked] of steps) {
  check(`n and N step through what a search marks in ${view}`, async ({ page, open }) => {
    await open(linkTo(view, hour('cpu'), { q, label: 'instance' }));
    await page.locator('.marked').first().waitFor();
    await page.keyboard.press('n');
    const here = () => (view === 'history' ? page.locator('[role=row][aria-selected=true]').innerText()
      : page.evaluate(() => {
        const at = document.activeElement?.closest('.marked');
        return at ? `${[...document.querySelectorAll('.marked')].indexOf(at)}: ${at.outerHTML}` : '';
      }));
    await eventually(async () => assert.match(await here(), marked));
    const first = await here();
    await page.keyboard.press('n');
    await eventually(async () => assert.notEqual(await here(), first));
    await page.keyboard.press('N');
    await eventually(async () => assert.equal(await here(), first));
  }, { mayShift: true });
}
