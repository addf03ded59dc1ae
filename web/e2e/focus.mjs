// @ts-check
// The way of the tab key through a page.

import assert from 'node:assert/strict';

/** @typedef {import('playwright-core').Page} Page */

/** What has the focus: role and name, as far as they can be told. @param {Page} page */
export const focused = (page) =>
  page.evaluate(() => {
    const el = document.activeElement;
    return `${el?.getAttribute('role') ?? el?.nodeName.toLowerCase()} `
      + `${el?.getAttribute('aria-label') ?? el?.textContent?.trim().slice(0, 40)}`;
  });

/**
 * Presses Tab until something has the focus. Whatever has it on the way can be seen and shows it.
 * @param {Page} page
 * @param {RegExp} what by role and name, as of focused
 * @param {number} [most] stops on the way
 */
export async function tabTo(page, what, most = 60) {
  /** @type {string[]} */
  const stops = [];
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    stops.push(stop);
    if (stop.startsWith('body')) { // at the end
      if (what.test(stop)) return;
      break;
    }
    const seen = await page.evaluate(() => {
      const el = /** @type {Element} */ (document.activeElement);
      const { left, top, right, bottom, width, height } = el.getBoundingClientRect();
      const inside = width > 0 && height > 0 && left < innerWidth && right > 0 && top < innerHeight && bottom > 0;
      return el.matches(':focus-visible') && inside;
    });
    assert.ok(seen, `the focus can't be seen on ${stop}`);
    if (what.test(stop)) return;
  }
  assert.fail(`the tab key does not lead to ${what}: ${stops.join(' | ')}`);
}
