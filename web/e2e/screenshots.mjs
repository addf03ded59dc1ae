// @ts-check
// Writes the pictures of the documentation: node e2e/screenshots.mjs [--all | --fixed] [FOLDER [NAME…]].
// They are of profiles in the repository, so that the same sources give the same
// pictures on the same machine; only source and machine code need a run of their own.
//
// --all takes each in light and dark at the widths of a telephone, of a notebook and of
// a large screen, to be looked at before a release: NAME-SCHEME-WIDTH.png in FOLDER.
// --fixed takes those whose data is the same each time, for differences.mjs.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { deflateSync, crc32 } from './png.mjs';
import { advised } from './advised.mjs';
import { launch } from './chromium.mjs';
import { fleet } from './fleet.mjs';
import { buildHone, root, serve, temporaryFolder } from './hone.mjs';
import { settled } from './page.mjs';
import { empty, hostileProfile, labels, tuned, wordindex } from './profiles.mjs';
import { regressed } from './regressed.mjs';
import { benched } from './runs.mjs';
import { serveStore } from './store.mjs';
import { weeks } from './weeks.mjs';

const { values: { all, fixed }, positionals: [folder = join(root, 'doc', 'img', 'ui'), ...only] } = parseArgs({
  options: { all: { type: 'boolean', default: false }, fixed: { type: 'boolean', default: false } }, allowPositionals: true,
});

const temporary = temporaryFolder('screenshots');
process.env['HONE_BIN'] ||= buildHone(temporary);

const WIDE = { width: 1440, height: 810 };
const NARROW = { width: 360, height: 720 };
const LARGE = { width: 2560, height: 1300 };
const SCHEMES = /** @type {const} */ (['light', 'dark']);

/** @type {string[]} */
let recording = [];

/** A run of the example with its program, for machine code. */
function recorded() {
  if (recording.length > 0) return recording;
  const program = join(temporary, 'wordindex');
  const profile = join(temporary, 'cpu.pb.gz');
  execFileSync(process.env['GO'] ?? 'go', ['build', '-trimpath', '-o', program, './examples/wordindex'], { cwd: root });
  execFileSync(program, ['-for', '2s', '-cpuprofile', profile], { stdio: 'ignore' });
  return (recording = [program, profile]);
}

const BASE_RUN = '20261120-093000-00aa';
const HEAD_RUN = '20261121-093000-00bb';

/** A module with the runs that the command's tests have. */
function withRuns() {
  const module = join(temporary, 'words');
  cpSync(join(root, 'cmd', 'hone', 'testdata', 'runs'), join(module, '.hone', 'runs'), { recursive: true });
  writeFileSync(join(module, 'go.mod'), 'module example.com/words\n');
  writeFileSync(join(module, 'hone.toml'), '[[objective]]\nbenchmark = "^Count"\nmetric = "ns/op"\nmax = "50us"\n');
  return module;
}

const runs = withRuns();

/** How hone load ends on a machine that is busy with other things; its picture is as good. */
const GOAL_MISSED = 3;

/** A module with a run of a load on the example's service, at a rate that grows. */
function withLoad() {
  const module = join(temporary, 'loaded');
  const program = join(module, 'visitors');
  mkdirSync(module);
  execFileSync(process.env['GO'] ?? 'go', ['build', '-trimpath', '-o', program, './examples/visitors'], { cwd: root });
  const { status } = spawnSync(String(process.env['HONE_BIN']), [
    'load', 'http', '-serve', `${program} -http 127.0.0.1:7790 -step compile`, '-rate', '100..1200', '-duration', '20s', '-count', '2',
    '-late', '1m', '-pprof', '127.0.0.1:7790', '-profiletime', '2s', '-goal', 'p99<=50ms', 'http://127.0.0.1:7790/hi?color=teal',
  ], { cwd: module, stdio: 'ignore' });
  if (status !== 0 && status !== GOAL_MISSED) throw new Error(`hone load ended with ${status}`);
  return module;
}

/** @type {ReturnType<typeof benched> | undefined} */
let module;

/** A module with runs of two versions, the first of which is committed. */
const versions = () => (module ??= benched());

/** @type {ReturnType<typeof advised> | undefined} */
let made;

/** A module whose source is there, with a run. */
const toAdvise = () => (made ??= advised(''));

const SERVICE = 'cpu{service="shakespeare"}';
const SHOP = 'cpu{service="shop"}'; // of the three weeks
const HOURS = 3_600_000; // ms
const FIXED_END = Date.parse('2026-11-20T12:00:00Z');

/** The id of a selection of the last hours. @param {string} q @param {number} from @param {number} [to] in hours before now */
function selected(q, from, to = 0) {
  const now = Math.ceil(Date.now() / 60_000) * 60_000;
  return `sel:${new URLSearchParams({ q, from: String(now - from * HOURS), to: String(now - to * HOURS), per: 'second' })}`;
}

/** The timeline of the last hours, as links have it. @param {number} hours */
function span(hours) {
  const now = Math.ceil(Date.now() / 60_000) * 60_000;
  return `${now - hours * HOURS}-${now}`;
}

/** A day of a history that is the same each time. @param {'cpu' | 'heap'} kind @param {Record<string, string>} [more] */
const fixedDay = (kind, more = {}) => ({
  profile: `sel:${new URLSearchParams({
    q: `${kind}{service="shop"}`, from: String(FIXED_END - 24 * HOURS), to: String(FIXED_END), ...(kind === 'cpu' ? { per: 'second' } : {}),
  })}`,
  span: `${FIXED_END - 36 * HOURS}-${FIXED_END}`, ...more,
});

/** @param {string} view @param {Record<string, string>} settings */
const link = (view, settings) => `/${view}?${new URLSearchParams(settings)}`;

/**
 * Those of pages are in the documentation, in light colours. The others are only for --all.
 * store: of the fleet, which hone serve has, or of one with regressions, or of three weeks, or of a day that is the same each time,
 * or of one that got nothing yet, or that one logs in to; until: a text that is waited for; varies: what it shows is another each
 * time, so that --fixed leaves it out; height: of the picture in the documentation, where the page is short.
 * @type {{ name: string, args: string[] | (() => string[]), path: string | (() => string), cwd?: string | (() => string),
 *   until?: string, store?: boolean | 'regressed' | 'weeks' | 'fixed' | 'empty' | 'closed', page?: boolean, varies?: boolean,
 *   height?: number }[]}
 */
const pictures = [
  { name: 'flame', args: [wordindex], path: '/flame', page: true },
  { name: 'search', args: [wordindex], path: '/flame?q=concatstrings' },
  { name: 'pivot', args: [wordindex], path: '/flame?pivot=runtime.mallocgc' },
  { name: 'top', args: [wordindex], path: '/top?sort=cum', page: true },
  { name: 'sandwich', args: [wordindex], path: '/sandwich?fn=main.addLine', page: true },
  { name: 'graph', args: [wordindex], path: '/graph?nodecount=20&fn=main.addLine', page: true },
  { name: 'source', args: recorded, path: '/source?fn=main.addLine', page: true, varies: true },
  { name: 'disasm', args: recorded, path: '/disasm?fn=main.addLine', page: true, varies: true },
  { name: 'peek', args: [wordindex], path: '/peek?fn=main.addLine', page: true },
  { name: 'traces', args: [wordindex], path: '/traces', page: true },
  { name: 'tags', args: [labels], path: '/tags', page: true },
  { name: 'raw', args: [wordindex], path: '/raw', page: true },
  { name: 'diff', args: ['-diff_base', wordindex, tuned], path: '/diff', page: true },
  { name: 'diff-flame', args: ['-diff_base', wordindex, tuned], path: '/flame', page: true },
  { name: 'sides', args: ['-diff_base', wordindex, tuned], path: '/flame?widths=sides', page: true },
  {
    name: 'code', page: true, varies: true, args: [], cwd: () => versions().folder,
    path: () => link('source', {
      profile: `${versions().ids[1]}:Count/mem`, base: `${versions().ids[0]}:Count/mem`, sample_index: 'alloc_space',
      fn: 'example.com/words.Count',
    }),
  },
  { name: 'code-unknown', args: ['-diff_base', wordindex, tuned], path: '/source?fn=main.addLine' },
  { name: 'empty', args: [empty], path: '/flame' },
  { name: 'hostile', args: () => [hostileProfile()], path: '/top' },
  { name: 'hostile-flame', args: () => [hostileProfile()], path: '/flame' },
  { name: 'day', args: [], store: 'fixed', path: link('flame', fixedDay('cpu', { by: 'version' })) },
  { name: 'day-heat', args: [], store: 'fixed', path: link('flame', fixedDay('cpu', { heat: 'instance' })) },
  { name: 'day-history', args: [], store: 'fixed', path: link('history', fixedDay('cpu')) },
  { name: 'day-growth', args: [], store: 'fixed', path: link('growth', fixedDay('heap')), page: true },
  { name: 'day-records', args: [], store: 'fixed', path: link('records', fixedDay('cpu')), page: true },
  { name: 'day-endpoints', args: [], store: 'fixed', path: link('endpoints', fixedDay('cpu')), page: true },
  { name: 'day-grid', args: [], store: 'fixed', path: link('tags', fixedDay('cpu')) },
  { name: 'start', args: [], path: '/' },
  { name: 'services', args: [], store: 'weeks', path: '/services', page: true, height: 480 },
  {
    name: 'heat', page: true, args: [], store: 'weeks',
    path: () => link('flame', { profile: selected(SHOP, 24), span: span(36), heat: 'instance' }),
  },
  {
    name: 'selection', page: true, args: [], store: true,
    path: link('flame', { profile: selected(SERVICE, 14, 6), span: span(48), by: 'version' }),
  },
  {
    name: 'selection-diff', args: [], store: true,
    path: link('flame', { profile: selected(SERVICE, 8, 2), base: selected(SERVICE, 32, 26), span: span(48), vs: 'ago:1d' }),
  },
  {
    name: 'history', page: true, args: [], store: true, path: link('history', { profile: selected(SERVICE, 48), mine: 'true' }),
  },
  { name: 'regressions', args: [], store: 'regressed', path: '/regressions', page: true, height: 560 },
  { name: 'records', args: [], store: true, path: link('records', { profile: selected(SERVICE, 48) }) },
  { name: 'runs-list', args: [], cwd: runs, path: '/runs', page: true },
  { name: 'runs-run', args: [], cwd: runs, path: '/run?run=latest', page: true },
  { name: 'runs-load', args: [], cwd: withLoad, path: '/run?run=latest', page: true, varies: true },
  {
    name: 'runs-compare', page: true, args: [], cwd: runs,
    path: `/compare?run=${BASE_RUN}&run=${HEAD_RUN}&pick=example.com/words.Count/n%3D20-2+sec/op`,
  },
  {
    name: 'advice-run', page: true, varies: true, args: [], cwd: () => toAdvise().folder,
    path: () => link('run', { run: toAdvise().run, show: 'advice' }),
    until: 'hone fix',
  },
  {
    name: 'advice-source', page: true, varies: true, args: [], cwd: () => toAdvise().folder,
    path: () => {
      const { run, findings: [{ id, symbol, evidence }] } = toAdvise();
      return link('source', { profile: `${run}:${evidence.subject}/mem`, fn: symbol, sample_index: 'alloc_space', finding: id });
    },
    until: 'hone fix',
  },
  { name: 'runs-trend', args: [], cwd: runs, path: '/trend', page: true },
  { name: 'beside', args: [wordindex], path: '/flame?beside=1' },
  { name: 'mine', args: [wordindex], path: '/top?mine=true' },
  { name: 'label-roots', args: [labels], path: '/flame?tagroot=endpoint' },
  { name: 'status', args: [], store: true, path: '/status', page: true },
  { name: 'login', args: [], store: 'closed', path: '/login?to=/services' },
  { name: 'not-found', args: [wordindex], path: '/nothing/here' },
  { name: 'nothing-yet', args: [], store: 'empty', path: '/services', varies: true }, // it names its address
  { name: 'markers', args: [], store: true, path: link('top', { profile: selected(SERVICE, 14, 6), span: span(48) }) },
  { name: 'page', args: [wordindex], path: () => alonePage() },
];

/** The page in a file. */
function alonePage() {
  const file = join(temporary, 'flame.html');
  execFileSync(String(process.env['HONE_BIN']), ['flame', '-o', file, wordindex], { cwd: root, stdio: 'ignore' });
  return pathToFileURL(file).href;
}

/**
 * The picture with at most 256 colours, which is a third of the size and looks
 * the same: runs in a page, since a browser can decode PNG.
 * @param {string} base64
 */
async function reduce(base64) {
  const blob = await (await fetch(`data:image/png;base64,${base64}`)).blob();
  const image = await createImageBitmap(blob);
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const rgb = (Number(data[i]) << 16) | (Number(data[i + 1]) << 8) | Number(data[i + 2]);
    counts.set(rgb, (counts.get(rgb) ?? 0) + 1);
  }
  const distance = (/** @type {number} */ a, /** @type {number} */ b) =>
    ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
  // The most frequent colours that differ visibly from those taken before.
  /** @type {number[]} */
  const palette = [];
  const sorted = [...counts.keys()].sort((a, b) => Number(counts.get(b)) - Number(counts.get(a)));
  for (const least of [48, 12, 0]) {
    for (const rgb of sorted) {
      if (palette.length === 256) break;
      if (!palette.some((taken) => distance(taken, rgb) <= least)) palette.push(rgb);
    }
  }
  /** @type {Map<number, number>} */
  const nearest = new Map(palette.map((rgb, i) => [rgb, i]));
  for (const rgb of sorted) {
    if (nearest.has(rgb)) continue;
    let best = 0;
    palette.forEach((taken, i) => {
      if (distance(taken, rgb) < distance(Number(palette[best]), rgb)) best = i;
    });
    nearest.set(rgb, best);
  }
  // A character each: what leaves the page is text.
  let pixels = '';
  for (let i = 0; i < data.length; i += 4) {
    pixels += String.fromCharCode(nearest.get((Number(data[i]) << 16) | (Number(data[i + 1]) << 8) | Number(data[i + 2])) ?? 0);
  }
  return { width, height, palette, pixels };
}

/** @param {{ width: number, height: number, palette: number[], pixels: string }} image */
function encode({ width, height, palette, pixels }) {
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, by palette
  const rows = Buffer.alloc((width + 1) * height); // each begins with its filter: none
  for (let y = 0; y < height; y++) rows.write(pixels.slice(y * width, (y + 1) * width), y * (width + 1) + 1, 'latin1');
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]))),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

mkdirSync(folder, { recursive: true });
const browser = await launch({ webgl: false });
const reducer = await (await browser.newContext()).newPage();
/** @type {Map<string, Awaited<ReturnType<typeof serve>>>} */
const servers = new Map();
try {
  const still = (/** @type {typeof pictures[number]} */ { store, varies }) => !varies && store !== true && store !== 'weeks';
  const wanted = pictures.filter((p) => (only.length > 0 ? only.includes(p.name) : fixed ? still(p) : all || p.page));
  for (const { name, args: given, path: to, cwd: where, until, store, height = WIDE.height } of wanted) {
    const args = typeof given === 'function' ? given() : given;
    const cwd = typeof where === 'function' ? where() : where;
    const path = typeof to === 'function' ? to() : to;
    const key = store ? `store ${store}` : [cwd, ...args].join(' ');
    const begin = () => {
      if (store === 'empty') return serveStore();
      if (store === 'regressed') return regressed();
      if (store === 'closed') return serveStore({ config: '[auth]\nrequired = true\n' });
      if (store === 'weeks') return weeks();
      if (store === 'fixed') return weeks({ end: new Date(FIXED_END).toISOString().replace('.000Z', 'Z'), days: 3 });
      return store ? fleet(temporary, all) : serve(args, cwd ? { cwd } : {});
    };
    const server = servers.get(key) ?? (await begin());
    servers.set(key, server);
    const shots = fixed ? [
      { file: `${name}-light-1440.png`, scheme: SCHEMES[0], viewport: WIDE },
      { file: `${name}-dark-360.png`, scheme: SCHEMES[1], viewport: NARROW },
    ] : all ? SCHEMES.flatMap((scheme) => [NARROW, WIDE, LARGE].map((viewport) => (
      { file: `${name}-${scheme}-${viewport.width}.png`, scheme, viewport }
    ))) : [{ file: `${name}-light.png`, scheme: SCHEMES[0], viewport: { ...WIDE, height } }];
    for (const { file, scheme, viewport } of shots) {
      const context = await browser.newContext({
        viewport, colorScheme: scheme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC',
      });
      const page = await context.newPage();
      if (args.includes('-diff_base')) {
        // What is compared is in the link that the server's own address leads to.
        await page.goto(server.url);
        await settled(page);
        const { search } = new URL(page.url());
        await page.goto(server.url + path + (path.includes('?') ? search.replace('?', '&') : search));
      } else {
        await page.goto(new URL(path, server.url).href);
      }
      await settled(page);
      if (until) await page.getByText(until).first().waitFor();
      await page.waitForTimeout(300);
      const shot = await page.screenshot();
      await context.close();
      const target = join(folder, file);
      writeFileSync(target, all || fixed ? shot : encode(await reducer.evaluate(reduce, shot.toString('base64'))));
      console.log(`${file} ${(statSync(target).size / 1000).toFixed(0)} kB`);
    }
  }
} finally {
  await browser.close();
  for (const server of servers.values()) await server.stop();
}
