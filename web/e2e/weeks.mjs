// @ts-check
// A server with the history of three services: three weeks, five versions of each.
// bench/fleet makes it and says what is in it. By hand:
//
//   node web/e2e/weeks.mjs [PORT]
//
// starts the server, prints its address and runs until ^C. HONE_BIN is the binary to
// run, instead of building one.

import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { buildHone, root, temporaryFolder } from './hone.mjs';
import { serveStore } from './store.mjs';

/** Builds what makes the history. */
export function buildFleet() {
  const program = join(temporaryFolder('weeks'), process.platform === 'win32' ? 'fleet.exe' : 'fleet');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-o', program, './bench/fleet'], { cwd: root, stdio: 'inherit' });
  return program;
}

/**
 * @param {Parameters<typeof serveStore>[0] & { end?: string, days?: number, token?: string }} [how] end: when the history ends, as
 * 2006-01-02T15:04:05Z; days: its length; token: one that may write
 */
export async function weeks({ end = '', days = 21, token = '', ...how } = {}) {
  const program = buildFleet();
  const server = await serveStore(how);
  try {
    await promisify(execFile)(program, ['-server', server.url, '-end', end, '-days', String(days), '-token', token]);
  } catch (err) {
    await server.stop();
    throw err;
  }
  return server;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.env['HONE_BIN'] ||= buildHone(temporaryFolder('hone'));
  const server = await weeks({ port: Number(process.argv[2] ?? 0) });
  console.log(`Three weeks of three services: ${server.url}/ (^C ends it)`);
  setInterval(() => {}, 3_600_000); // the server alone doesn't keep this process running
  process.once('SIGINT', () => void server.stop().then(() => process.exit(0)));
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
}
