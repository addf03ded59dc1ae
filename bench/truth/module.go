package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// benchmarkNames are what the module measures: work of different kinds, which
// machines disturb in different ways.
var benchmarkNames = []string{"Arithmetic", "Hash", "Memory", "Allocate", "Sort"}

func index(name string) int { return slices.Index(benchmarkNames, name) }

// pattern selects the first n benchmarks.
func pattern(n int) string { return "^Benchmark(" + strings.Join(benchmarkNames[:n], "|") + ")$" }

const testFile = `package known

import (
	"crypto/sha256"
	"slices"
	"testing"
)

%s// rounds is how often each benchmark does what it does.
var rounds = [...]int{%s}

var note = %q

func TestNote(t *testing.T) { t.Log(note%s) }

var (
	number int
	sum    [32]byte
	table  = make([]uint32, 1<<18)
	kept   [][]byte
)

func BenchmarkArithmetic(b *testing.B) {
	for b.Loop() {
		for i := range rounds[0] {
			for j := range 100 {
				number = number*31 + i ^ j
			}
		}
	}
}

func BenchmarkHash(b *testing.B) {
	block := make([]byte, 512)
	for b.Loop() {
		for range rounds[1] {
			sum = sha256.Sum256(block)
		}
	}
}

func BenchmarkMemory(b *testing.B) {
	at := uint32(1)
	for b.Loop() {
		for range rounds[2] {
			for range 50 {
				at = at*1664525 + 1013904223
				table[at>>14] += at
			}
		}
	}
}

func BenchmarkAllocate(b *testing.B) {
	for b.Loop() {
		kept = kept[:0]
		for range rounds[3] {
			kept = append(kept, make([]byte, 256))
		}
	}
}

func BenchmarkSort(b *testing.B) {
	values := make([]uint32, 64)
	for b.Loop() {
		for range rounds[4] {
			x := uint32(1)
			for i := range values {
				x = x*1664525 + 1013904223
				values[i] = x
			}
			slices.Sort(values)
		}
	}
}
`

// unusedKinds are what -unused takes.
var unusedKinds = []string{"string", "comment", "function"}

const unusedFunction = `func unused(s string) string {
	for range len(s) {
		s = s[1:] + s[:1]
	}
	return s
}

`

// source returns the module's test file, with a benchmark that does shift percent
// more; -1: none. unused is what else differs from the base, where it is "".
func source(target, shift int, unused string) string {
	first, note, call := "", "a", ""
	switch unused {
	case "string":
		note = "b"
	case "comment":
		first = "// As it is, and with another line.\n//\n"
	case "function":
		first, call = unusedFunction, ", unused(note)"
	}
	var rounds []string
	for i := range benchmarkNames {
		n := 100
		if i == target {
			n += shift
		}
		rounds = append(rounds, fmt.Sprint(n))
	}
	return fmt.Sprintf(testFile, first, strings.Join(rounds, ", "), note, call)
}

func (t *trial) write(text string) error {
	return os.WriteFile(filepath.Join(t.dir, "known_test.go"), []byte(text), 0o666)
}

// makeModule makes the repository with the base as its commit.
func (t *trial) makeModule(ctx context.Context) error {
	if err := os.Mkdir(t.dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module known\n\ngo 1.24\n", ".gitignore": "*.exe\n"} {
		if err := os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if err := t.write(source(-1, 0, "")); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=truth", "-c", "user.email=truth@localhost", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "base"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = t.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
