// @ts-check
// Everybody can use it: by keyboard, with a screen reader, in light and dark, on
// a telephone and a wall, without WebGL, with less motion.

import assert from 'node:assert/strict';
import { clean } from './axe.mjs';
import { focused, tabTo } from './focus.mjs';
import { eventually, settled, suite } from './page.mjs';
import { labels, tuned, wordindex } from './profiles.mjs';

const check = suite([wordindex]);
const labelled = suite([labels]);
const compared = suite(['-diff_base', wordindex, tuned]);

const VIEWS = ['flame', 'top', 'sandwich', 'graph', 'source', 'disasm', 'peek', 'traces', 'raw', 'advice'];

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const view of VIEWS) {
    const declare = colorScheme === 'light' && (view === 'flame' || view === 'top') ? check.core : check.axe;
    declare(`axe finds nothing in ${view}, ${colorScheme}`, async ({ page, open }) => {
      await open(`/${view}?fn=main.addLine`);
      await clean(page, { contrast: colorScheme === 'dark' });
    }, { colorScheme, expect: view === 'disasm' ? [/console: .*422/] : [] });
  }
  check.axe(`axe finds nothing in a table beside the flame graph, ${colorScheme}`, async ({ page, open }) => {
    await open('/flame?beside=1&mine=true');
    await page.getByRole('grid').waitFor();
    await clean(page, { contrast: colorScheme === 'dark' });
  }, { colorScheme });
  check.axe(`axe finds nothing where there is no page, ${colorScheme}`, async ({ page, url }) => {
    await page.goto(`${url}/nothing/here`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await clean(page, { contrast: colorScheme === 'dark' });
  }, { colorScheme, allow: [/console: .*404/] });
  labelled.axe(`axe finds nothing in tags, ${colorScheme}`, async ({ page, open }) => {
    for (const as of ['', '?as=list']) {
      await open(`/tags${as}`);
      await clean(page, { contrast: colorScheme === 'dark' });
    }
  }, { colorScheme });
  compared.axe(`axe finds nothing in both sides of a comparison, ${colorScheme}`, async ({ page, open }) => {
    await open('/');
    await page.getByRole('link', { name: 'Side by side' }).click();
    await settled(page);
    await clean(page, { contrast: colorScheme === 'dark' });
  }, { colorScheme });
  compared.axe(`axe finds nothing in diff, ${colorScheme}`, async ({ page, open }) => {
    await open('/');
    await page.getByRole('tab', { name: 'Diff' }).click();
    await settled(page);
    await clean(page, { contrast: colorScheme === 'dark' });
  }, { colorScheme });
  check.axe(`axe finds nothing in menus and dialogs, ${colorScheme}`, async ({ page, open }) => {
    await open('/top?focus=main&q=addLine');
    for (const name of ['Filter', 'Export', 'Copy as command', 'Light or dark', 'Saved filters']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('.floating').waitFor();
      await settled(page);
      await clean(page, { contrast: colorScheme === 'dark' });
      await page.keyboard.press('Escape');
      await page.locator('.floating').waitFor({ state: 'hidden' });
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await clean(page, { contrast: colorScheme === 'dark' });
  }, { colorScheme });
}

check.core('everything is reached and done by keyboard', async ({ page, open }) => {
  await open('/top');
  // The skip link comes first.
  await page.keyboard.press('Tab');
  assert.match(await focused(page), /Skip to the view/);
  /** @type {string[]} */
  const stops = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (stop === 'body ' || stop.startsWith('body')) break;
    stops.push(stop);
    const visible = await page.evaluate(() => {
      const style = getComputedStyle(/** @type {Element} */ (document.activeElement));
      const parent = document.activeElement?.closest('.text-field, .field, .select, label');
      const around = parent ? getComputedStyle(parent) : style;
      return style.outlineStyle !== 'none' || style.boxShadow !== 'none' || around.outlineStyle !== 'none' || around.boxShadow !== 'none';
    });
    assert.ok(visible, `the focus can't be seen on ${stop}`);
    if (stop.includes('grid')) break; // the last one; after it come Firefox's own controls, which take the keys
  }
  for (const name of [
    'Search', 'Export', 'Copy as command', 'Saved filters', 'Light or dark', 'Keys and help', 'tab Top', 'Filter', 'grid',
  ]) {
    assert.ok(stops.some((stop) => stop.includes(name)), `${name} is not among ${stops.join(' | ')}`);
  }
  // A filter, from the menu to the chip and away again.
  await page.getByRole('button', { name: 'Filter', exact: true }).focus();
  await page.keyboard.press('Enter');
  await eventually(async () => assert.match(await focused(page), /^menuitem/));
  await page.keyboard.type('foc');
  await page.keyboard.press('Enter');
  await eventually(async () => assert.match(await focused(page), /^input/));
  await page.keyboard.type('addLine');
  await page.keyboard.press('Enter');
  await eventually(() => assert.match(page.url(), /focus=addLine/));
  await settled(page);
  // A row, its menu, and back.
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.match(page.url(), /fn=/));
  await page.keyboard.press('Shift+F10');
  await eventually(async () => assert.match(await focused(page), /^menuitem/));
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  assert.match(await focused(page), /^grid/);
});

/**
 * A walk through each view without a mouse: the tab key leads from the top of the page to what the view is for, and keys
 * do it. at: what has the focus then; keys: pressed there; url: what the address has afterwards.
 * @type {{ view: string, of?: typeof check, at: RegExp, keys: string[], url?: RegExp, text?: RegExp, faults?: RegExp[] }[]}
 */
const WALKS = [
  { view: 'flame', at: /^application/, keys: ['ArrowDown', 'ArrowDown', 'Enter'], url: /zoom=/ },
  { view: 'top', at: /^grid/, keys: ['ArrowDown', 'ArrowDown', 'Enter'], url: /\/source\?.*fn=/ },
  { view: 'sandwich', at: /^grid Callees/, keys: ['Home', 'Enter'], url: /fn=(?!main\.addLine(&|$))/ },
  { view: 'graph', at: /^button .*: main\.addLine$/, keys: ['ArrowUp', 'Enter'], url: /fn=(?!main\.addLine(&|$))/ },
  { view: 'source', at: /^grid/, keys: ['ArrowDown'], url: /fn=(?!main\.addLine(&|$))/ },
  { view: 'disasm', at: /^grid/, keys: ['ArrowDown'], url: /fn=(?!main\.addLine(&|$))/, faults: [/console: .*422/] },
  { view: 'peek', at: /^button main\.(?!addLine)/, keys: ['Enter'], url: /fn=(?!main\.addLine(&|$))/ },
  { view: 'traces', at: /^grid/, keys: ['ArrowDown'], text: /Stack 2/ },
  { view: 'raw', at: /^region The profile as text/, keys: ['End'] },
  { view: 'advice', at: /^tab Advice/, keys: [] },
  { view: 'tags', of: labelled, at: /^region Values of/, keys: ['Tab', 'Enter'], url: /\/flame\?.*tagfocus=/ },
  { view: 'diff', of: compared, at: /^grid/, keys: ['ArrowDown', 'ArrowDown'], url: /fn=/ },
];
for (const { view, of = check, at, keys, url, text, faults = [] } of WALKS) {
  of(`${view} by keyboard alone`, async ({ page, open }) => {
    await open(of === compared ? '/' : `/${view}?fn=main.addLine`);
    if (of === compared) {
      await tabTo(page, /^tab Diff/);
      await page.keyboard.press('ArrowLeft');
      for (let i = 0; i < 20 && !/^tab Diff/.test(await focused(page)); i++) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await settled(page);
    }
    await tabTo(page, at);
    for (const key of keys) await page.keyboard.press(key);
    if (url) await eventually(() => assert.match(page.url(), url));
    if (text) await page.getByText(text).first().waitFor();
    await settled(page);
    // And out of it again.
    await tabTo(page, /^body|Skip to the view/, 200);
  }, { expect: faults, mayShift: true });
}

for (const view of VIEWS) {
  check(`nothing of ${view} is cut off or scrolls sideways, from telephones to walls`, async ({ page, open }) => {
    await open(`/${view}?fn=main.addLine`);
    for (const [width, height] of /** @type {const} */ ([[360, 740], [768, 1024], [1280, 800], [3840, 2160]])) {
      await page.setViewportSize({ width, height });
      await eventually(async () => {
        const { wide, main } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          main: document.querySelector('main')?.getBoundingClientRect().height ?? 0,
        }));
        assert.equal(wide, 0, `${wide} pixels too wide at ${width}`);
        assert.ok(main > height / 3, `${main} pixels of ${height}`);
      });
    }
  }, {
    viewport: { width: 360, height: 740 },
    // A window that changes its size moves what is in it.
    expect: view === 'disasm' ? [/console: .*422/] : [], mayShift: true,
  });
}

check('on a telephone nothing covers the call graph', async ({ page, open }) => {
  await open('/graph?fn=main.addLine');
  const card = page.getByRole('complementary', { name: 'Selected function' });
  await card.waitFor();
  await settled(page);
  const boxes = await page.evaluate(() => {
    const element = (/** @type {string} */ selector) => /** @type {Element} */ (document.querySelector(selector));
    const box = (/** @type {string} */ selector) => element(selector).getBoundingClientRect().toJSON();
    const node = box('.graph .node.selected');
    const top = document.elementFromPoint(node.x + node.width / 2, node.y + node.height / 2);
    const onTop = top?.closest('.node.selected') != null;
    return { frame: box('.graph-frame'), tools: box('.graph-tools'), card: box('.graph-card'), node, onTop };
  });
  const { frame, tools, card: below, node } = boxes;
  assert.ok(frame.height > 150, `${frame.height} pixels are left for the graph`);
  for (const [name, other] of Object.entries({ tools, card: below })) {
    assert.ok(other.top >= frame.bottom || other.bottom <= frame.top, `${name} covers the graph: ${JSON.stringify(boxes)}`);
    assert.ok(other.height > 0 && other.left >= 0 && other.right <= 360, `${name} is outside of the page: ${JSON.stringify(boxes)}`);
  }
  const inside = node.top >= frame.top && node.bottom <= frame.bottom;
  assert.ok(inside && boxes.onTop, `the selected function is hidden: ${JSON.stringify(boxes)}`);
  // The buttons work where they are.
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await eventually(async () => {
    const wider = await page.locator('.graph .node.selected').evaluate((el) => el.getBoundingClientRect().width);
    assert.ok(wider > node.width);
  });
}, { viewport: { width: 360, height: 740 } });

for (const [width, height] of /** @type {const} */ ([[1280, 800], [640, 400]])) {
  check(`buttons, card and small map are beside the call graph at ${width} × ${height}`, async ({ page, open }) => {
    await open('/graph?fn=main.addLine');
    const frame = await page.locator('.graph-frame').boundingBox();
    assert.ok(frame && frame.width > 0.65 * width, JSON.stringify(frame));
    for (const name of ['tools', 'card', 'map']) {
      const other = await page.locator(`.graph-${name}`).boundingBox();
      assert.ok(!other || other.x >= frame.x + frame.width, `${name} covers the graph: ${JSON.stringify({ frame, other })}`);
    }
  }, { viewport: { width, height } });
}

check(
  'on a telephone all actions are there, by touch',
  async ({ page, open }) => {
    await open('/flame');
    // The browser gives a touch up that a busy page does not take in time.
    const more = page.getByRole('button', { name: 'Export' });
    await eventually(async () => {
      if (!(await more.isVisible())) await page.getByRole('button', { name: 'More actions' }).tap();
      await more.waitFor({ timeout: 1000 });
    });
    const entry = page.getByRole('menuitem', { name: /^SVG/ });
    await eventually(async () => {
      if (!(await entry.isVisible())) await more.tap();
      await entry.waitFor({ timeout: 1000 });
    });
    await page.keyboard.press('Escape');
    const top = page.getByRole('tab', { name: 'Top' });
    await eventually(async () => {
      await top.tap();
      assert.equal(await top.getAttribute('aria-selected'), 'true');
    });
    await settled(page);
    await page.getByRole('grid').waitFor();
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 },
);

check(
  'labels of the flame graph are drawn at the pixels of the screen',
  async ({ page, open }) => {
    await open('/flame');
    await eventually(async () => {
      const ratios = await page.locator('.flame-graph canvas').evaluateAll((all) =>
        all.map((c) => /** @type {HTMLCanvasElement} */ (c).width / c.clientWidth));
      for (const ratio of ratios) assert.ok(Math.abs(ratio - 2.5) < 0.01, String(ratios));
    });
  },
  { deviceScaleFactor: 2.5 },
);

check(
  'with less motion, nothing is animated',
  async ({ page, open }) => {
    await open('/flame');
    await page.locator('canvas.flame-overlay').first().click({ position: { x: 200, y: 60 } });
    const running = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((a) => a.playState === 'running' && Number(a.effect?.getComputedTiming().duration) > 1)
        .map((a) =>
          `${/** @type {any} */ (a.effect).target?.className} `
          + `${/** @type {any} */ (a).transitionProperty ?? /** @type {any} */ (a).animationName}`),
    );
    assert.deepEqual(running, []);
    // The zoom is there at once: two frames, not an animation.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const graph = page.locator('.flame-graph').first();
    const now = await graph.getAttribute('data-to');
    await page.waitForTimeout(500);
    assert.equal(await graph.getAttribute('data-to'), now);
  },
  { reducedMotion: 'reduce' },
);

check('the flame graph is drawn without WebGL', async ({ page, open }) => {
  await open('/flame');
  assert.equal(await page.evaluate(() => document.createElement('canvas').getContext('webgl')), null);
  const colours = () => page.locator('.flame-graph canvas').first().evaluate((canvas) => {
    const c = /** @type {HTMLCanvasElement} */ (canvas);
    const { data } = /** @type {CanvasRenderingContext2D} */ (c.getContext('2d')).getImageData(0, 0, c.width, c.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 97) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
    return seen.size;
  });
  await eventually(async () => {
    const n = await colours();
    assert.ok(n > 10, `only ${n} colours`);
  });
});
