package main

import (
	"strings"
	"testing"
)

// TestBenchNew: hone bench -new writes a benchmark that hone bench finds.
func TestBenchNew(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/shapes\n\ngo 1.20\n")
	write(t, "shapes.go", "package shapes\n\nfunc Join(words []string) int { return len(words) }\n")
	hone(t, "bench").failsWith(t, exitFailure, "hone bench -new FUNC writes one")
	if out, want := succeed(t, "bench", "-new", "Join"), "Wrote join_bench_test.go. Give it inputs like those of the real program, then run\n\n  hone bench -bench '^BenchmarkJoin$' .\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	hone(t, "bench", "-new", "Join", "./...").failsWith(t, exitUsage, "-new takes one package")
	hone(t, "bench", "-new", "Gone").failsWith(t, exitFailure, "no function Gone in this folder")
	if out := succeed(t, "bench", "-count", "1", "-benchtime", "1x", "-profile", "none"); !strings.Contains(out, "Join") {
		t.Errorf("hone bench does not find it:\n%s", out)
	}
}
