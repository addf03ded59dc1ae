package experiment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// appendSample adds the n-th sample of a side to a run, of a benchmark of example.com/m.
func appendSample(t *testing.T, w *experiment.Writer, name string, phase experiment.Phase, side experiment.Side, n int, values ...benchfmt.Value) {
	t.Helper()
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: values}
	r.Config = []benchfmt.Config{{Key: "pkg", Value: []byte("example.com/m"), File: true}}
	if err := w.Append(phase, side, &experiment.Slot{Block: n, Order: 2*n + int(side), Side: side}, r); err != nil {
		t.Fatal(err)
	}
}

// What was found by comparing code is in the run, and holds whatever the clock says.
func TestSameCode(t *testing.T) {
	slow, same := experiment.BenchmarkName{Package: "example.com/m", Benchmark: "Slow-2"}, experiment.BenchmarkName{Package: "example.com/m", Benchmark: "Same-2"}
	unmeasured := experiment.BenchmarkName{Package: "example.com/m", Benchmark: "Unmeasured-2"}
	w, err := experiment.Create(t.TempDir(), experiment.Info{Base: &experiment.Revision{Name: "main"}, SameCode: []experiment.BenchmarkName{same, unmeasured},
		NotBenchmarked: []string{"example.com/m.F"}, OtherChanges: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		for _, phase := range []experiment.Phase{experiment.Measure, experiment.Repeat} {
			for _, name := range []string{"Slow-2", "Same-2"} {
				appendSample(t, w, name, phase, experiment.Base, n, benchfmt.Value{Value: 100 + float64(n%3), Unit: "ns/op"})
				appendSample(t, w, name, phase, experiment.Head, n, benchfmt.Value{Value: 150 + float64(n%4), Unit: "ns/op"})
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Open(t.Context(), w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	family, err := run.Compare(experiment.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(map[experiment.BenchmarkName]experiment.Verdict)
	for _, c := range family.Comparisons {
		verdicts[c.Key.Name()] = c.Verdict
		if c.Verdict == experiment.SameCode && (c.Words() != "runs no changed code" || c.Gated) {
			t.Errorf("%s: %s, gated %v", c.Key, c.Words(), c.Gated)
		}
	}
	if verdicts[slow] != experiment.Worse || verdicts[same] != experiment.SameCode || family.Tested != 1 {
		t.Errorf("verdicts %v of %d tested", verdicts, family.Tested)
	}
	if failed := family.Regressions(); len(failed) != 1 || failed[0].Key.Name() != slow {
		t.Errorf("regressions %v", failed)
	}

	objectives, err := objective.Parse("hone.toml", []byte("[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	statuses := make(map[experiment.BenchmarkName]objective.Status)
	for _, o := range objective.Evaluate(objectives, run.Series(experiment.Measure), family, nil) {
		statuses[o.Key.Name()] = o.Status
		if o.Key.Name() == unmeasured && !strings.Contains(o.Text, "runs no changed code") {
			t.Errorf("of what was not measured: %s", o.Text)
		}
	}
	if len(statuses) != 3 || statuses[slow] != objective.Missed || statuses[same] != objective.Met || statuses[unmeasured] != objective.Met {
		t.Errorf("objectives %v", statuses)
	}

	want := []string{"example.com/m: 2 benchmarks run no changed code: Same-2, Unmeasured-2", "some changed functions are not benchmarked: example.com/m.F"}
	if got := run.CodeNotes(false); !slices.Equal(got, want) {
		t.Errorf("notes %q", got)
	}
}

func TestCodeNotesAreShort(t *testing.T) {
	i := experiment.Info{NotBenchmarked: strings.Split(strings.Repeat("f ", 30)+"f", " ")}
	if got := i.CodeNotes(false); len(got) != 1 || !strings.HasPrefix(got[0], "the changed functions are not benchmarked: f, ") || !strings.HasSuffix(got[0], " and 23 more") {
		t.Errorf("notes %q", got)
	}
}

// Without all, a line says how many benchmarks there are and how to list them; with all, each is named.
func TestCodeNotesOfMany(t *testing.T) {
	var i experiment.Info
	for n := range 12 {
		i.SameCode = append(i.SameCode, experiment.BenchmarkName{Package: fmt.Sprintf("m/%d", n%2), Benchmark: fmt.Sprintf("B%d", n)})
		i.MeasuredOnly = append(i.MeasuredOnly, experiment.Doubt{BenchmarkName: experiment.BenchmarkName{Package: "m/2", Benchmark: fmt.Sprintf("C%d", n/11)}, Why: "w"})
	}
	i.MeasuredOnly = i.MeasuredOnly[10:]
	i.MeasuredOnly = append(i.MeasuredOnly, experiment.Doubt{BenchmarkName: experiment.BenchmarkName{Package: "m/2", Benchmark: "D"}, Why: "v"})
	want := []string{
		"12 benchmarks of 2 packages run no changed code; -v lists them",
		"m/2: 2 benchmarks were measured although their own code is the same: w",
		"m/2.D was measured although its own code is the same: v",
	}
	if got := i.CodeNotes(false); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want = []string{
		"m/0: 6 benchmarks run no changed code: B0, B2, B4, B6, B8, B10",
		"m/1: 6 benchmarks run no changed code: B1, B3, B5, B7, B9, B11",
		"m/2: 2 benchmarks were measured although their own code is the same: C0, C1: w",
		"m/2.D was measured although its own code is the same: v",
	}
	if got := i.CodeNotes(true); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	i.SameCode = i.SameCode[:9]
	for n := range i.SameCode {
		i.SameCode[n].Package = "m"
	}
	if got := i.CodeNotes(false)[0]; got != "9 benchmarks of m run no changed code; -v lists them" {
		t.Error(got)
	}
}
