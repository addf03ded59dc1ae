// What the server's figures are called, in the words of doc/serve.md and doc/reference/limits.md.

import { formatValue } from '../../model/units';
import type { Status } from '../../api/continuous';
import { count } from '../table/format';

export interface Fact {
  name: string;
  value: string;
  /** What it means, where the name doesn't say it all. */
  about?: string;
}

const bytes = (n: number) => formatValue(n, 'bytes');

/** The figures of a store by name, as numbers. */
const numbers = (store: Status['store']): Record<string, number> =>
  Object.fromEntries(Object.entries(store ?? {}).filter((e): e is [string, number] => typeof e[1] === 'number'));

/** Figures of the store that this page names; others that a store has are told as they are. */
const NAMED = [
  'profiles', 'unpacked', 'packed', 'partitions', 'liveBytes', 'diskBytes', 'cacheBytes', 'cacheHits', 'cacheMisses', 'put', 'duplicates',
  'expired', 'full', 'dropped', 'lost', 'damagedFiles', 'aside', 'busy',
];

/** What is kept, and how. */
export function keptFacts(store: Status['store']): Fact[] {
  const n = numbers(store);
  const asked = (n['cacheHits'] ?? 0) + (n['cacheMisses'] ?? 0);
  const facts: [string | undefined, Fact | false][] = [
    // What was just received is in no compressed file yet.
    ['liveBytes', n['liveBytes'] !== 0 && { name: 'Size of the profiles', value: bytes(n['liveBytes'] ?? 0), about: 'Compressed' }],
    ['partitions', { name: 'Groups of files', value: count(n['partitions'] ?? 0), about: 'One for each week of a service' }],
    ['unpacked', {
      name: 'Just received', value: count(n['unpacked'] ?? 0),
      about: 'Written as they came, and compressed together later',
    }],
    ['cacheBytes', { name: 'Cache', value: bytes(n['cacheBytes'] ?? 0), about: 'Memory for what queries read last' }],
    ['cacheHits', asked > 0 && {
      name: 'Read from the cache', value: `${Math.round((100 * (n['cacheHits'] ?? 0)) / asked)}%`, about: `Of ${count(asked)} reads`,
    }],
    ['busy', store?.['busy'] === true && { name: 'Background work', value: 'running' }],
  ];
  const others = Object.entries(store ?? {}).filter(([name]) => !NAMED.includes(name));
  return [
    ...facts.flatMap(([name, fact]) => (fact && name !== undefined && store?.[name] !== undefined ? [fact] : [])),
    ...others.map(([name, value]) => ({ name: sentence(name), value: typeof value === 'number' ? count(value) : String(value) })),
  ];
}

/** What became of profiles that were sent since the server started, other than that they are kept. */
export function lossFacts(store: Status['store']): Fact[] {
  const n = numbers(store);
  const facts: [string, string, string][] = [
    ['duplicates', 'Sent twice', 'Kept once'],
    ['expired', 'Too old', 'Older than profiles are kept: refused'],
    ['full', 'No room', 'Refused, because the disk was full'],
    ['dropped', 'Removed', 'For their age, or for room'],
    ['lost', 'Lost', 'A damaged block had them'],
    ['damagedFiles', 'Damaged files', 'Known to be damaged'],
    ['aside', 'Weeks set aside', 'Parts of them can’t be read'],
  ];
  return facts.flatMap(([key, name, about]) => (n[key] ? [{ name, value: count(n[key]), about }] : []));
}

/** Limits by their names in the API. */
const LIMITS: Record<string, [string, string]> = {
  series: ['Combinations of labels since startup', 'Beyond it, new instances become “other”'],
  'bytes kept for differences': ['Memory for counters', 'For their last values. Those unused for longest are forgotten'],
  'bytes of a request': ['Size of a request', 'Larger ones are refused'],
  'bytes in the value of a label': ['Length of a label’s value', 'The end of longer ones becomes a hash'],
  'bytes of a name in a profile': ['Length of a name', 'The end of longer ones becomes a hash'],
  connections: ['Connections', 'Idle ones are closed first'],
  'connections of an address': ['Connections of an address', 'Idle ones are closed first'],
  'queries waiting': ['Waiting queries', 'More are refused'],
  'bytes of pushes in memory': ['Memory for pushes', 'Large ones take turns'],
  'versions with a marker': ['Versions with a marker', 'Further versions have none'],
};

interface LimitWords {
  name: string;
  about: string;
  used: string;
  limit: string;
}

export function limitWords({ name, limit, used }: Status['limits'][number]): LimitWords {
  const [title, about] = LIMITS[name] ?? [sentence(name), ''];
  const text = (n: number) => (name.startsWith('bytes') ? bytes(n) : count(n));
  return { name: title, about, used: used === undefined ? '' : text(used), limit: text(limit) };
}

/** A name of the API as words: other_instance, otherInstance. */
export function sentence(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** How many, by a reason: "Too large 3, Rate 5". */
export const reasons = (of: Record<string, number>): string => Object.entries(of).map(([k, n]) => `${sentence(k)} ${count(n)}`).join(', ');
