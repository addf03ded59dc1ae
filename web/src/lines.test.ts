import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const WEB = join(import.meta.dirname, '..');
const MOST = 140;

test(`no line of code is longer than ${MOST} characters`, () => {
  const files = ['', 'src', 'e2e'].flatMap((folder) =>
    readdirSync(join(WEB, folder), { recursive: folder !== '', encoding: 'utf8' }).map((name) => join(folder, name)));
  const long = files.filter((name) => /\.(tsx?|mjs)$/.test(name)).flatMap((name) =>
    readFileSync(join(WEB, name), 'utf8').split('\n').flatMap((line, i) => ([...line].length > MOST ? [`${name}:${i + 1}`] : [])));
  expect(long).toEqual([]);
});
