// @ts-check
// A module with runs that hone bench made, for tests of their pages.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { honeBinary, temporaryFolder } from './hone.mjs';

const slow = `package words

import "regexp"

// Counts is kept, so that it takes memory whatever the compiler finds out.
var Counts map[string]int

var word = regexp.MustCompile("[a-z]+")

func Count(text string) int {
	seen := make(map[string]int, 100)
	for _, w := range word.FindAllString(text, -1) {
		seen[w]++
	}
	Counts = seen
	return len(seen)
}
`;

const fast = `package words

import "strings"

// Counts is kept, so that it takes memory whatever the compiler finds out.
var Counts map[string]int

func Count(text string) int {
	seen := make(map[string]int, 100)
	for w := range strings.FieldsSeq(text) {
		seen[w]++
	}
	Counts = seen
	return len(seen)
}
`;

const benchmarks = `package words

import (
	"strings"
	"testing"
)

var text = strings.Repeat("to be or not to be that is the question ", 200)

func BenchmarkCount(b *testing.B) {
	b.ReportAllocs()
	words := 0
	for b.Loop() {
		words += Count(text)
	}
	b.ReportMetric(float64(words)/float64(b.N), "words/op")
}

func BenchmarkRepeat(b *testing.B) {
	for b.Loop() {
		strings.Repeat("be ", 100)
	}
}
`;

const objectives = `[[objective]]
name = "count stays quick"
benchmark = "^Count$"
metric = "ns/op"
max = "1ms"
`;

/** Makes the module with three runs: slow, fast, and fast against slow. Returns its folder and the ids, the oldest first. */
export function benched() {
  const folder = join(temporaryFolder('runs'), 'words');
  mkdirSync(folder);
  const write = (/** @type {string} */ name, /** @type {string} */ text) => writeFileSync(join(folder, name), text);
  const run = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const bench = (/** @type {string[]} */ ...args) => {
    const { status, stderr } = spawnSync(
      honeBinary(), ['bench', '-count', '6', '-benchtime', '30x', ...args], { cwd: folder, encoding: 'utf8' },
    );
    // A regression found is exit code 3: numbers this short are noise.
    if (status !== 0 && status !== 3) throw new Error(`hone bench ${args.join(' ')}: exit code ${status}\n${stderr}`);
  };
  write('go.mod', 'module example.com/words\n\ngo 1.24\n');
  write('hone.toml', objectives);
  write('.gitignore', '.hone\n');
  write('words_test.go', benchmarks);
  write('words.go', slow);
  run('git', 'init', '-q', '-b', 'main');
  run('git', 'add', '.');
  run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'words');
  bench('-profile', 'cpu,mem');
  write('words.go', fast);
  bench('-profile', 'cpu,mem');
  bench('-against', 'HEAD', '-profile', 'cpu');
  const runs = join(folder, '.hone', 'runs');
  const created = (/** @type {string} */ id) => Date.parse(JSON.parse(readFileSync(join(runs, id, 'run.json'), 'utf8')).created);
  // Ids of one second are in no order.
  const ids = readdirSync(runs).filter((name) => !name.startsWith('.')).sort((a, b) => created(a) - created(b));
  return { folder, ids };
}
