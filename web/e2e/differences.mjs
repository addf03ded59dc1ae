// @ts-check
// Shows what a change does to the look of the pages:
//
//   node e2e/differences.mjs [--tolerance SHARE] --against REVISION PAGE.html [NAME…]
//   node e2e/differences.mjs [--tolerance SHARE] BEFORE AFTER PAGE.html
//
// The first builds hone at a revision and of the working tree (whose pages `make web` builds), and has screenshots.mjs
// --fixed take pictures of both at the same time, of all or of those named. The second compares two folders of pictures.
// Both are taken on one machine: fonts differ between machines, so no pictures are kept in the repository. PAGE.html
// shows each picture that differs, before, after and what differs, to be looked at. Exit code 1: some do.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from './chromium.mjs';
import { buildHone, root, temporaryFolder } from './hone.mjs';

const { values: { tolerance, against }, positionals } = parseArgs({
  options: { tolerance: { type: 'string', default: '0.0005' }, against: { type: 'string', default: '' } }, allowPositionals: true,
});
const [before, after, page] = against ? await taken(against, positionals) : positionals;
if (!before || !after || !page) {
  throw new Error('usage: node e2e/differences.mjs [--tolerance SHARE] (--against REVISION | BEFORE AFTER) PAGE.html');
}
const most = Number(tolerance);
if (!(most >= 0 && most <= 1)) throw new Error(`--tolerance ${tolerance}: use a share of the pixels, 0 to 1`);

/**
 * Takes pictures of a revision and of the working tree, and returns their folders and the page to write.
 * @param {string} revision @param {string[]} named the page, then pictures
 */
async function taken(revision, [page = '', ...names]) {
  const temporary = temporaryFolder('pictures');
  const tree = join(temporary, 'tree');
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  git('worktree', 'add', '--quiet', '--detach', tree, revision);
  const binaries = [join(temporary, 'hone-before'), buildHone(temporary)];
  try {
    execFileSync(process.env['GO'] ?? 'go', ['build', '-o', String(binaries[0]), './cmd/hone'], { cwd: tree, stdio: 'inherit' });
  } finally {
    git('worktree', 'remove', '--force', tree);
  }
  const folders = ['before', 'after'].map((name) => join(temporary, name));
  await Promise.all(folders.map((folder, i) => new Promise((resolve, reject) => {
    const args = [join(root, 'web', 'e2e', 'screenshots.mjs'), '--fixed', folder, ...names];
    const shots = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, HONE_BIN: binaries[i] } });
    shots.on('exit', (code) => (code === 0 ? resolve(0) : reject(new Error(`screenshots.mjs ended with ${code}`))));
  })));
  return [...folders, page];
}

/**
 * The share of pixels that differ visibly, and a picture in which they are red. Runs in a page, since a browser can decode PNG.
 * @param {{ before: string, after: string }} pictures base64
 */
async function compare({ before, after }) {
  const decode = async (/** @type {string} */ base64) => createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
  const images = [await decode(before), await decode(after)];
  const width = Math.max(...images.map((image) => image.width));
  const height = Math.max(...images.map((image) => image.height));
  const [one, other] = images.map((image) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.drawImage(image, 0, 0);
    return { canvas, context, data: context.getImageData(0, 0, width, height).data };
  });
  if (!one || !other) throw new Error('two pictures are compared');
  const marks = other.context.getImageData(0, 0, width, height);
  let differing = 0;
  for (let i = 0; i < marks.data.length; i += 4) {
    let distance = 0;
    for (let c = 0; c < 4; c++) distance = Math.max(distance, Math.abs(Number(one.data[i + c]) - Number(other.data[i + c])));
    // What the smoothing of a letter's edge differs by is not seen.
    const seen = distance > 24;
    if (seen) differing++;
    marks.data.set(seen ? [220, 0, 0, 255] : [0, 1, 2].map((c) => 200 + Number(other.data[i + c]) * 0.2), i);
  }
  other.context.putImageData(marks, 0, 0);
  const url = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    other.canvas.convertToBlob().then((blob) => reader.readAsDataURL(blob));
  });
  return { share: differing / (width * height), url: String(url) };
}

const pictures = (/** @type {string} */ folder) => readdirSync(folder).filter((name) => name.endsWith('.png'));
const names = [...new Set([...pictures(before), ...pictures(after)])].sort();
const browser = await launch({ webgl: false });
/** @type {string[]} */
const sections = [];
try {
  const tab = await (await browser.newContext()).newPage();
  for (const name of names) {
    const files = [before, after].map((folder) => join(folder, name));
    const [one, other] = files.map((file) => (existsSync(file) ? readFileSync(file).toString('base64') : ''));
    const picture = (/** @type {string} */ base64) => (base64 ? `<img src="data:image/png;base64,${base64}">` : '<p>not taken</p>');
    if (!one || !other) {
      console.log(`${name}: only in ${one ? before : after}`);
      sections.push(`<h2>${name}</h2>${picture(one ?? '')}${picture(other ?? '')}`);
      continue;
    }
    const { share, url } = one === other ? { share: 0, url: '' } : await tab.evaluate(compare, { before: one, after: other });
    if (share <= most) continue;
    console.log(`${name}: ${(100 * share).toFixed(2)} % of the pixels differ`);
    sections.push(`<h2>${name}: ${(100 * share).toFixed(2)} %</h2>${picture(one)}${picture(other)}<img src="${url}">`);
  }
} finally {
  await browser.close();
}
writeFileSync(page, `<!doctype html><meta charset="utf-8"><title>Pictures that differ</title>
<style>img { width: 32%; margin-right: 1%; vertical-align: top; border: 1px solid gray }</style>
<h1>${sections.length} of ${names.length} pictures differ</h1>
${sections.join('\n')}
`);
console.log(`${sections.length} of ${names.length} pictures differ: ${page}`);
process.exitCode = sections.length > 0 ? 1 : 0;
