// @ts-check
// The flame graph: what is drawn, moved, searched and said about it.

import assert from 'node:assert/strict';
import { details, graphOf, hover, nodesOf, widest, windowOf } from './graph.mjs';
import { hone } from './hone.mjs';
import { needsChromium } from './browser.mjs';
import { eventually, settled, suite } from './page.mjs';
import { recursion, tuned, wordindex } from './profiles.mjs';

/** @typedef {import('./page.mjs').Page} Page */
/** @typedef {import('./graph.mjs').Node} Node */

const check = suite([wordindex]);

check.core('all is shown, and a frame says what it costs', async ({ page, open }) => {
  await open('/flame');
  const { nodes, total } = await nodesOf(page);
  assert.equal(Number(await graphOf(page).getAttribute('data-nodes')) > 50, true);
  const node = widest(nodes, 'main.addLine');
  await hover(page, node, total);
  const top = hone('pprof', '-top', '-cum', '-nodecount=200', wordindex);
  const line = top.split('\n').find((l) => l.trimEnd().endsWith(' main.addLine'));
  assert.ok(line, 'addLine is not in top');
  const cum = line.trim().split(/\s+/)[3];
  assert.ok(cum && (await details(page)).includes(cum), `${await details(page)} does not have ${cum}`);
});

check.core('a click zooms, the address keeps it, back and a double click undo it', async ({ page, open }) => {
  await open('/flame');
  const whole = await windowOf(page);
  const { nodes, total } = await nodesOf(page);
  const node = widest(nodes, 'main.addLine');
  const { x, y } = await hover(page, node, total);
  await page.mouse.click(x, y);
  await eventually(async () => assert.notDeepEqual(await windowOf(page), whole));
  await page.locator('.flame-crumbs').getByText('addLine').waitFor();
  const zoomed = await windowOf(page);
  assert.match(page.url(), /zoom=/);
  await page.reload();
  await settled(page);
  await eventually(async () => assert.deepEqual(await windowOf(page), zoomed));
  await page.goBack();
  await eventually(async () => assert.deepEqual(await windowOf(page), whole));
  await page.goForward();
  await eventually(async () => assert.deepEqual(await windowOf(page), zoomed));
  needsChromium('double clicks');
  await page.mouse.dblclick(x, y);
  await eventually(async () => assert.deepEqual(await windowOf(page), whole));
});

check('the choice of colours outlives the page and its link', async ({ page, open }) => {
  await open('/flame');
  await settled(page);
  await page.locator('.flame-tools').getByRole('button', { name: /Colour/ }).click();
  await page.getByRole('menuitemradio', { name: /^Module/ }).or(page.getByRole('menuitem', { name: /^Module/ })).first().click();
  const legend = page.locator('.flame-legend').first();
  await legend.getByText('your code').waitFor();
  await open('/flame');
  await settled(page);
  await legend.getByText('your code').waitFor();
});

check.core('keys walk over frames, zoom and pan', async ({ page, open }) => {
  await open('/flame');
  const whole = await windowOf(page);
  const focus = page.locator('[data-part="focus"]').first();
  await page.locator('canvas.flame-overlay').focus();
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.notEqual(await focus.textContent(), ''));
  const first = await focus.textContent();
  await page.keyboard.press('ArrowDown');
  await eventually(async () => assert.notEqual(await focus.textContent(), first));
  await page.keyboard.press('Enter');
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  await eventually(async () => {
    const { from, to } = await windowOf(page);
    assert.ok(to - from < (whole.to - whole.from) * 0.5, `${from} to ${to}`);
  });
  const before = await windowOf(page);
  await page.keyboard.press('d');
  await eventually(async () => assert.ok((await windowOf(page)).from > before.from));
  await page.keyboard.press('0');
  await eventually(async () => assert.deepEqual(await windowOf(page), whole));
});

check('the wheel zooms at the pointer, dragging pans', async ({ page, open }) => {
  await open('/flame');
  const whole = await windowOf(page);
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (
    await page.locator('canvas.flame-overlay').first().boundingBox()
  );
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.keyboard.down('Control');
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await eventually(async () => {
    const { from, to } = await windowOf(page);
    assert.ok(to - from < (whole.to - whole.from) * 0.6);
    const middle = (whole.from + whole.to) / 2;
    assert.ok(Math.abs((from + to) / 2 - middle) < (whole.to - whole.from) * 0.02, 'the pointer does not stay where it was');
  });
  await settled(page);
  const before = await windowOf(page);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 200, box.y + 100, { steps: 5 });
  await page.mouse.up();
  await eventually(async () => assert.ok((await windowOf(page)).from > before.from));
  assert.doesNotMatch(page.url(), /fn=/, 'dragging is not a click');
});

check('the minimap is always there; while all is shown, a drag on it chooses a part', async ({ page, open }) => {
  await open('/flame');
  const map = page.locator('.flame-minimap-box');
  const box = await map.boundingBox();
  assert.ok(box && box.width > 1000 && box.height > 20, JSON.stringify(box));
  const drawn = () => map.locator('canvas').evaluate((/** @type {HTMLCanvasElement} */ el) =>
    new Set(el.getContext('2d')?.getImageData(0, 0, el.width, el.height).data).size);
  await eventually(async () => assert.ok(await drawn() > 10, 'nothing is drawn'));
  await page.mouse.move(box.x + 0.25 * box.width, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => {
    const lens = await page.locator('.flame-lens').boundingBox();
    assert.ok(lens && Math.abs((lens.x - box.x) / box.width - 0.25) < 0.02, JSON.stringify(lens));
    assert.ok(Math.abs(lens.width / box.width - 0.25) < 0.02, JSON.stringify(lens));
  });
  assert.deepEqual(await map.boundingBox(), box); // and nothing moved
});

check('the minimap shows where one is, and is dragged', async ({ page, open }) => {
  await open('/flame');
  const map = page.locator('.flame-minimap-box');
  await page.locator('canvas.flame-overlay').first().focus();
  const whole = await windowOf(page);
  for (let i = 0; i < 4; i++) await page.keyboard.press('+');
  await map.waitFor();
  await eventually(async () => { // 0.6⁴: all four have come to rest
    const { from, to } = await windowOf(page);
    assert.ok(to - from < 0.14 * (whole.to - whole.from), `${from} to ${to}`);
  });
  await settled(page);
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await map.boundingBox());
  const lens = () => page.locator('.flame-lens').boundingBox();
  const middle = await windowOf(page);
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => {
    const { from, to } = await windowOf(page);
    assert.ok(from < middle.from, `${from} is not left of ${middle.from}`);
    assert.ok(Math.abs(to - from - (middle.to - middle.from)) < (to - from) * 0.01, 'dragging zooms');
    const at = await lens();
    assert.ok(at && Math.abs((at.x + at.width / 2 - box.x) / box.width - 0.3) < 0.1, `the lens is at ${at?.x} of ${box.x}`);
  });
});

for (const pattern of ['strings', 'runtime\\.mallocgc$', '(?i)ADDLINE', 'runtime']) {
  const declare = pattern === 'strings' ? check.core : check;
  declare(`a search for ${pattern} counts each sample once`, async ({ page, open }) => {
    await open('/flame');
    await page.keyboard.press('/');
    await page.keyboard.type(pattern);
    // The samples with a frame that matches are those that focus leaves.
    const kept = /Showing nodes accounting for (\S+), ([\d.]+)% of/.exec(
      hone('pprof', '-top', '-nodecount=0', '-trim=false', `-focus=${pattern}`, wordindex),
    );
    assert.ok(kept);
    await eventually(async () => {
      const text = await page.locator('#search-result').innerText();
      const shown = /([\d.]+)%\s+(\S+)/.exec(text);
      assert.equal(shown?.[2], kept[1]);
      assert.ok(Math.abs(Number(shown?.[1]) - Number(kept[2])) <= 0.06, `${text}, pprof has ${kept[2]}%`);
    });
  });
}

check('next and previous go from match to match', async ({ page, open }) => {
  await open('/flame?q=mallocgc');
  await page.getByRole('button', { name: 'Next match' }).waitFor();
  const step = async (/** @type {string} */ name) => {
    const before = await details(page).catch(() => '');
    await page.getByRole('button', { name }).click();
    await eventually(async () => {
      assert.notEqual(await details(page), before);
      assert.match(await details(page), /mallocgc/);
    });
    return (await details(page)).split('\n')[0];
  };
  const first = await step('Next match');
  assert.notEqual(first, '');
  await step('Next match');
  // Its file comes a moment after its name.
  await page.getByRole('button', { name: 'Previous match' }).click();
  await eventually(async () => assert.equal((await details(page)).split('\n')[0], first));
});

check('what can be no pattern is searched for as it stands', async ({ page, open }) => {
  await open('/flame');
  const result = async (/** @type {string} */ text) => {
    await page.getByRole('searchbox').fill(text);
    let shown = '';
    await eventually(async () => {
      assert.equal(new URL(page.url()).searchParams.get('q'), text);
      shown = await page.locator('#search-result').innerText();
      assert.notEqual(shown, '');
    });
    return shown;
  };
  for (const [text, reason] of [['(x', 'missing )'], ['[a', 'missing ]'], ['*x', 'nothing to repeat'], ['(?=a)', 'lookaround']]) {
    await eventually(async () => assert.ok((await result(String(text))).startsWith(`no match as text: ${reason}`)));
  }
  await eventually(async () => assert.match(await result('ADDLINE'), /^no match$/));
  await eventually(async () => assert.match(await result('addline'), /%/));
  await eventually(async () => assert.match(await result('(*'), /%/));
});

check.core('inverted, flipped and collapsed are in the address', async ({ page, open }) => {
  await open('/flame');
  for (const [name, parameter] of [['Inverted', 'inverted=1'], ['Flip', 'flip=1'], ['Collapse', 'collapse=1']]) {
    const button = page.getByRole('button', { name, exact: true });
    await button.click();
    await eventually(() => assert.ok(page.url().includes(String(parameter))));
    await settled(page);
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await page.reload();
    await settled(page);
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await button.click();
    await eventually(() => assert.ok(!page.url().includes(String(parameter))));
  }
});

check('inverted has the hottest leaf at the root', async ({ page, open }) => {
  await open('/flame?inverted=1');
  const { nodes } = await nodesOf(page);
  const roots = nodes.filter((n) => n.depth === 1).sort((a, b) => b.total - a.total);
  const top = hone('pprof', '-top', '-nodecount=1', wordindex).trim().split('\n').at(-1)?.trim().split(/\s+/)[5];
  assert.equal(roots[0]?.name, top);
});

check('a pivot has callers above and callees below', async ({ page, open }) => {
  await open('/flame?pivot=runtime.mallocgc');
  const labels = await page.locator('canvas.flame-overlay').evaluateAll((all) => all.map((c) => c.getAttribute('aria-label')));
  assert.deepEqual(labels, ['Callers, as a flame graph', 'Callees, as a flame graph']);
  await page.getByText('Callers and callees of').waitFor();
  await page.getByRole('button', { name: 'Leave' }).click();
  await eventually(() => assert.ok(!page.url().includes('pivot=')));
});

check('colours follow what is chosen', async ({ page, open }) => {
  await open('/flame');
  const pixels = async () => (await graphOf(page).screenshot()).toString('base64');
  const seen = new Set([await pixels()]);
  const choose = page.locator('.flame-tools button[aria-haspopup="menu"]:visible');
  for (const name of ['Module', 'Self']) {
    await choose.click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${name}`) }).click();
    await page.mouse.move(0, 0);
    await eventually(async () => {
      const now = await pixels();
      assert.ok(!seen.has(now), `${name} looks like another`);
      seen.add(now);
    });
  }
  await eventually(() => assert.match(page.url(), /color=self/));
});

check.core('the menu of a frame filters by it', async ({ page, open }) => {
  await open('/flame');
  const { nodes, total } = await nodesOf(page);
  const { x, y } = await hover(page, widest(nodes, 'main.addLine'), total);
  await page.mouse.click(x, y, { button: 'right' });
  await page.getByRole('menuitem', { name: /^Focus/ }).click();
  await eventually(() => assert.match(page.url(), /focus=/));
  await settled(page);
  await page.locator('.chip').filter({ hasText: 'addLine' }).first().waitFor();
});

const recursive = suite([recursion]);

recursive('collapse makes direct recursion one frame', async ({ page, open }) => {
  await open('/flame');
  const before = await nodesOf(page);
  await page.getByRole('button', { name: 'Collapse', exact: true }).click();
  await settled(page);
  const after = await nodesOf(page);
  assert.ok(after.height < before.height, `${after.height} levels, ${before.height} before`);
  assert.equal(after.total, before.total);
});

const compared = suite(['-diff_base', wordindex, tuned]);

compared.core('a comparison tells both values of a frame, and is coloured by change', async ({ page, open }) => {
  await open('/flame');
  const { nodes, total } = await nodesOf(page);
  const node = nodes.filter((n) => n.depth > 0).sort((a, b) => b.total - a.total)[0];
  assert.ok(node);
  await hover(page, node, total);
  assert.match(await details(page), /→|->/);
  assert.match(await page.locator('.flame-tools').innerText(), /Colour\s+Change/);
});

/**
 * How often the colour changes below a frame's name, from its left edge to its right one.
 * @param {Page} page
 * @param {Node} node
 * @param {{ x: number, y: number }} at a point of it
 */
async function stripes(page, node, at) {
  const { from, to } = await windowOf(page);
  return page.locator('canvas.flame-overlay').first().evaluate((overlay, { left, right, y }) => {
    const canvas = /** @type {HTMLCanvasElement} */ (overlay.parentElement?.querySelector('canvas:not(.flame-overlay)'));
    const { width, height } = canvas;
    const top = (y - canvas.getBoundingClientRect().top) * (height / canvas.clientHeight);
    const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const row = Math.floor(top / 20) * 20 + 17; // below the letters
    const pixels = c.getImageData(Math.ceil(left * width) + 4, row, Math.floor((right - left) * width) - 8, 1).data;
    let changes = 0;
    for (let i = 4; i < pixels.length; i += 4) if (Math.abs(Number(pixels[i]) - Number(pixels[i - 4])) > 6) changes++;
    return changes / (pixels.length / 4);
  }, { left: (node.from - from) / (to - from), right: (node.from + node.total - from) / (to - from), y: at.y });
}

compared('what is gone is drawn hatched, and each side alone in a link', async ({ page, open }) => {
  await open('/flame');
  await page.keyboard.press('y'); // all code
  await settled(page);
  const both = await nodesOf(page);
  const gone = both.nodes.filter((n) => n.head === 0 && n.base > 0).sort((a, b) => b.total - a.total)[0];
  const kept = both.nodes.filter((n) => n.head > 0 && n.base > 0 && n.depth > 0).sort((a, b) => b.total - a.total)[0];
  assert.ok(gone && kept && gone.total > both.total / 50, 'nothing of any width is gone');
  const isShown = async (/** @type {string} */ name, /** @type {number} */ end) => {
    const button = page.getByRole('group', { name: 'Widths' }).getByRole('button', { name, exact: true });
    await eventually(async () => assert.equal(await button.getAttribute('aria-pressed'), 'true'));
    await settled(page);
    await eventually(async () => assert.deepEqual(await windowOf(page), { from: 0, to: end }));
  };
  await isShown('Both', both.total);
  const at = await hover(page, gone, both.total);
  assert.match(await details(page), /→ 0.*gone/);
  const hatched = await stripes(page, gone, at);
  assert.ok(hatched > 0.2, `${gone.name}: the colour changes at ${hatched} of the pixels`);
  const plain = await stripes(page, kept, await hover(page, kept, both.total));
  assert.ok(plain < 0.02, `${kept.name}: the colour changes at ${plain} of the pixels`);

  /** @param {'After' | 'Before' | 'Both'} side */
  const choose = (side) => page.getByRole('group', { name: 'Widths' }).getByRole('button', { name: side, exact: true }).click();
  await choose('After');
  await eventually(() => assert.match(page.url(), /widths=head/));
  const after = await nodesOf(page);
  await isShown('After', after.total);
  assert.ok(after.nodes.every((n) => n.id !== gone.id), 'what is gone has a width after');

  await choose('Before');
  await eventually(() => assert.match(page.url(), /widths=base/));
  const before = await nodesOf(page);
  await isShown('Before', before.total);
  const there = before.nodes.find((n) => n.id === gone.id);
  assert.ok(there, 'what is gone was there before');
  await hover(page, there, before.total);
  await page.reload();
  await settled(page);
  await isShown('Before', before.total);

  await choose('Both');
  await eventually(() => assert.ok(!page.url().includes('widths')));
  await isShown('Both', both.total);
});
