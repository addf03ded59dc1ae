// @ts-check
// Opens a profile of a million stacks, zooms and pans in it: how long until it
// is drawn, how long the page works for each frame, how much memory it takes.
//
//   go run ./bench/gen -samples 1150000 -locations 400000 -functions 40000 -depth 25 -o out/million.pb.gz
//   node bench/ui/million.mjs [--runs 3] [--only hone,pprof,speedscope] [--json FILE] out/million.pb.gz

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launch } from '../../web/e2e/chromium.mjs';
import { temporaryFolder } from '../../web/e2e/hone.mjs';
import { VIEWPORT, end, frames, median, memory, open, quantile, resident, size, table, time } from './measure.mjs';
import { hone, pprof, speedscope } from './tools.mjs';

const { values: flags, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: 'hone,pprof,speedscope' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});
const profile = positionals[0];
if (!profile) throw new Error('want a profile');

const SECONDS = 120; // to wait for a drawing at most
const STEPS = 60; // of the wheel, each way
const PACE = 16; // ms between steps: about one a frame

const folder = temporaryFolder('bench-ui');
const makers = { hone, pprof, speedscope };
const tools = flags.only.split(',').map((name) => makers[/** @type {keyof typeof makers} */ (name)](folder));

/**
 * Zooms in with the wheel about a place a third across, pans right, down, left and
 * up, and zooms out again. Events come at their pace, whether the page keeps up or not.
 * @param {import('../../web/e2e/page.mjs').Page} page
 * @param {import('../../web/e2e/page.mjs').CDPSession} session
 */
async function moveAbout(page, session) {
  const box = await page.locator('canvas').last().boundingBox();
  const area = box && box.height > 200 ? box : { x: 0, y: 0, ...VIEWPORT };
  const at = { x: area.x + area.width / 3, y: area.y + area.height / 4 };
  await page.mouse.move(at.x, at.y);
  const CONTROL = 2;
  /** @type {Promise<unknown>[]} */
  const taken = [];
  const turn = async (/** @type {number} */ deltaX, /** @type {number} */ deltaY, modifiers = 0) => {
    for (let i = 0; i < STEPS; i++) {
      taken.push(session.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...at, deltaX, deltaY, modifiers }));
      await new Promise((resolve) => setTimeout(resolve, PACE));
    }
  };
  await turn(0, -40, CONTROL);
  await turn(40, 0);
  await turn(0, 20);
  await turn(-40, 0);
  await turn(0, -20);
  await turn(0, 40, CONTROL);
  await Promise.all(taken);
}

/**
 * @typedef {object} Run
 * @property {string} [failed] why it has no figures
 * @property {number} after ms until it failed
 * @property {number} drawn ms from the start of navigation
 * @property {number} bytes over the wire until then
 * @property {number} server bytes of memory of the tool's process
 * @property {{ heap: number, resident: number }} opened memory of the tab
 * @property {{ heap: number, resident: number }} moved memory of the tab after moving about
 * @property {number[]} work ms of the main thread for each frame that had any
 * @property {number[]} intervals ms between frames
 */

/** @param {import('./tools.mjs').Tool} tool @returns {Promise<Partial<Run>>} */
async function once(tool) {
  const browser = await launch({ webgl: tool.webgl });
  const began = performance.now();
  try {
    const running = await tool.start(String(profile));
    try {
      const { page, session, drawn, bytes } = await open(browser, tool, running.url, SECONDS);
      const opened = await memory(browser, session);
      /** @type {Partial<Run>} */
      const run = { drawn, bytes, opened, server: running.pid ? resident(running.pid) : 0 };
      if (!tool.moves) return run;
      await page.waitForTimeout(1000); // what it still does on its own is over
      const { work, intervals } = await frames(browser, page, () => moveAbout(page, session));
      return { ...run, work, intervals, moved: await memory(browser, session) };
    } finally {
      await running.stop();
    }
  } catch (err) {
    return { failed: err instanceof Error ? err.message : String(err), after: performance.now() - began };
  } finally {
    await end(browser);
  }
}

/** @type {{ tool: string, runs: Partial<Run>[] }[]} */
const results = tools.map((tool) => ({ tool: tool.name, runs: [] }));
for (let i = 0; i < Number(flags.runs); i++) {
  for (const [t, tool] of tools.entries()) {
    const run = await once(tool);
    results[t]?.runs.push(run);
    process.stderr.write(run.failed ? `${tool.name} failed after ${time(run.after ?? 0)}: ${run.failed}\n` : '.');
  }
}
process.stderr.write('\n');

/** @param {Partial<Run>[]} runs */
function row(runs) {
  const good = runs.filter((run) => run.failed === undefined);
  const failed = runs.find((run) => run.failed !== undefined);
  const note = failed ? `${runs.length - good.length} of ${runs.length} failed: ${failed.failed} (${time(failed.after ?? 0)})` : '';
  if (!good.length) return [...new Array(9).fill('–'), note];
  /** @param {(run: Run) => number} get */
  const middle = (get) => median(good.map((run) => get(/** @type {Run} */ (run))));
  const work = good.flatMap((run) => run.work ?? []).filter((ms) => ms > 0);
  const late = good.flatMap((run) => run.intervals ?? []);
  const share = late.filter((ms) => ms > 25).length / late.length;
  const worked = (/** @type {number} */ q) => (work.length ? time(quantile(work, q)) : '–');
  return [
    size(middle((run) => run.bytes)),
    time(middle((run) => run.drawn)),
    worked(0.5),
    worked(0.95),
    worked(0.99),
    late.length ? `${(share * 100).toFixed(1)} %` : '–',
    size(middle((run) => run.opened.heap)),
    size(middle((run) => run.opened.resident)) + (good[0]?.moved ? `, ${size(middle((run) => run.moved.resident))} moved` : ''),
    size(middle((run) => run.server)),
    note,
  ];
}

console.log(
  table([
    ['tool', 'transferred', 'drawn', 'work a frame', 'p95', 'p99', 'frames late', 'heap', "tab's memory", "server's memory", 'notes'],
    ...results.map(({ tool, runs }) => [tool, ...row(runs)]),
  ]),
);
console.log(`\nMedians of ${flags.runs} runs in turn. Work: of the page's main thread, for frames with any. Late: more than 25 ms after the last.`);
if (flags.json) writeFileSync(flags.json, JSON.stringify({ profile, results }, null, 1));
