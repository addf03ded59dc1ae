// @ts-check
// The two algorithms a PNG file is made with.

import { deflateSync as deflate } from 'node:zlib';

const TABLE = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

/** Check sum of a chunk. Node's own came with version 22. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = Number(TABLE[(c ^ byte) & 255]) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** @param {Uint8Array} bytes */
export const deflateSync = (bytes) => deflate(bytes, { level: 9 });
