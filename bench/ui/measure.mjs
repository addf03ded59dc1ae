// @ts-check
// What is measured of a page, and how figures are summed up.

import { readFileSync } from 'node:fs';

/** @typedef {import('../../web/e2e/browser.mjs').Browser} Browser */
/** @typedef {import('../../web/e2e/page.mjs').Page} Page */
/** @typedef {import('../../web/e2e/page.mjs').CDPSession} CDPSession */
/** @typedef {import('./tools.mjs').Tool} Tool */

/** Ends a browser even if a tab of it no longer listens. @param {Browser} browser */
export async function end(browser) {
  const patience = new Promise((resolve) => setTimeout(resolve, 10_000).unref());
  await Promise.race([browser.close(), patience]);
}

/** The window all pages get, in CSS pixels. */
export const VIEWPORT = { width: 1440, height: 900 };

/**
 * Notes in the page when the flame graph is drawn: in the first animation frame
 * that finds it there, plus the frame after, when the former was painted.
 * @param {() => boolean | string} drawn
 */
function watchDrawing(drawn) {
  const state = /** @type {any} */ (window);
  const look = () => {
    const found = document.body ? drawn() : false;
    if (found === true) requestAnimationFrame(() => (state.drawnAt = performance.now()));
    else if (typeof found === 'string') state.drawnAt = found;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * Bytes as they went over the wire, headers included, of a page and its workers.
 * @param {CDPSession} session
 */
async function countBytes(session) {
  const count = { bytes: 0, requests: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    count.bytes += encodedDataLength;
    count.requests++;
  });
  await session.send('Network.enable');
  return count;
}

/**
 * @typedef {object} Opened
 * @property {Page} page
 * @property {CDPSession} session
 * @property {number} drawn ms from the start of navigation
 * @property {number} bytes until then
 * @property {number} requests until then
 */

/**
 * Opens an address in a fresh profile of the browser and waits for the drawing.
 * @param {Browser} browser
 * @param {Tool} tool
 * @param {string} url
 * @param {number} seconds to wait at most
 * @returns {Promise<Opened>}
 */
export async function open(browser, tool, url, seconds) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const network = await countBytes(session);
  try {
    /** @type {Promise<never>} */
    const crashed = new Promise((_, reject) => page.on('crash', () => reject(new Error('the tab crashed'))));
    await page.addInitScript({ content: `(${watchDrawing})(${tool.drawn})` });
    const timeout = seconds * 1000;
    const began = performance.now();
    const load = async () => {
      await page.goto(url, { waitUntil: 'commit', timeout });
      const left = timeout - (performance.now() - began);
      const handle = await page.waitForFunction(() => /** @type {any} */ (window).drawnAt, undefined, { timeout: left, polling: 50 });
      return handle.jsonValue();
    };
    const drawn = await Promise.race([load(), crashed]);
    if (typeof drawn !== 'number') throw new Error(String(drawn));
    const { bytes, requests } = network; // those of now: it counts on
    return { page, session, drawn, bytes, requests };
  } catch (err) {
    const why = err instanceof Error ? err.message.split('\n')[0] : String(err);
    throw new Error(`${why} (${size(network.bytes)} loaded)`);
  }
}

/**
 * Resident memory of a process in bytes; 0 where there is no /proc.
 * @param {number} pid
 */
export function resident(pid) {
  try {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Memory of a tab after a collection: the heap of its main thread, and what the
 * process that draws it holds, workers included.
 * @param {Browser} browser
 * @param {CDPSession} session
 */
export async function memory(browser, session) {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find((m) => m.name === 'JSHeapUsedSize')?.value ?? 0;
  const root = await browser.newBrowserCDPSession();
  const { processInfo } = await root.send('SystemInfo.getProcessInfo');
  await root.detach();
  const renderers = processInfo.filter((p) => p.type === 'renderer').map((p) => resident(p.id));
  return { heap, resident: Math.max(0, ...renderers) };
}

/** Kinds of work of the main thread in a trace; what lies within another of these is not counted again. */
const WORK = new Set([
  'EventDispatch', 'FunctionCall', 'EvaluateScript', 'RunMicrotasks', 'FireAnimationFrame', 'TimerFire', 'FireIdleCallback',
  'MinorGC', 'MajorGC', 'HitTest', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize',
]);

/**
 * Does something to a page and tells how long the main thread worked for each
 * frame meanwhile, in ms, and how far apart frames were.
 * @param {Browser} browser
 * @param {Page} page
 * @param {() => Promise<void>} act
 */
export async function frames(browser, page, act) {
  await page.evaluate(() => {
    const state = /** @type {any} */ (window);
    state.frameTimes = [];
    const note = (/** @type {number} */ now) => {
      state.frameTimes.push(now);
      state.frameNote = requestAnimationFrame(note);
    };
    state.frameNote = requestAnimationFrame(note);
  });
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString());
  /** @type {number[]} */
  const times = await page.evaluate(() => {
    const state = /** @type {any} */ (window);
    cancelAnimationFrame(state.frameNote);
    return state.frameTimes;
  });
  const intervals = times.slice(1).map((t, i) => t - /** @type {number} */ (times[i]));
  return { work: workPerFrame(trace.traceEvents), intervals };
}

/**
 * Work for each frame, which ends with the frame's commit to the compositor.
 * @param {any[]} events of a trace
 * @returns {number[]} ms
 */
function workPerFrame(events) {
  /** @type {Map<string, any[]>} */
  const threads = new Map();
  for (const e of events) {
    if (e.ph !== 'X') continue;
    const thread = `${e.pid}/${e.tid}`;
    const known = threads.get(thread);
    if (known) known.push(e);
    else threads.set(thread, [e]);
  }
  // Of the threads that commit frames, the page's is the one with the most.
  const frames = (/** @type {any[]} */ own) => own.filter((e) => e.name === 'Commit');
  const main = [...threads.values()].sort((a, b) => frames(b).length - frames(a).length)[0] ?? [];
  /** @type {number[]} */
  const ends = frames(main).map((e) => e.ts).sort((a, b) => a - b);
  const work = ends.map(() => 0);
  let end = 0; // of the work counted last, which covers what is within it
  let frame = 0;
  for (const e of main.filter((e) => WORK.has(e.name)).sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    if (e.ts + e.dur <= end) continue;
    end = e.ts + e.dur;
    while (frame < ends.length && Number(ends[frame]) < e.ts) frame++;
    if (frame < work.length) work[frame] = Number(work[frame]) + e.dur / 1000;
  }
  return work;
}

/** @param {number[]} values @param {number} share 0 to 1 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  if (!sorted.length) return NaN;
  const at = (sorted.length - 1) * share;
  const low = /** @type {number} */ (sorted[Math.floor(at)]);
  const high = /** @type {number} */ (sorted[Math.ceil(at)]);
  return low + (high - low) * (at - Math.floor(at));
}

/** @param {number[]} values */
export const median = (values) => quantile(values, 0.5);

/** @param {number} bytes */
export function size(bytes) {
  if (!bytes) return '–';
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {number} ms */
export const time = (ms) => (ms < 100 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`);

/** A Markdown table. @param {string[][]} rows the first is the header */
export function table(rows) {
  const [head = [], ...body] = rows;
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i ? '--:' : '---'))), ...body.map(line)].join('\n');
}
