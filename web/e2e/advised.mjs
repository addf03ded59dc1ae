// @ts-check
// A module with something to find, and a run of its benchmark.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { honeBinary, temporaryFolder } from './hone.mjs';

/** What the hot line has in it: markup is text here as everywhere. */
export const MARKUP = '<img src=x onerror=alert(1)>';

const slow = (/** @type {string} */ comment) => `package names

import "regexp"

// Valid checks a name.
func Valid(name string) bool {
	return regexp.MustCompile("^[a-z]+$").MatchString(name)${comment && ` // ${comment}`}
}
`;

const benchmark = `package names

import "testing"

func BenchmarkValid(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Valid("abc")
	}
}
`;

/**
 * Makes the module with a run, of whose profile of memory nothing is left to chance. Returns its folder, the run,
 * and what hone advise says of it.
 * @param {string} comment behind the hot line
 */
export function advised(comment = MARKUP) {
  const folder = join(temporaryFolder('advised'), 'names');
  mkdirSync(folder);
  const write = (/** @type {string} */ name, /** @type {string} */ text) => writeFileSync(join(folder, name), text);
  write('go.mod', 'module example.com/names\n\ngo 1.24\n');
  write('names.go', slow(comment));
  write('names_test.go', benchmark);
  const hone = (/** @type {string[]} */ ...args) =>
    execFileSync(honeBinary(), args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  hone('bench', '-count', '1', '-benchtime', '2000x', '-profile', 'mem');
  const { findings } = JSON.parse(hone('advise', '-json', 'latest'));
  const [run] = readdirSync(join(folder, '.hone', 'runs')).filter((name) => !name.startsWith('.'));
  if (run === undefined) throw new Error(`hone bench kept no run in ${folder}`);
  return { folder, run, findings };
}
