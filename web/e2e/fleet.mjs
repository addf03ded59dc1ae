// @ts-check
// A fleet for pictures: profiles of two versions of the example, taken by hone's
// agent and pushed again as of three instances over two days. Recorded profiles of
// other examples are services with one instance.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './hone.mjs';
import { ask, buildShakespeare, profiled, serveStore } from './store.mjs';

const HOUR = 3_600_000; // ms
const LENGTH = 48 * HOUR;
const EVERY = HOUR / 5;
const DEPLOYED = 20 * HOUR; // before now
const INSTANCES = [['eu-1', 'a'], ['eu-1', 'b'], ['us-2', 'c']];

/** Other examples, with the CPU profiles of their versions. */
const RECORDED = [
  { service: 'jsonreq', versions: ['reflection.cpu.pb.gz', 'generated.cpu.pb.gz'] },
  { service: 'kafkagen', versions: ['split.cpu.pb.gz', 'tuned.cpu.pb.gz'] },
  { service: 'wordindex', versions: ['cpu.pb.gz'] },
];

/** The same numbers each time. */
function random() {
  let seed = 7;
  return () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}

/**
 * @param {string} folder for the example's program
 * @param {boolean} trouble whether the server also scrapes a service that doesn't answer, which its pages warn of
 */
export async function fleet(folder, trouble) {
  const source = await serveStore();
  const scrape = '[[scrape]]\nname = "gateway"\ninterval = "30s"\ntimeout = "1s"\n[[scrape.static]]\ntargets = ["127.0.0.1:1"]\n';
  const target = await serveStore({ config: trouble ? scrape : '' });
  try {
    const program = buildShakespeare(folder);
    await profiled(program, source.url, '1', 300);
    await profiled(program, source.url, '2', 300);
    await Promise.all([...await repeats(source.url), recorded()].map((all) => send(target.url, all)));
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

/**
 * A factor of the time that the same samples took: longer at night, so that services are as busy as the hour is.
 * @param {number} at
 */
const stretch = (at) => 1.3 - 0.5 * Math.sin((at / HOUR / 24) * 2 * Math.PI);

/** Profiles of the other examples. */
function recorded() {
  const next = random();
  const now = Date.now();
  return RECORDED.flatMap(({ service, versions }) => {
    const bodies = versions.map((name) => new Uint8Array(readFileSync(join(root, 'examples', service, 'testdata', name))));
    const all = [];
    for (let time = now - LENGTH; time < now; time += EVERY) {
      const i = time < now - DEPLOYED ? 0 : bodies.length - 1;
      const at = Math.round(time + next() * 60_000);
      const labels = {
        service, kind: 'cpu', version: `v1.${i + 1}.0`, instance: 'a', time: `${at}000000`,
        duration: `${Math.round(stretch(at) * (0.8 + 0.4 * next()) * 10_000)}ms`,
      };
      all.push({ query: String(new URLSearchParams(labels)), body: /** @type {Uint8Array<ArrayBuffer>} */ (bodies[i]) });
    }
    return all;
  });
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
        const duration = Math.round(one.duration * stretch(at));
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
