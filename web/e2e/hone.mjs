// @ts-check
// Runs hone, the server and the command line, as a user would.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root: profiles are named relative to it. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where output of a hone that is to be stopped is cut. */
const LOG_LIMIT = 64 << 10;

/** Builds hone with web/dist as it is checked in. @param {string} folder */
export function buildHone(folder) {
  const binary = join(folder, process.platform === 'win32' ? 'hone.exe' : 'hone');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-o', binary, './cmd/hone'], { cwd: root, stdio: 'inherit' });
  return binary;
}

/** The binary under test; run.mjs builds it. */
export function honeBinary() {
  const binary = process.env['HONE_BIN'];
  if (!binary) throw new Error('HONE_BIN is not set: start the tests with `npm run e2e`');
  return binary;
}

/** A temporary folder that is gone when the process ends. @param {string} name */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `hone-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** No setting of the user who runs the tests may show in them. @param {string} folder */
function environment(folder) {
  return {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    AppData: join(folder, 'config'),
    PPROF_TMPDIR: join(folder, 'pprof'),
    PPROF_BINARY_PATH: join(folder, 'binaries'),
    TZ: 'UTC',
  };
}

/**
 * What a hone command prints.
 * @param {string[]} args
 * @returns {string}
 */
export function hone(...args) {
  const folder = mkdtempSync(join(tmpdir(), 'hone-cli-'));
  try {
    const { status, stdout, stderr } = spawnSync(honeBinary(), args, {
      cwd: root,
      env: environment(folder),
      encoding: 'utf8',
      maxBuffer: 256 << 20,
    });
    if (status !== 0) throw new Error(`hone ${args.join(' ')}: exit code ${status}\n${stderr}`);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @typedef {object} Server
 * @property {string} url without a slash at the end
 * @property {number} pid
 * @property {() => string} log what it printed so far
 * @property {() => Promise<void>} stop
 */

/**
 * Waits until an address accepts connections: pprof prints it before it listens.
 * @param {string} url
 * @param {number} seconds
 */
async function listening(url, seconds) {
  const { hostname, port } = new URL(url);
  for (const last = Date.now() + seconds * 1000; ; ) {
    const done = await new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (done) return;
    if (Date.now() > last) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Starts a server and waits for the address it prints.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, seconds?: number }} [options]
 * @returns {Promise<Server>}
 */
export async function startServer(command, args, { cwd = root, env = process.env, seconds = 20 } = {}) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${command} printed no address in ${seconds} s:\n${log}`));
    }, seconds * 1000);
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      log = (log + chunk).slice(-LOG_LIMIT);
      const address = /https?:\/\/[\w.[\]:-]+:\d+/.exec(log)?.[0];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${log}`));
    });
  });
  await listening(url, seconds);
  // If a test file fails before it can stop the server, the file ends nevertheless, and the server with it.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) /** @type {import('node:net').Socket} */ (pipe).unref();
  return {
    url,
    pid: /** @type {number} */ (child.pid),
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Starts `hone ui` on a free port of loopback, with settings of its own.
 * @param {string[]} args sources and flags
 * @param {{ command?: string[], cwd?: string }} [options]
 */
export async function serve(args, { command = ['ui'], cwd = root } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hone-ui-'));
  const server = await startServer(honeBinary(), [...command, '-no_browser', '-http=localhost:0', ...args], {
    cwd,
    env: environment(folder),
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
