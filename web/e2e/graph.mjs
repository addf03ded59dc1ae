// @ts-check
// Frames of the flame graph, which is a picture: where they are, and what is said of them.

import assert from 'node:assert/strict';

/** @typedef {import('./page.mjs').Page} Page */

/**
 * @typedef {object} Node
 * @property {string} name
 * @property {number} id
 * @property {number} depth
 * @property {number} from
 * @property {number} total what it is as wide as
 * @property {number} head
 * @property {number} base
 */

/**
 * The nodes of the flame graph shown as the server tells them, with their places.
 * @param {Page} page
 */
export async function nodesOf(page) {
  return page.evaluate(async () => {
    const query = new URLSearchParams(location.search);
    for (const own of ['zoom', 'q', 'fn', 'flip', 'color']) query.delete(own);
    if (query.has('base') && !query.has('mine')) query.set('mine', 'auto');
    if (query.get('mine') === 'false') query.delete('mine');
    query.set('width', '4000');
    const { report } = await (await fetch(`/api/v1/report/flame?${query}`)).json();
    const { id, depth, frame, gap, total: head, baseTotal: base, width: total = head } = report.nodes;
    /** @type {Node[]} */
    const nodes = [];
    /** @type {number[]} */
    const ends = []; // of the last node of each depth
    id.forEach((/** @type {number} */ n, /** @type {number} */ i) => {
      const from = (ends[depth[i]] ?? 0) + gap[i] * report.scale;
      nodes.push({
        id: n, depth: depth[i], from, total: total[i] * report.scale, head: head[i], base: base?.[i],
        name: report.frames.name[frame[i]] ?? 'root',
      });
      ends[depth[i]] = from + total[i] * report.scale;
      ends[depth[i] + 1] = from; // children begin where it does
      ends.length = depth[i] + 2;
    });
    return { nodes, total: total[0] * report.scale, height: Number(report.height) };
  });
}

/** @param {Page} page */
export const graphOf = (page) => page.locator('.flame-graph').first();

/** @param {Page} page */
export async function windowOf(page) {
  const graph = graphOf(page);
  return { from: Number(await graph.getAttribute('data-from')), to: Number(await graph.getAttribute('data-to')) };
}

/** Text of the line about the frame under the pointer, in focus, or zoomed to. @param {Page} page */
export const details = (page) => page.locator('[data-part="details"]').innerText();

/**
 * Moves the pointer over a frame and returns where that is.
 * @param {Page} page
 * @param {Node} node
 * @param {number} total of the root
 */
export async function hover(page, node, total) {
  const canvas = page.locator('canvas.flame-overlay').first();
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await canvas.boundingBox());
  const { from, to } = await windowOf(page);
  const span = (to - from) * (to > 1 ? 1 : total);
  const start = from * (to > 1 ? 1 : total);
  const x = box.x + ((node.from + node.total / 2 - start) / span) * box.width;
  for (let y = box.y + 3; y < box.y + box.height; y += 6) {
    await page.mouse.move(x, y);
    const text = (await page.locator('[data-part="details"]').count()) ? await details(page) : '';
    if (text.startsWith(node.name)) return { x, y };
  }
  throw new Error(`no frame ${node.name} at ${x}`);
}

/** @param {readonly Node[]} nodes @param {string} name */
export function widest(nodes, name) {
  const found = nodes.filter((n) => n.name === name).sort((a, b) => b.total - a.total)[0];
  assert.ok(found, `no ${name}`);
  return found;
}
