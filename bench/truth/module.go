package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// benchmarkNames are what the module measures: work of different kinds, which
// machines disturb in different ways.
var benchmarkNames = []string{"Arithmetic", "Hash", "Memory", "Allocate", "Sort"}

// pattern selects the first n benchmarks.
func pattern(n int) string { return "^Benchmark(" + strings.Join(benchmarkNames[:n], "|") + ")$" }

// The code and its benchmarks are apart, as they mostly are: hone has both sides run the
// same benchmarks.
const (
	codeFile = `package known

import (
	"crypto/sha256"
	"slices"
)

%s// rounds is how often each function does what it does.
var rounds = [...]int{%s}

// Note is used by a test alone.
func Note(s string) string { return %s }

var (
	number int
	sum    [32]byte
	block  = make([]byte, 512)
	at     = uint32(1)
	table  = make([]uint32, 1<<18)
	kept   [][]byte
	values = make([]uint32, 64)
)

func Arithmetic() {
	for i := range rounds[0] {
		for j := range 100 {
			number = number*31 + i ^ j
		}
	}
}

func Hash() {
	for range rounds[1] {
		sum = sha256.Sum256(block)
	}
}

func Memory() {
	for range rounds[2] {
		for range 50 {
			at = at*1664525 + 1013904223
			table[at>>14] += at
		}
	}
}

func Allocate() {
	kept = kept[:0]
	for range rounds[3] {
		kept = append(kept, make([]byte, 256))
	}
}

func Sort() {
	for range rounds[4] {
		x := uint32(1)
		for i := range values {
			x = x*1664525 + 1013904223
			values[i] = x
		}
		slices.Sort(values)
	}
}
`
	testFile = `package known

import "testing"

func TestNote(t *testing.T) { t.Log(Note("a")) }

func BenchmarkArithmetic(b *testing.B) { measure(b, Arithmetic) }
func BenchmarkHash(b *testing.B)       { measure(b, Hash) }
func BenchmarkMemory(b *testing.B)     { measure(b, Memory) }
func BenchmarkAllocate(b *testing.B)   { measure(b, Allocate) }
func BenchmarkSort(b *testing.B)       { measure(b, Sort) }

func measure(b *testing.B, work func()) {
	for b.Loop() {
		work()%s
	}
}
`
)

// unusedKinds are what -unused takes.
var unusedKinds = []string{"string", "comment", "function", "benchmark"}

const unusedFunction = `func unused(s string) string {
	for range len(s) {
		s = s[1:] + s[:1]
	}
	return s
}

`

// A module is the text of its files.
type module struct{ code, test string }

func none(string) bool { return false }

// source returns the module with functions of which those that changed do shift percent
// more. unused is what else differs from the base, where it is "".
func source(changed func(benchmark string) bool, shift int, unused string) module {
	first, note, twice := "", `s + "a"`, ""
	switch unused {
	case "string":
		note = `s + "b"`
	case "comment":
		first = "// As it is, and with another line.\n//\n"
	case "function":
		first, note = unusedFunction, "unused(s)"
	case "benchmark":
		twice = "\n\t\twork()"
	}
	var rounds []string
	for _, name := range benchmarkNames {
		n := 100
		if changed(name) {
			n += shift
		}
		rounds = append(rounds, fmt.Sprint(n))
	}
	return module{
		code: fmt.Sprintf(codeFile, first, strings.Join(rounds, ", "), note),
		test: fmt.Sprintf(testFile, twice),
	}
}

func (t *trial) write(m module) error {
	if err := os.WriteFile(filepath.Join(t.dir, "known.go"), []byte(m.code), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.dir, "known_test.go"), []byte(m.test), 0o666)
}

// makeModule makes the repository with the base, which write writes, as its commit.
func (t *trial) makeModule(ctx context.Context, write func() error) error {
	if err := os.Mkdir(t.dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module known\n\ngo 1.24\n", ".gitignore": "*.exe\n"} {
		if err := os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if err := write(); err != nil {
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
