// @ts-check
// An hour of a service with five instances, yesterday from 13:30 to 14:30 UTC. From 14:05 to 14:08, instance b
// takes three times the time, in main.slow; from 14:20 to 14:22, all of them flush, in main.flush. The line
// cache.go:31 keeps more memory every minute.

import { gzipSync } from 'node:zlib';
import { message } from './profiles.mjs';
import { serveStore } from './store.mjs';

export const MINUTE = 60_000;
export const INSTANCES = ['a', 'b', 'c', 'd', 'e'];

/** The clock of that day, in ms since 1970. @param {number} hour @param {number} minute */
export function clock(hour, minute) {
  const day = new Date(Date.now() - 24 * 60 * MINUTE);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), hour, minute);
}

export const FROM = clock(13, 30);
export const TO = clock(14, 30);

/**
 * A profile of stacks in one file; a stack is functions and lines, the leaf first, and values.
 * @param {[string, string][]} types
 * @param {number} period of the last type
 * @param {{ stack: [string, string, number][], values: number[] }[]} samples
 */
function profile(types, period, samples) {
  /** @type {string[]} */
  const strings = [''];
  const text = (/** @type {string} */ s) => (strings.includes(s) ? strings.indexOf(s) : strings.push(s) - 1);
  const type = (/** @type {[string, string]} */ [name, unit]) => message([1, text(name)], [2, text(unit)]);
  /** @type {(readonly [number, Buffer | number])[]} */
  const fields = types.map((t) => /** @type {const} */ ([1, type(t)]));
  /** @type {Map<string, number>} */
  const known = new Map();
  const place = (/** @type {[string, string, number]} */ [name, file, line]) => {
    const key = `${name} ${line}`;
    let id = known.get(key);
    if (id === undefined) {
      id = known.size + 1;
      known.set(key, id);
      fields.push([4, message([1, id], [4, message([1, id], [2, line])])]);
      fields.push([5, message([1, id], [2, text(name)], [3, text(name)], [4, text(`/src/shop/${file}`)], [5, line - 1])]);
    }
    return id;
  };
  for (const { stack, values } of samples) {
    const of = [...stack.map((s) => /** @type {const} */ ([1, place(s)])), ...values.map((v) => /** @type {const} */ ([2, v]))];
    fields.push([2, message(...of)]);
  }
  fields.push([11, type(/** @type {[string, string]} */ (types.at(-1)))], [12, period]);
  return new Uint8Array(gzipSync(message(...fields, ...strings.map((s) => /** @type {const} */ ([6, s])))));
}

/** @type {[string, string, number]} */
const MAIN = ['main.main', 'main.go', 10];
/** @type {[string, string, number]} */
const SERVE = ['main.serve', 'main.go', 42];

/** @param {number} work @param {number} slow samples of 10 ms @param {number} flush */
function cpu(work, slow, flush) {
  /** @param {[string, string, number]} place @param {number} n */
  const of = (place, n) => ({ stack: [place, SERVE, MAIN], values: [n, n * 1e7] });
  return profile([['samples', 'count'], ['cpu', 'nanoseconds']], 1e7, [
    of(['main.work', 'work.go', 17], work), of(['main.encode', 'work.go', 55], Math.round(work / 2)),
    ...(slow ? [of(['main.slow', 'slow.go', 23], slow)] : []), ...(flush ? [of(['main.flush', 'flush.go', 9], flush)] : []),
  ]);
}

/** @param {Record<string, [string, string, number]>} lines @param {Record<string, number>} megabytes */
function heap(lines, megabytes) {
  return profile(
    [['inuse_objects', 'count'], ['inuse_space', 'bytes']], 512 << 10,
    Object.entries(megabytes).map(([name, mb]) => ({
      stack: [/** @type {[string, string, number]} */ (lines[name]), SERVE, MAIN],
      values: [Math.round(mb * 100), Math.round(mb * (1 << 20))],
    })),
  );
}

/** @type {Record<string, [string, string, number]>} */
const LINES = {
  cache: ['main.(*Cache).Put', 'cache.go', 31], index: ['main.buildIndex', 'index.go', 12], buffer: ['main.buffer', 'buffer.go', 8],
};

/** @param {string} url @param {Record<string, string>} labels @param {Uint8Array<ArrayBuffer>} body */
async function push(url, labels, body) {
  // A kept connection may end just as it is used again.
  const query = new URLSearchParams(labels);
  const response = await fetch(`${url}/api/v1/profiles?${query}`, { method: 'POST', body, headers: { connection: 'close' } });
  if (response.status !== 204) throw new Error(`${JSON.stringify(labels)}: ${await response.text()}`);
}

/**
 * Sends a CPU profile of 10 s.
 * @param {string} url @param {string} instance @param {number} at @param {number} work @param {number} slow
 * @param {number} [flush]
 */
export const pushCPU = (url, instance, at, work, slow, flush = 0) =>
  push(url, { service: 'shop', instance, version: 'v1.4.0', time: `${at}000000`, kind: 'cpu', duration: '10s' }, cpu(work, slow, flush));

/** Starts `hone serve` with that hour. */
export async function slowHour() {
  const server = await serveStore();
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647; // the same each time
  for (let time = FROM; time < TO; time += MINUTE) {
    await Promise.all(INSTANCES.map(async (instance, i) => {
      const at = time + 1000 * i;
      const common = { service: 'shop', instance, version: 'v1.4.0', time: `${at}000000` };
      const slow = instance === 'b' && time >= clock(14, 5) && time < clock(14, 8);
      const flush = time >= clock(14, 20) && time < clock(14, 22) ? 150 + Math.round(20 * random()) : 0;
      await pushCPU(server.url, instance, at, 180 + Math.round(40 * random()), slow ? 600 : 0, flush);
      const minute = (time - FROM) / MINUTE;
      const lines = { cache: 10 + minute + random(), index: 40 + 2 * random(), buffer: 20 + 10 * ((minute % 7) / 7) + 3 * random() };
      if (minute % 2 === 0) await push(server.url, { ...common, kind: 'heap' }, heap(LINES, lines));
    }));
  }
  return server;
}

/** The id of a selection of that hour. @param {'cpu' | 'heap'} kind @param {Record<string, string>} [more] */
export const hour = (kind, more = {}) => `sel:${new URLSearchParams({
  q: `${kind}{service="shop"}`, from: String(FROM), to: String(TO), ...(kind === 'cpu' ? { per: 'second' } : {}), ...more,
})}`;

/** @param {string} view @param {string} id @param {Record<string, string>} [own] */
export const linkTo = (view, id, own = {}) => `/${view}?${new URLSearchParams({ profile: id, ...own })}`;
