package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

const twoBenchmarks = `package m

import "testing"

func BenchmarkAdd(b *testing.B) {
	for range b.N {
		Add(3)
	}
}

func BenchmarkMul(b *testing.B) {
	b.Run("n=1", func(b *testing.B) {
		for range b.N {
			Mul(3)
		}
	})
}
`

const twoFunctions = "package m\n\n//go:noinline\nfunc Add(n int) int { return n + n }\n\n//go:noinline\nfunc Mul(n int) int { return n * n }\n"

func TestAgainstSameCode(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir, map[string]string{"go.mod": goMod, "m.go": twoFunctions, "m_test.go": twoBenchmarks, "testdata/x": "1"})
	add := []ID{{Package: "example.com/m", Benchmark: "Add-2"}}
	both := append(add, ID{Package: "example.com/m", Benchmark: "Mul/n=1-2"})
	bench := func() *Bench {
		b := quickBench(t, dir)
		b.CPU, b.Count, b.MeasureUnchanged = []int{2}, 1, false
		return b
	}

	// Nothing that runs is other code.
	const unused = "\n// Comment.\nfunc Unused(n int) int { return n / 3 }\n"
	write(t, dir, map[string]string{"m.go": strings.Replace(twoFunctions, "package m\n", "package m\n"+unused, 1)})
	report, run := against(t, bench(), "HEAD")
	if !slices.Equal(report.SameCode, both) || len(report.Failures)+len(report.Unchanged)+len(report.New) > 0 || run.State != experiment.Complete {
		t.Errorf("%+v", report)
	}
	if len(run.Results(experiment.Measure, experiment.Head)) > 0 || len(run.Info.SameCode) != 2 || !slices.Equal(run.NotBenchmarked, []string{"example.com/m.Unused"}) {
		t.Errorf("measured %d, run of %+v", len(run.Results(experiment.Measure, experiment.Head)), run.Info)
	}
	want := []string{"example.com/m: 2 benchmarks run no changed code: Add-2, Mul/n=1-2", "the changed function is not benchmarked: example.com/m.Unused"}
	if got := report.CodeNotes(false); !slices.Equal(got, want) || !slices.Equal(run.CodeNotes(false), want) {
		t.Errorf("notes %q and %q, want %q", got, run.CodeNotes(false), want)
	}

	// One runs what changed.
	write(t, dir, map[string]string{"m.go": strings.Replace(twoFunctions, "n * n", "n * n * n", 1) + unused})
	b := bench()
	b.MeasureUnchanged = true
	report, run = against(t, b, "HEAD")
	if !slices.Equal(report.SameCode, add) {
		t.Errorf("same: %+v", report.SameCode)
	}
	for _, c := range report.Family.Comparisons {
		if (c.Benchmark == "Add-2") != (c.Verdict == experiment.SameCode) {
			t.Errorf("%s: %s", c.Key, c.Verdict)
		}
	}
	if base, head := len(run.Results(experiment.Measure, experiment.Base)), len(run.Results(experiment.Measure, experiment.Head)); base != 1 || head != 2 {
		t.Errorf("%d and %d samples, want one of the base and two of the head", base, head)
	}
	if notes := run.CodeNotes(false); len(notes) != 2 || notes[1] != "some changed functions are not benchmarked: example.com/m.Unused" {
		t.Errorf("notes %q", notes)
	}

	// What a benchmark may read counts, too.
	write(t, dir, map[string]string{"m.go": twoFunctions + unused, "testdata/x": "2"})
	b = bench()
	b.TestFiles = EachTests
	report, run = against(t, b, "HEAD")
	why := "example.com/m: 2 benchmarks were measured although their own code is the same: files in its folder changed: testdata/x"
	if len(report.SameCode) > 0 || !slices.Contains(run.CodeNotes(false), why) {
		t.Errorf("with other test data: %+v, notes %q", report.SameCode, run.CodeNotes(false))
	}
	if report, _ = against(t, bench(), "HEAD"); !slices.Equal(report.SameCode, both) {
		t.Errorf("with the same test data on both sides: %+v", report.SameCode)
	}

	// A new file counts, but not one that hone wrote.
	write(t, dir, map[string]string{"report.html": "<!DOCTYPE html>\n<title>a against b · hone</title>\n", "cpu.pprof": "x", "m.test": "x"})
	if report, _ = against(t, bench(), "HEAD"); !slices.Equal(report.SameCode, both) {
		t.Errorf("with what hone and go test write: %+v", report.SameCode)
	}
	write(t, dir, map[string]string{"input.txt": "1"})
	report, run = against(t, bench(), "HEAD")
	if len(report.SameCode) > 0 || !slices.ContainsFunc(run.CodeNotes(false), func(n string) bool { return strings.HasSuffix(n, "files in its folder changed: input.txt (new)") }) {
		t.Errorf("with a new file: %+v, notes %q", report.SameCode, run.CodeNotes(false))
	}
	if err := os.Remove(filepath.Join(dir, "input.txt")); err != nil {
		t.Fatal(err)
	}
	b = bench()
	b.BuildFlags = []string{"-gcflags=-N"}
	if report, run = against(t, b, "HEAD"); len(report.SameCode) > 0 || !slices.ContainsFunc(run.CodeNotes(false), func(n string) bool { return strings.HasSuffix(n, "built with -gcflags=-N") }) {
		t.Errorf("with flags for the compiler: %+v, notes %q", report.SameCode, run.CodeNotes(false))
	}
}
