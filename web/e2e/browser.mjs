// @ts-check
// The browser that the tests drive: Chromium, or Firefox with E2E_BROWSER=firefox.

import * as chromium from './chromium.mjs';
import * as firefox from './firefox.mjs';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').BrowserContextOptions} ContextOptions */

const NAME = process.env['E2E_BROWSER'] || 'chromium';
if (!['chromium', 'firefox'].includes(NAME)) throw new Error(`invalid E2E_BROWSER "${NAME}": use chromium or firefox`);

export const inFirefox = NAME === 'firefox';

/**
 * Browsers that run, by what a page can ask of the user's settings: Chromium pretends that for each profile.
 * @type {Map<string, Promise<Browser>>}
 */
const running = new Map();
let users = 0;

/** Starts the browser, which runs until it is left. */
export function useBrowser() {
  users++;
  browserFor({ colorScheme: 'light' }).catch(() => {}); // whoever opens a page is told
}

/** Leaves the browser, which ends with its last user. */
export async function leaveBrowser() {
  if (--users > 0) return;
  const all = [...running.values()];
  running.clear();
  await Promise.allSettled(all.map(async (browser) => (await browser).close()));
}

/** @param {ContextOptions} options */
function browserFor({ colorScheme, reducedMotion, forcedColors }) {
  const media = inFirefox ? { colorScheme, reducedMotion, forcedColors } : {};
  const key = JSON.stringify(media);
  let browser = running.get(key);
  if (!browser) {
    browser = inFirefox ? firefox.launch(media) : chromium.launch({ webgl: false });
    running.set(key, browser);
  }
  return browser;
}

/**
 * A fresh profile of the browser, without WebGL: hone has to do without.
 * @param {ContextOptions} options
 */
export async function newProfile({ permissions, ...options }) {
  if (options.hasTouch || options.isMobile) needsChromium('touch');
  const browser = await browserFor(options);
  return browser.newContext({ ...options, ...(permissions && !inFirefox ? { permissions } : {}) });
}

/** A test needs what this browser's protocol doesn't have. */
export class CannotRun extends Error {}

/** Ends a test that can't go on in Firefox: it is skipped there. @param {string} what the protocol that drives Firefox doesn't have */
export function needsChromium(what) {
  if (inFirefox) throw new CannotRun(`Firefox's protocol has no ${what}`);
}
