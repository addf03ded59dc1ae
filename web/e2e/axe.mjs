// @ts-check
// No rule of axe is broken.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * @param {import('playwright-core').Page} page
 * @param {{ contrast?: boolean, where?: string }} [how] contrast: that alone, which is all that dark differs in; where: told with
 *   what is found
 */
export async function clean(page, { contrast = false, where = '' } = {}) {
  // Through the debugger, since the policy of pages admits no other script.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate(async (rules) => {
    const { violations } = await /** @type {any} */ (window).axe.run(
      document, { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) },
    );
    return violations.map((/** @type {any} */ v) => {
      const nodes = v.nodes.slice(0, 4).map((/** @type {any} */ n) => `    ${n.target.join(' ')} ${n.any[0]?.message ?? n.failureSummary}`);
      return `${v.id}: ${v.help}\n${nodes.join('\n')}`;
    });
  }, contrast ? ['color-contrast'] : null);
  assert.deepEqual(found, [], where);
}
