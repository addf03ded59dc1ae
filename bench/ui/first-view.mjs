// @ts-check
// How long, and how many bytes, until the first flame graph of a profile is drawn.
//
//   node bench/ui/first-view.mjs [--runs 7] [--only hone,pprof,speedscope] [--json FILE] PROFILE

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launch } from '../../web/e2e/chromium.mjs';
import { temporaryFolder } from '../../web/e2e/hone.mjs';
import { end, median, open, resident, size, table, time } from './measure.mjs';
import { hone, pprof, speedscope } from './tools.mjs';

const { values: flags, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    only: { type: 'string', default: 'hone,pprof,speedscope' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});
const profile = positionals[0];
if (!profile) throw new Error('want a profile');

const SECONDS = 120; // to wait for a drawing at most

const folder = temporaryFolder('bench-ui');
const makers = { hone, pprof, speedscope };
const tools = flags.only.split(',').map((name) => makers[/** @type {keyof typeof makers} */ (name)](folder));

/**
 * @typedef {object} Run
 * @property {number} drawn ms from the start of navigation
 * @property {number} fromStart ms from the start of the tool's process
 * @property {number} bytes over the wire until then
 * @property {number} requests until then
 * @property {number} server bytes of memory of the tool's process then
 */

/** @param {import('./tools.mjs').Tool} tool @returns {Promise<Run>} */
async function once(tool) {
  const browser = await launch({ webgl: tool.webgl }); // one of its own: nothing is warm but the disk
  try {
    const began = performance.now();
    const running = await tool.start(String(profile));
    const listens = performance.now() - began;
    try {
      const { drawn, bytes, requests } = await open(browser, tool, running.url, SECONDS);
      return { drawn, fromStart: listens + drawn, bytes, requests, server: running.pid ? resident(running.pid) : 0 };
    } finally {
      await running.stop();
    }
  } finally {
    await end(browser);
  }
}

/** @type {{ tool: string, runs: Run[] }[]} */
const results = tools.map((tool) => ({ tool: tool.name, runs: [] }));
for (let i = 0; i < Number(flags.runs); i++) {
  // In turn, so that whatever else the machine does hits all alike.
  for (const [t, tool] of tools.entries()) {
    results[t]?.runs.push(await once(tool));
    process.stderr.write('.');
  }
}
process.stderr.write('\n');

/** @param {Run[]} runs @param {keyof Run} key */
const middle = (runs, key) => median(runs.map((run) => run[key]));
const first = results[0]?.runs ?? [];
/** @param {Run[]} runs @param {keyof Run} key @param {(n: number) => string} print */
const cell = (runs, key, print) => {
  const value = middle(runs, key);
  const ratio = value / middle(first, key);
  return print(value) + (runs === first || !ratio ? '' : ` (${ratio.toFixed(ratio < 10 ? 1 : 0)}×)`);
};
console.log(
  table([
    ['tool', 'transferred', 'requests', 'drawn after navigation', 'drawn after start', "server's memory"],
    ...results.map(({ tool, runs }) => [
      tool,
      cell(runs, 'bytes', size),
      String(middle(runs, 'requests')),
      cell(runs, 'drawn', time),
      cell(runs, 'fromStart', time),
      cell(runs, 'server', size),
    ]),
  ]),
);
console.log(`\nMedians of ${flags.runs} runs in turn; in brackets the multiple of the first row.`);
if (flags.json) writeFileSync(flags.json, JSON.stringify({ profile, results }, null, 1));
