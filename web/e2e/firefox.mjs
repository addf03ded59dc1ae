// @ts-check
// Finds and starts Firefox as its makers ship it. It is driven by WebDriver BiDi.

import { firefox } from 'playwright-core';
import { install, installed, named } from './finding.mjs';

/** @typedef {import('playwright-core').BrowserContextOptions} ContextOptions */

const NAMES = ['firefox-esr', 'firefox'];
const PLACES = ['/Applications/Firefox.app/Contents/MacOS/firefox'];

/** The path of Firefox: $FIREFOX, one on the PATH, or one installed now. */
export function findFirefox() {
  const chosen = named('FIREFOX');
  if (chosen) return chosen;
  if (!installed(NAMES, PLACES)) install('firefox-esr');
  const found = installed(NAMES, PLACES);
  if (!found) throw new Error(`no Firefox: install it, or set FIREFOX to its path (looked for ${NAMES.join(', ')})`);
  return found;
}

/**
 * Starts the browser without a window. What a page asks of the user's settings is one of a browser, not of a context.
 * @param {Pick<ContextOptions, 'colorScheme' | 'reducedMotion' | 'forcedColors'>} media
 */
export const launch = ({ colorScheme, reducedMotion, forcedColors } = {}) => firefox.launch({
  executablePath: findFirefox(),
  channel: 'moz-firefox', // not the one that Playwright's makers build
  firefoxUserPrefs: {
    'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
    'ui.prefersReducedMotion': reducedMotion === 'reduce' ? 1 : 0,
    'browser.display.document_color_use': forcedColors === 'active' ? 2 : 1,
    'dom.events.testing.asyncClipboard': true, // what was copied is read without asking the user
  },
});
