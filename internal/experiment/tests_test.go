package experiment

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// Where each side ran a benchmark of its own, no verdict can fail a gate, nor pass it
// without a word.
func TestOtherBenchmark(t *testing.T) {
	for _, c := range []struct {
		name   string
		origin TestOrigin
		words  string
		fails  int
		status Status
		note   string
	}{
		{"head's", TestOrigin{From: OfHead, Files: []string{"decode_test.go", "testdata/"}}, "slower", 1, Missed,
			"example.com/m: the benchmark is head's on both sides: decode_test.go, testdata/ differ from main"},
		{"base's", TestOrigin{From: OfBase, Files: []string{"x_test.go"}, Why: []string{"head's does not build on main: undefined: F"}}, "slower", 1, Missed,
			"example.com/m: the benchmark is that of main on both sides: x_test.go differs from main; head's does not build on main: undefined: F"},
		{"each", TestOrigin{From: OfEach, Files: []string{"x_test.go"}, Why: []string{"head's panics on main", "that of main panics on head"}},
			"inconclusive: the benchmark itself changed", 0, Uncertain,
			"example.com/m: the benchmark itself changed, and each side ran its own, so its verdicts are inconclusive: x_test.go differs from main; head's panics on main; that of main panics on head"},
		{"asked for", TestOrigin{From: OfEach, Files: []string{"x_test.go"}, Asked: true}, "slower", 1, Missed,
			"example.com/m: each side ran its own benchmark, as asked for by -tests each: x_test.go differs from main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.origin.Package = "example.com/m"
			w, err := Create(t.TempDir(), Info{Base: &Revision{Name: "main"}, Tests: []TestOrigin{c.origin}})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 20 {
				for _, phase := range []Phase{Measure, Repeat} {
					for side, ns := range []float64{Base: 100 + float64(n%3), Head: 150 + float64(n%4)} {
						appendSample(t, w, "Slow-2", phase, Side(side), n, benchfmt.Value{Value: ns, Unit: "ns/op"}, benchfmt.Value{Value: float64(1 + side), Unit: "allocs/op"})
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			run, err := Open(t.Context(), w.Dir())
			if err != nil {
				t.Fatal(err)
			}
			family, err := run.Compare(DefaultOptions())
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
			objectives, err := ParseObjectives("hone.toml", []byte("[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range Evaluate(objectives, run.Series(Measure), family, nil) {
				if o.Status != c.status || !strings.Contains(o.Text, c.words) {
					t.Errorf("objective: %s", o.Text)
				}
			}
			if got := run.CodeNotes(); !slices.Equal(got, []string{c.note}) {
				t.Errorf("notes %q", got)
			}
		})
	}
}

// What is to be said of several packages is said once.
func TestTestNotesTogether(t *testing.T) {
	i := Info{Tests: []TestOrigin{{Package: "a", From: OfHead, Files: []string{"x_test.go"}}, {Package: "b", From: OfHead, Files: []string{"x_test.go"}}}}
	if got := i.TestNotes(); !slices.Equal(got, []string{"a, b: the benchmark is head's on both sides: x_test.go differs from the base"}) {
		t.Errorf("%q", got)
	}
}
