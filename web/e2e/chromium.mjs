// @ts-check
// Finds the browser that the tests and measurements drive.

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** Without the browser's window and services, it takes half the processor time. */
const SHELL = 'chromium-headless-shell';
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PLACES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns {string | undefined} */
function installed(names = NAMES) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES].find(isExecutable);
}

/** Debian's package, where this may be done without asking: as root, which is a container. */
function install() {
  if (process.getuid?.() !== 0) return;
  const options = /** @type {const} */ ({ stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (spawnSync('apt-get', ['update', '-qq'], options).status !== 0) return;
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', SHELL, 'fonts-dejavu-core'], options);
}

/**
 * The path of Chromium: $CHROMIUM, one on the PATH, or one installed now. A
 * browser that is missing is an error, for a test that is skipped proves nothing.
 */
export function findChromium() {
  const named = process.env['CHROMIUM'];
  if (named) {
    if (!isExecutable(named)) throw new Error(`CHROMIUM=${named} can't be run`);
    return named;
  }
  let found = installed();
  if (!found || (process.env['CI'] && !installed([SHELL]))) {
    install();
    found = installed();
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
