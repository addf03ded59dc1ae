// @ts-check
// A server with the history of three services, and the regressions that hone finds in it. The server
// looks for new versions every five minutes, so that a test can't wait for it: `hone regressions` finds
// them in the store, and they are written where the server keeps them. By hand:
//
//   node web/e2e/regressed.mjs [PORT [DAYS]]

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { buildHone, hone, honeBinary, startServer, temporaryFolder } from './hone.mjs';
import { buildFleet } from './weeks.mjs';

const NS = 1e6; // of a ms

/**
 * As the server keeps a regression: internal/regress/state.go.
 * @param {any} r as the API has it
 */
function entry(r) {
  const time = (/** @type {string} */ sel, /** @type {string} */ name) =>
    Number(new URLSearchParams(sel.replace('sel:', '')).get(name)) * NS;
  const { base, head, reason: _, acknowledged: __, ...rest } = r;
  return {
    ...rest, since: r.since * NS, found: r.found * NS, resolved: 0,
    from: time(base, 'from'), middle: time(base, 'to'), to: time(head, 'to'),
  };
}

/**
 * @param {{ days?: number, port?: number, config?: string, change?: (all: any[]) => any[] }} [how] days: of history; config: settings of
 * the file; change: changes what the server keeps
 */
export async function regressed({ days = 9, port = 0, config = '', change = (all) => all } = {}) {
  const fleet = buildFleet();
  const folder = mkdtempSync(join(tmpdir(), 'hone-regressed-'));
  const data = join(folder, 'data');
  const file = join(folder, 'hone-serve.toml');
  writeFileSync(file, config);
  const start = (/** @type {number} */ at) =>
    startServer(honeBinary(), ['serve', '-listen', `127.0.0.1:${at}`, '-data', data, '-config', file], { cwd: folder, seconds: 60 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const source = await start(0);
    try {
      await promisify(execFile)(fleet, ['-server', source.url, '-days', String(days)]);
    } finally {
      await source.stop();
    }
    const { regressions } = JSON.parse(hone('regressions', '-json', '-from', `${24 * days}h`, data));
    const now = Math.floor(Date.now() / 1000) * 1000 * NS;
    /** @type {Record<string, number>} */
    const compared = {};
    for (const service of ['shop', 'search', 'ledger']) for (const kind of ['cpu', 'heap']) compared[`${service}\0${kind}`] = now;
    const kept = { version: 1, regressions: change(regressions.map(entry)), compared };
    writeFileSync(join(data, 'regressions.json'), JSON.stringify(kept));
    const server = await start(port);
    return {
      ...server,
      async stop() {
        await server.stop();
        remove();
      },
    };
  } catch (err) {
    remove();
    throw err;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.env['HONE_BIN'] ||= buildHone(temporaryFolder('hone'));
  const server = await regressed({ port: Number(process.argv[2] ?? 0), days: Number(process.argv[3] ?? 21) });
  console.log(`Regressions of three services: ${server.url}/regressions (^C ends it)`);
  setInterval(() => {}, 3_600_000); // the server alone doesn't keep this process running
  process.once('SIGINT', () => void server.stop().then(() => process.exit(0)));
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
}
