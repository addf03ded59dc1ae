// @ts-check
// A fleet for pictures: profiles of two versions of the example, taken by hone's
// agent and pushed again as of three instances over two days.

import { ask, buildShakespeare, profiled, serveStore } from './store.mjs';

const HOUR = 3_600_000; // ms
const LENGTH = 48 * HOUR;
const EVERY = HOUR / 5;
const DEPLOYED = 20 * HOUR; // before now
const INSTANCES = [['eu-1', 'a'], ['eu-1', 'b'], ['us-2', 'c']];

/** The same numbers each time. */
function random() {
  let seed = 7;
  return () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}

/** @param {string} folder for the example's program */
export async function fleet(folder) {
  const source = await serveStore();
  const target = await serveStore({
    config: '[[scrape]]\nname = "gateway"\ninterval = "30s"\ntimeout = "1s"\n[[scrape.static]]\ntargets = ["127.0.0.1:1"]\n',
  });
  try {
    const program = buildShakespeare(folder);
    await profiled(program, source.url, '1', 300);
    await profiled(program, source.url, '2', 300);
    await Promise.all((await repeats(source.url)).map((all) => send(target.url, all)));
    const marker = { time: Date.now() - 9 * HOUR, service: 'shakespeare', version: '', text: 'cache on' };
    await fetch(`${target.url}/api/v1/markers`, { method: 'POST', body: JSON.stringify(marker) });
  } finally {
    await source.stop();
  }
  return target;
}

/** @param {string} url @param {{ query: string, body: Uint8Array<ArrayBuffer> }[]} all */
async function send(url, all) {
  for (const { query, body } of all) {
    const response = await fetch(`${url}/api/v1/profiles?${query}`, { method: 'POST', body });
    if (response.status !== 204) throw new Error(`${query}: ${await response.text()}`);
  }
}

/** @param {string} url */
async function repeats(url) {
  const next = random();
  const now = Date.now();
  /** @type {Map<string, { body: Uint8Array<ArrayBuffer>, duration: number }[]>} */
  const taken = new Map();
  for (const version of ['1', '2']) {
    for (const kind of ['cpu', 'heap', 'goroutine']) {
      const { id, value, duration } = await ask(url, `records?${new URLSearchParams({ q: `${kind}{version="${version}"}` })}`);
      const best =
        id.map((/** @type {string} */ _, /** @type {number} */ i) => i).filter((/** @type {number} */ i) => value[i] > 0).slice(0, 20);
      taken.set(version + kind, await Promise.all(best.map(async (/** @type {number} */ i) => ({
        body: new Uint8Array(await (await fetch(`${url}/api/v1/pprof?id=${id[i]}`)).arrayBuffer()), duration: duration[i],
      }))));
    }
  }
  return INSTANCES.map(([zone, instance]) => {
    const all = [];
    for (let time = now - LENGTH; time < now; time += EVERY) {
      const version = time < now - DEPLOYED - (zone === 'us-2' ? HOUR : 0) ? '1' : '2';
      for (const kind of ['cpu', 'heap', 'goroutine']) {
        const some = taken.get(version + kind) ?? [];
        const one = some[Math.floor(next() * some.length)];
        if (!one) continue;
        const at = Math.round(time + next() * 60_000);
        // As busy as the hour is.
        const duration = Math.round(one.duration * (1.3 - 0.5 * Math.sin((at / HOUR / 24) * 2 * Math.PI)));
        const labels = {
          service: 'shakespeare', kind, version: `v1.${version}.0`, zone: zone ?? '', instance: instance ?? '', time: `${at}000000`,
          duration: `${duration}ns`,
        };
        all.push({ query: String(new URLSearchParams(labels)), body: one.body });
      }
    }
    return all;
  });
}
