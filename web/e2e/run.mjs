// @ts-check
// Runs the tests in a browser: `npm run e2e [-- FILE…]`.
//
//   HONE_BIN       the binary to test, instead of building one
//   E2E_BROWSER    chromium, or firefox: tests of what its protocol doesn't have are skipped there
//   CHROMIUM       the browser, or FIREFOX
//   E2E_PICTURES   a folder for pictures of pages where a test failed
//   E2E_JOBS       files of tests at once (2)
//   E2E_PART       core or rest: see page.mjs
//
// HONE_E2E_CLICKHOUSE is a server of ClickHouse, HOST:PORT, for what `hone serve` keeps.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFirefox } from './browser.mjs';
import { findChromium } from './chromium.mjs';
import { findFirefox } from './firefox.mjs';
import { buildHone } from './hone.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** The files of tests, those with none of the core apart if it alone is asked for. */
function testFiles() {
  const all = readdirSync(here).filter((name) => name.endsWith('.test.mjs')).map((name) => join(here, name));
  const core = inFirefox ? /\.(core|axe)\(/ : /\.core\(/;
  return process.env['E2E_PART'] === 'core' ? all.filter((name) => core.test(readFileSync(name, 'utf8'))) : all;
}

/** @param {string[]} args of node --test: names of test files and its flags */
function run(args) {
  const browser = inFirefox ? { FIREFOX: findFirefox() } : { CHROMIUM: findChromium() };
  const folder = mkdtempSync(join(tmpdir(), 'hone-e2e-'));
  try {
    const binary = process.env['HONE_BIN'] || buildHone(folder);
    const named = args.filter((arg) => !arg.startsWith('-'));
    const files = named.length ? named : testFiles();
    const flags = args.filter((arg) => arg.startsWith('-'));
    const jobs = process.env['E2E_JOBS'] ?? '2';
    const { status } = spawnSync(
      process.execPath,
      ['--test', `--test-concurrency=${jobs}`, '--test-reporter=spec', ...flags, ...files],
      { stdio: 'inherit', env: { ...process.env, HONE_BIN: binary, ...browser } },
    );
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (err) {
  console.error(`e2e: ${err instanceof Error ? err.message : err}`);
  process.exitCode = 1;
}
