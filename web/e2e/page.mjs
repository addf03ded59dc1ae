// @ts-check
// A test is a page in a fresh browser profile that may do nothing wrong: no
// error on the console, no failed request, nothing the policy had to stop, no
// request to another host, nothing that jumps about while it loads.

import { after, before, test as nodeTest } from 'node:test';
import { CannotRun, inFirefox, leaveBrowser, needsChromium, newProfile, useBrowser } from './browser.mjs';
import { serve } from './hone.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').CDPSession} CDPSession */
/** @typedef {import('playwright-core').BrowserContextOptions} ContextOptions */
/** @typedef {import('./hone.mjs').Server} Server */

/**
 * Which tests run: those that are declared with `.core`, which are the flows that people use most and run before each commit, or
 * the `rest`, which CI runs in addition. Without E2E_PART it is both.
 */
const PART = process.env['E2E_PART'] ?? '';
if (!['', 'core', 'rest'].includes(PART)) throw new Error(`invalid E2E_PART "${PART}": use core or rest`);

/**
 * A function that declares tests of the rest, with another one for tests of the core, and one for those that let axe look at a
 * page: what they find depends on the browser, so that in Firefox they are of the core.
 * @template {unknown[]} A
 * @param {(...args: A) => unknown} declare
 */
export function inParts(declare) {
  const only = (/** @type {string} */ part) => (/** @type {A} */ ...args) => {
    if (PART === '' || PART === part) declare(...args);
  };
  return Object.assign(only('rest'), { core: only('core'), axe: only(inFirefox ? 'core' : 'rest') });
}

/** A test without a page of its own. */
export const test = inParts((/** @type {string} */ name, /** @type {() => Promise<void>} */ body) => nodeTest(name, body));

/** Sum of layout shifts a page may have from its loading on: less than can be seen. */
const MAX_SHIFT = 0.01;

const TIMEOUT = 30_000; // of any single step, ms
const LIMIT = 180_000; // of a test, ms
const PATIENCE = 20_000; // with what a page does in its own time, ms
const BUSY = '[aria-busy="true"], .skeleton';

/** Runs in the page before its own scripts. Faults go to the test by a binding. */
function watchPage() {
  /** @type {(kind: string, text: string, size?: number) => void} */
  const tell = (kind, text, size) => /** @type {any} */ (window).toldByPage(kind, text, size);
  document.addEventListener('securitypolicyviolation', (e) => {
    if (e.sourceFile.endsWith('%3E%20eval') || e.sourceFile.endsWith('> eval')) return; // what drives Firefox hides the caret in pictures
    tell('policy', `${e.violatedDirective} stopped ${e.blockedURI} at ${e.sourceFile}:${e.lineNumber} ${e.sample}`);
  });
  // What the user asked for may move things; on a busy machine it takes its time.
  let lastInput = -Infinity;
  for (const type of ['keydown', 'pointerdown', 'pointerup', 'drop']) {
    addEventListener(type, (e) => (lastInput = e.timeStamp), { capture: true });
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const shift = /** @type {any} */ (entry);
      if (shift.hadRecentInput || (shift.startTime > lastInput && shift.startTime < lastInput + 5000)) continue;
      const moved = shift.sources.map((/** @type {any} */ s) => {
        const at = (/** @type {DOMRectReadOnly} */ r) => `${r.x},${r.y} ${r.width}×${r.height}`;
        const name = s.node?.nodeName?.toLowerCase() ?? 'a node that is gone';
        return `${name}.${s.node?.className ?? ''} from ${at(s.previousRect)} to ${at(s.currentRect)}`;
      });
      tell(`shift ${performance.timeOrigin}`, moved.join('; '), shift.value);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/**
 * Watches a page; the result lists its faults so far.
 * @param {Page} page
 * @param {string} origin
 */
export async function watch(page, origin) {
  /** @type {string[]} */
  const faults = [];
  /** @type {Map<string, { sum: number, texts: string[] }>} */
  const shifts = new Map(); // by page load
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url, lineNumber } = message.location();
    faults.push(`console: ${message.text()} (${url}:${lineNumber})`);
  });
  page.on('pageerror', (error) => {
    if (/^(\w+: )?Content-Security-Policy:/.test(error.stack ?? error.message)) return; // in Firefox; the page told of it above
    faults.push(`uncaught: ${error.stack ?? error.message}`);
  });
  page.on('crash', () => faults.push('the page crashed'));
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A request the page no longer wants, and a download, end like this.
    if (!['net::ERR_ABORTED', 'NS_BINDING_ABORTED'].includes(why)) faults.push(`request: ${request.method()} ${request.url()}: ${why}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) faults.push(`foreign request: ${url}`);
  });
  await page.exposeBinding('toldByPage', (_, kind, text, size) => {
    if (kind.startsWith('shift')) {
      const { sum, texts } = shifts.get(kind) ?? { sum: 0, texts: [] };
      shifts.set(kind, { sum: sum + size, texts: [...texts, `${size.toFixed(4)}: ${text}`] });
    } else {
      faults.push(`${kind}: ${text}`);
    }
  });
  await page.addInitScript(watchPage);
  return () => [
    ...faults,
    ...[...shifts.values()]
      .filter(({ sum }) => sum > MAX_SHIFT)
      .map(({ sum, texts }) => `layout shift of ${sum.toFixed(4)}:\n    ${texts.join('\n    ')}`),
  ];
}

/**
 * Compares faults with those a test provokes: each of the latter has to be there.
 * @param {string[]} faults
 * @param {RegExp[]} expected
 */
function judge(faults, expected) {
  const wrong = faults.filter((fault) => !expected.some((e) => e.test(fault)));
  // Firefox doesn't tell who drives it of a failed request on the console.
  const sure = expected.filter((e) => !(inFirefox && e.source.startsWith('console: .*4')));
  for (const e of sure) if (!faults.some((fault) => e.test(fault))) wrong.push(`expected ${e}, which did not happen`);
  if (wrong.length) throw new Error(`the page has faults:\n  ${wrong.join('\n  ')}`);
}

/**
 * @typedef {object} Bench what a test gets
 * @property {Page} page
 * @property {Server} server
 * @property {string} url of the server
 * @property {(path: string) => Promise<void>} open goes to a path of the server and waits until a view stands
 */

/**
 * Starts a server for a file of tests, if any of them runs; the result declares a test of its pages.
 * @param {string[]} args of `hone ui`
 * @param {{ command?: string[], cwd?: string, start?: () => Promise<Server> }} [how] start: starts another server than `hone ui`
 */
export function suite(args, how = {}) {
  /** @type {Server} */
  let server;
  let used = false;
  const use = () => {
    if (used) return;
    used = true;
    before(async () => {
      useBrowser();
      server = await (how.start ? how.start() : serve(args, how));
    });
    after(async () => {
      await Promise.allSettled([leaveBrowser(), server?.stop()]);
    });
  };

  /**
   * @param {string} name
   * @param {(bench: Bench) => Promise<void>} body
   * @param {ContextOptions & { expect?: RegExp[], allow?: RegExp[], mayShift?: boolean }} [settings] of the browser; expect: faults the
   *   test provokes; allow: faults that may be or not; mayShift: it moves things on purpose
   */
  const declare = (name, body, { expect = [], allow = [], mayShift = false, ...context } = {}) => {
    use();
    nodeTest(name, { timeout: LIMIT }, (t) => whereItCan(t, async () => {
      const profile = await newProfile({
        viewport: { width: 1280, height: 800 },
        colorScheme: 'light',
        locale: 'en-GB',
        timezoneId: 'UTC',
        ...context,
      });
      profile.setDefaultTimeout(TIMEOUT);
      try {
        const page = await profile.newPage();
        const faults = await watch(page, server.url);
        /** @param {string} path */
        const open = async (path) => {
          await page.goto(server.url + path);
          await settled(page);
        };
        let failed = true;
        try {
          await body({ page, server, url: server.url, open });
          failed = false;
        } catch (err) {
          failed = !(err instanceof CannotRun);
          throw err;
        } finally {
          if (failed) {
            // What the page complained of often says why the step failed, and so does the server.
            for (const fault of faults()) t.diagnostic(fault);
            for (const line of server.log().trimEnd().split('\n').slice(-20)) t.diagnostic(`server: ${line}`);
            await keepPicture(page, name);
          }
        }
        judge(faults().filter((fault) => !(mayShift && fault.startsWith('layout shift')) && !allow.some((a) => a.test(fault))), expect);
      } finally {
        await profile.close();
      }
    }));
  };
  return inParts(declare);
}

/**
 * Runs a test, or says why it can't run in this browser.
 * @param {import('node:test').TestContext} t
 * @param {() => Promise<void>} body
 */
export async function whereItCan(t, body) {
  try {
    await body();
  } catch (err) {
    if (!(err instanceof CannotRun)) throw err;
    t.skip(err.message);
  }
}

/**
 * Waits until what the link asks for is shown: nothing is busy or a placeholder.
 * @param {Page} page
 */
export async function settled(page) {
  await page.locator('main').first().waitFor();
  for (const last = Date.now() + TIMEOUT; ; ) {
    await page.waitForFunction((busy) => !document.querySelector(busy), BUSY);
    // What an effect asks for makes it busy only now.
    const calm = await drawn(page)
      .then(() => page.evaluate((busy) => !document.querySelector(busy), BUSY))
      .catch(() => false); // another document came
    if (calm) return;
    if (Date.now() > last) throw new Error('the page does not come to rest');
  }
}

/**
 * Waits until what was changed is drawn, and its effects have run: those come after a frame.
 * @param {Page} page
 */
export const drawn = (page) => page.evaluate(() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(undefined))));
}));

/**
 * The file that a page saves.
 * @param {Page} page
 * @param {() => Promise<unknown>} save what has the page do it
 */
export async function downloaded(page, save) {
  needsChromium('downloads');
  const [download] = await Promise.all([page.waitForEvent('download'), save()]);
  return download;
}

/** Lets a page read what it copied. @param {Page} page */
export async function allowClipboard(page) {
  if (inFirefox) return; // its settings do: see firefox.mjs
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(page.url()).origin });
}

/**
 * Exports what is shown, and returns the download, which succeeded.
 * @param {Page} page
 * @param {string} label of the format
 */
export async function exporting(page, label) {
  await page.getByRole('button', { name: 'Export' }).click();
  const download = await downloaded(page, () => page.getByRole('menuitem', { name: new RegExp(`^${label}`) }).click());
  const failure = await download.failure();
  if (failure !== null) throw new Error(`exporting ${label}: ${failure}`);
  return download;
}

/**
 * Repeats a check until it holds, for what a page does in its own time.
 * @param {() => Promise<void> | void} check throws if it doesn't hold
 * @param {number} [patience] how long it may take, in ms
 */
export async function eventually(check, patience = PATIENCE) {
  for (const last = Date.now() + patience; ; ) {
    try {
      return await check();
    } catch (err) {
      if (Date.now() > last) throw err;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A picture of a page where a test failed, into $E2E_PICTURES. @param {Page} page @param {string} name */
async function keepPicture(page, name) {
  const folder = process.env['E2E_PICTURES'];
  if (!folder) return;
  await page.screenshot({ path: `${folder}/${name.replaceAll(/[^\w]+/g, '-')}.png` }).catch(() => {});
}
