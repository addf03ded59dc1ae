// @ts-check
// Finds the browser that the tests and measurements drive.

import { chromium } from 'playwright-core';
import { install, installed, named } from './finding.mjs';

/** Without the browser's window and services, it takes half the processor time. */
const SHELL = 'chromium-headless-shell';
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/**
 * The path of Chromium: $CHROMIUM, one on the PATH, or one installed now. A
 * browser that is missing is an error, for a test that is skipped proves nothing.
 */
export function findChromium() {
  const chosen = named('CHROMIUM');
  if (chosen) return chosen;
  let found = installed(NAMES, PLACES);
  if (!found || (process.env['CI'] && !installed([SHELL]))) {
    install(SHELL);
    found = installed(NAMES, PLACES);
  }
  if (!found) throw new Error(`no Chromium: install it, or set CHROMIUM to its path (looked for ${NAMES.join(', ')})`);
  return found;
}

/** Flags that keep Chromium from talking to anybody but hone. */
const QUIET = [
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--no-default-browser-check',
];

/**
 * Starts the browser without a window. WebGL, which hone does not use but other
 * tools do, is drawn by the processor and takes much of it.
 * @param {{ webgl?: boolean, args?: string[] }} [options]
 */
export async function launch({ webgl = true, args = [] } = {}) {
  const graphics = webgl ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'] : ['--disable-gpu', '--disable-3d-apis'];
  // Chromium's sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({
    executablePath: findChromium(),
    args: [...QUIET, ...graphics, ...sandbox, ...args],
  });
}
