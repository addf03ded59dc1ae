// @ts-check
// The profiles the tests look at, by what is in them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root, temporaryFolder } from './hone.mjs';

/** Of the example: its source is in the repository, its binary is not. */
export const wordindex = 'examples/wordindex/testdata/cpu.pb.gz';
export const tuned = 'examples/wordindex/testdata/tuned.cpu.pb.gz';
export const heap = 'examples/wordindex/testdata/mem.pb.gz';
export const labels = 'testdata/cpu.labels.pb.gz';
export const recursion = 'testdata/cpu.recursion.pb.gz';
export const inlining = 'testdata/cpu.inlining.pb.gz';
export const empty = 'testdata/cpu.empty.pb.gz';

/** @param {string} profile */
export const absolute = (profile) => join(root, profile);

/** Names that would be something else if they were read as markup, or put into a shell or a file unquoted. */
export const HOSTILE = [
  '<script>window.stolen = 1</script>',
  '<img src=x onerror="window.stolen = 1">',
  `"'><svg/onload=window.stolen=1>`,
  '&lt;b&gt;entities&amp;',
  'right-to-left \u202Eeltrut\u202C turtle',
  'شعلة.Flame',
  'line\nbreak\tand tab',
  "quote's $(touch stolen) `touch stolen`; \\",
  '=HYPERLINK("http://stolen.example")',
  '</title></style></script><b>out</b>',
  'a'.repeat(3000),
  '{{constructor}} ${window.stolen = 1}',
  '   ',
];

/** Writes a profile in which every name is hostile, and returns its path. */
export function hostileProfile() {
  const folder = temporaryFolder('hostile');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'hostile <img src=x>.pb.gz');
  writeFileSync(file, gzipSync(encode()));
  return file;
}

/*
 * The smallest writer of profile.proto that serves: numbers are varints, all
 * else is a length and bytes.
 */

/** @param {number} n */
function varint(n) {
  const bytes = [];
  for (; n >= 0x80; n = Math.floor(n / 0x80)) bytes.push((n % 0x80) | 0x80);
  return Buffer.from([...bytes, n]);
}

/** @param {number} field @param {number | Buffer | string} value */
function entry(field, value) {
  if (typeof value === 'number') return Buffer.concat([varint(field << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** @param {...(readonly [number, number | Buffer | string])} entries */
export const message = (...entries) => Buffer.concat(entries.map(([field, value]) => entry(field, value)));

/**
 * Writes a profile whose label has so many values, and returns its bytes: the first value costs most.
 * @param {number} n
 */
export function manyValues(n) {
  const strings = ['', 'cpu', 'nanoseconds', 'main.main', 'main.go', 'customer'];
  const profile = [
    [1, message([1, 1], [2, 2])], [3, message([1, 1])], [4, message([1, 1], [4, message([1, 1], [2, 7])])],
    [5, message([1, 1], [2, 3], [3, 3], [4, 4])],
  ].map(([field, value]) => /** @type {const} */ ([Number(field), /** @type {Buffer} */ (value)]));
  for (let i = 0; i < n; i++) {
    strings.push(`customer-${i}`);
    profile.push([2, message([1, 1], [2, 10_000 * (n - i)], [3, message([1, 5], [2, strings.length - 1])])]);
  }
  return gzipSync(message(...profile, ...strings.map((s) => /** @type {const} */ ([6, s]))));
}

/** A chain of all names, and a sample for each name below the first; fields as in profile.proto. */
function encode() {
  /** @type {string[]} */
  const strings = [''];
  const text = (/** @type {string} */ s) => (strings.includes(s) ? strings.indexOf(s) : strings.push(s) - 1);
  const type = (/** @type {string} */ t, /** @type {string} */ unit) => message([1, text(t)], [2, text(unit)]);
  /** @type {(readonly [number, Buffer | number])[]} */
  const profile = [[1, type('<b>cpu</b>', '<i>things</i>')]];
  profile.push([3, message([1, 1], [2, 4096], [3, 1 << 20], [5, text('/bin/<img src=x>"binary')])]);
  HOSTILE.forEach((name, i) => {
    const id = i + 1;
    profile.push([4, message([1, id], [2, 1], [3, 4096 + 16 * id], [4, message([1, id], [2, 10 + i])])]);
    // The system's name differs: hone takes equal ones for mangled C++ and simplifies them.
    profile.push([5, message([1, id], [2, text(name)], [3, text(`symbol${i}`)], [4, text(`/src/${name}.go`)], [5, 1])]);
    const label = message([1, text(`<key>${i}`)], [2, text(name)]);
    profile.push([2, message([1, id], [2, 10 + i], [3, label])]);
    if (i) profile.push([2, message([1, id], [1, i], [1, 1], [2, 5])]);
  });
  profile.push([2, message(...HOSTILE.map((_, i) => /** @type {const} */ ([1, HOSTILE.length - i])), [2, 100])]);
  profile.push([13, text('<script>window.stolen = 1</script> in a comment')]);
  return message(...profile, ...strings.map((s) => /** @type {const} */ ([6, s])));
}
