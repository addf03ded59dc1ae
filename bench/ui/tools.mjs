// @ts-check
// The tools that are compared: how each is started on a profile, and how to
// tell that its flame graph is drawn.

import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildHone, root, startServer } from '../../web/e2e/hone.mjs';

const SPEEDSCOPE = 'speedscope@1.25.0';

/**
 * @typedef {object} Running
 * @property {string} url of the flame graph
 * @property {number} [pid] of the server, if it works for the page
 * @property {() => Promise<void>} stop
 *
 * @typedef {object} Tool
 * @property {string} name
 * @property {(profile: string) => Promise<Running>} start ends when the server can be asked
 * @property {() => boolean | string} drawn runs in the page: whether the flame graph is, or what went wrong
 * @property {boolean} webgl whether it draws with WebGL, which the browser then has to imitate
 * @property {boolean} moves whether its flame graph can be zoomed and panned step by step
 */

/** @param {string} folder @returns {Tool} */
export function hone(folder) {
  const binary = process.env['HONE_BIN'] || buildHone(folder);
  return {
    name: 'hone ui',
    async start(profile) {
      const { log, pid, stop } = await startServer(binary, ['ui', '-no_browser', '-http=localhost:0', profile], { seconds: 120 });
      const url = /Serving on (\S+);/.exec(log())?.[1]; // what hone ui opens in the browser
      if (!url) throw new Error(`hone ui printed no address:\n${log()}`);
      return { url, pid, stop };
    },
    drawn: () => document.querySelector('[data-ready="true"] canvas, canvas[data-ready="true"]') !== null,
    webgl: false,
    moves: true,
  };
}

/** @param {string} folder @returns {Tool} */
export function pprof(folder) {
  const binary = join(folder, 'pprof');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-o', binary, 'cmd/pprof'], { cwd: root, stdio: 'inherit' });
  return {
    name: 'go tool pprof',
    async start(profile) {
      const args = ['-no_browser', '-http=localhost:', profile]; // no port: a free one
      const { url, pid, stop } = await startServer(binary, args, { seconds: 120 });
      return { url: `${url}/flamegraph`, pid, stop };
    },
    drawn: () => document.querySelectorAll('#stack-chart .boxbg').length > 1,
    webgl: false,
    moves: false,
  };
}

/** @param {string} folder @returns {Tool} */
export function speedscope(folder) {
  const page = join(folder, 'node_modules', 'speedscope', 'dist', 'release');
  if (!existsSync(page)) {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, SPEEDSCOPE], { stdio: 'inherit' });
  }
  return {
    name: SPEEDSCOPE,
    async start(profile) {
      const { url, stop } = await servePage(page, profile);
      return { url: `${url}/index.html#profileURL=/profile&view=left-heavy`, stop };
    },
    drawn: () => {
      const text = document.body.innerText;
      if (/Something went wrong/i.test(text)) return text.trim().slice(0, 300);
      // The switch of views is there once a profile is.
      return /Left Heavy/.test(text) && document.querySelector('canvas') !== null;
    },
    webgl: true,
    moves: true,
  };
}

/** @type {Record<string, string>} */
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png', '.wasm': 'application/wasm' };

/**
 * Serves a folder as a web server would, compressed, and the profile beside it.
 * @param {string} folder
 * @param {string} profile
 */
async function servePage(folder, profile) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/profile') {
      response.setHeader('Content-Length', statSync(profile).size);
      createReadStream(profile).pipe(response);
      return;
    }
    const file = join(folder, normalize(path));
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    response.setHeader('Content-Encoding', 'gzip');
    response.end(gzipSync(readFileSync(file)));
  });
  await new Promise((resolve) => server.listen(0, 'localhost', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://localhost:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
