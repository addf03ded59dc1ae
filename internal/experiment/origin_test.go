package experiment_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// Where each side ran a benchmark of its own, no verdict can fail a gate, nor pass it
// without a word.
func TestOtherBenchmark(t *testing.T) {
	for _, c := range []struct {
		name   string
		origin experiment.TestOrigin
		words  string
		fails  int
		status objective.Status
		note   string
	}{
		{"head's", experiment.TestOrigin{From: experiment.OfHead, Files: []string{"decode_test.go", "testdata/"}}, "slower", 1, objective.Missed,
			"example.com/m: both sides ran the working tree's benchmark, because decode_test.go, testdata/ differ from main"},
		{"base's", experiment.TestOrigin{From: experiment.OfBase, Files: []string{"x_test.go"}, Why: []string{"the working tree's does not build on main: undefined: F"}}, "slower", 1, objective.Missed,
			"example.com/m: both sides ran the benchmark of main, because x_test.go differs from main; the working tree's does not build on main: undefined: F"},
		{"each", experiment.TestOrigin{From: experiment.OfEach, Files: []string{"x_test.go"}, Why: []string{"the working tree's panics on main", "main's panics on the working tree"}},
			"inconclusive: the benchmark itself changed", 0, objective.Uncertain,
			"example.com/m: the benchmark itself changed, and each side ran its own, so its verdicts are inconclusive: x_test.go differs from main; the working tree's panics on main; main's panics on the working tree"},
		{"asked for", experiment.TestOrigin{From: experiment.OfEach, Files: []string{"x_test.go"}, Asked: true}, "slower", 1, objective.Missed,
			"example.com/m: each side ran its own benchmark, as asked for by -tests each: x_test.go differs from main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.origin.Package = "example.com/m"
			w, err := experiment.Create(t.TempDir(), experiment.Info{Base: &experiment.Revision{Name: "main"}, Tests: []experiment.TestOrigin{c.origin}})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 20 {
				for _, phase := range []experiment.Phase{experiment.Measure, experiment.Repeat} {
					for side, ns := range []float64{experiment.Base: 100 + float64(n%3), experiment.Head: 150 + float64(n%4)} {
						appendSample(t, w, "Slow-2", phase, experiment.Side(side), n, benchfmt.Value{Value: ns, Unit: "ns/op"}, benchfmt.Value{Value: float64(1 + side), Unit: "allocs/op"})
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
			for _, got := range family.Comparisons {
				words := c.words
				if got.Unit != "ns/op" {
					words = strings.Replace(words, "slower", "worse", 1)
				}
				if got.Words() != words {
					t.Errorf("%s: %s, want %s", got.Key, got.Words(), words)
				}
			}
			if got := len(family.Regressions()); got != 2*c.fails {
				t.Errorf("%d regressions", got)
			}
			objectives, err := objective.Parse("hone.toml", []byte("[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range objective.Evaluate(objectives, run.Series(experiment.Measure), family, nil) {
				if o.Status != c.status || !strings.Contains(o.Text, c.words) {
					t.Errorf("objective: %s", o.Text)
				}
			}
			if got := run.CodeNotes(false); !slices.Equal(got, []string{c.note}) {
				t.Errorf("notes %q", got)
			}
		})
	}
}

// What is to be said of several packages is said once.
func TestTestNotesTogether(t *testing.T) {
	i := experiment.Info{Tests: []experiment.TestOrigin{{Package: "a", From: experiment.OfHead, Files: []string{"x_test.go"}}, {Package: "b", From: experiment.OfHead, Files: []string{"x_test.go"}}}}
	if got := i.TestNotes(); !slices.Equal(got, []string{"a, b: both sides ran the working tree's benchmark, because x_test.go differs from the base"}) {
		t.Errorf("%q", got)
	}
}
