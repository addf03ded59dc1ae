// @ts-check
// Runs `hone serve` and programs that its agent profiles.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { honeBinary, root, startServer } from './hone.mjs';

let databases = 0;

/** What tells `hone serve` of a store of its own in ClickHouse, where HONE_E2E_CLICKHOUSE names a server, HOST:PORT. */
function inClickHouse() {
  const server = process.env['HONE_E2E_CLICKHOUSE'];
  if (!server) return [];
  const store = `clickhouse://${server}/e2e_${process.pid}_${databases++}`;
  execFileSync(honeBinary(), ['store', 'create', store], { stdio: 'ignore' });
  return ['-store', store];
}

/**
 * Starts `hone serve` on a free port of loopback, with a store of its own.
 * @param {{ config?: string, prepare?: (data: string) => void, port?: number }} [how] config: settings of the file; prepare: runs before
 * it starts
 */
export async function serveStore({ config = '', prepare, port = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hone-serve-'));
  const data = join(folder, 'data');
  const file = join(folder, 'hone-serve.toml');
  writeFileSync(file, config);
  prepare?.(data);
  const server = await startServer(
    honeBinary(),
    ['serve', '-listen', `127.0.0.1:${port}`, '-data', data, '-config', file, ...inClickHouse()],
    { cwd: folder, seconds: 60 },
  );
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Builds the example that is profiled. @param {string} folder */
export function buildShakespeare(folder) {
  const program = join(folder, process.platform === 'win32' ? 'shakespeare.exe' : 'shakespeare');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-o', program, '.'], { cwd: join(root, 'examples/shakespeare'), stdio: 'inherit' });
  return program;
}

/** @param {string} url @param {string} path */
export const ask = async (url, path) => (await fetch(`${url}/api/v1/${path}`)).json();

/**
 * Runs a version of the example until the server has enough of its CPU time, in ms.
 * @param {string} program @param {string} url @param {string} version @param {number} enough
 */
export async function profiled(program, url, version, enough) {
  const child = spawn(program, ['-version', version, '-rounds', '100000', '-period', '1s', '-hone', url], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    for (const last = Date.now() + 150_000; ; await new Promise((resolve) => setTimeout(resolve, 250))) {
      const query = new URLSearchParams({ q: `cpu{version="${version}"}`, from: '-1h' });
      const { series } = await ask(url, `series?${query}`);
      const heap = await ask(url, `records?${new URLSearchParams({ q: `heap{version="${version}"}` })}`);
      if ((series[0]?.total.value ?? 0) >= enough * 1e6 && series[0].total.profiles >= 3 && heap.id.length > 0) break;
      if (Date.now() > last) throw new Error(`version ${version} of the example sent too little: ${JSON.stringify(series[0]?.total)}`);
      if (child.exitCode !== null) throw new Error(`version ${version} of the example ended with ${child.exitCode}`);
    }
  } finally {
    child.kill('SIGINT'); // it sends what it has
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }
}
