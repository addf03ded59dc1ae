// Loaded before the inspector. It waits a minute for an answer, and has no flag for that: on a busy machine, tools that measure take longer.
const wait = globalThis.setTimeout
globalThis.setTimeout = (f, ms, ...args) => wait(f, ms === 60_000 ? 10 * ms : ms, ...args)
Object.defineProperties(globalThis.setTimeout, Object.getOwnPropertyDescriptors(wait))
