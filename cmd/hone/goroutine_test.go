package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedGoroutineText: what can't be read of a dump is told with its file
// and line, and nothing else is missing.
func TestDamagedGoroutineText(t *testing.T) {
	data, err := os.ReadFile(testdata("goroutine.go127.debug2.txt"))
	if err != nil {
		t.Fatal(err)
	}
	const whole, half = " {queue: q0, shard: 2}:", " {queue: q0, shard: 2:"
	before, _, ok := strings.Cut(string(data), whole)
	if !ok {
		t.Fatal("the dump has other labels")
	}
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.txt")
	behind := filepath.Join(dir, "behind.txt")
	for file, text := range map[string]string{
		damaged: strings.Replace(string(data), whole, half, 1),
		behind:  "goroutine profile: total 1\n1 @ 0x10\n#\t0xf\tmain.f+0x1\tmain.go:3\n\ngarbage\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	warning := fmt.Sprintf("%s: line %d (byte ", damaged, 1+strings.Count(before, "\n"))
	for _, args := range [][]string{
		{"pprof", "-top", damaged},
		{"pprof", "-top", damaged, testdata("goroutine.go127.pb.gz")}, // files are merged as they are read
		{"pprof", "-top", "-base", damaged, testdata("goroutine.go127.pb.gz")},
		{"flame", "-folded", damaged},
		{"diff", damaged, testdata("goroutine.go127.debug2.txt")},
	} {
		o := hone(t, args...)
		if o.code != exitOK || strings.Count(o.stderr, warning) != 1 || !strings.Contains(o.stderr, `labels that cannot be read: "goroutine `) {
			t.Errorf("%q: exit code %d\n%s\nwant %s", args, o.code, o.stderr, warning)
		}
	}
	o := hone(t, "top", damaged)
	if !strings.Contains(o.stdout, "of 47 total") {
		t.Errorf("%s", o.stdout)
	}
	hone(t, "top", behind).failsWith(t, exitFailure, behind, "byte 64: line 5: not a stack: \"garbage\"")
}
