package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func resultsOf(t *testing.T, text string) []*benchfmt.Result {
	t.Helper()
	in := benchfmt.NewReader(strings.NewReader(text), "f")
	var results []*benchfmt.Result
	for in.Scan() {
		r, ok := in.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(in.Result())
		}
		results = append(results, r.Clone())
	}
	return results
}

func lines(values []float64, unit string) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "BenchmarkB-2 1 %.6g %s 3 allocs/op\n", v, unit)
	}
	return b.String()
}

func TestCompareApart(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, head string
		want       map[string]Verdict
	}{
		{"slower", lines(around(500, .02, 10), "ns/op"), lines(around(600, .02, 10), "ns/op"), map[string]Verdict{"ns/op": Worse, "allocs/op": NoChange}},
		{"one side longer", lines(around(500, .02, 10), "ns/op"), lines(around(400, .02, 14), "ns/op"), map[string]Verdict{"ns/op": Better, "allocs/op": NoChange}},
		{"too few", lines(around(500, .02, 3), "ns/op"), lines(around(900, .02, 3), "ns/op"), map[string]Verdict{"ns/op": Inconclusive, "allocs/op": NoChange}},
		{"other way to write the unit", lines(around(500, .02, 8), "ns/op"), lines(around(500e-9, .01, 8), "sec/op"), map[string]Verdict{"sec/op": NoChange, "allocs/op": NoChange}},
		{"other unit", lines(around(500, .02, 8), "ns/op"), lines(around(500, .01, 8), "widgets/op"), map[string]Verdict{"ns/op": OneSided, "widgets/op": OneSided, "allocs/op": NoChange}},
		{"single", lines([]float64{5}, "ns/op"), lines([]float64{6}, "ns/op"), map[string]Verdict{"ns/op": Inconclusive, "allocs/op": Inconclusive}},
		{"missing", "", lines(around(500, .02, 8), "ns/op"), map[string]Verdict{"ns/op": OneSided, "allocs/op": OneSided}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := CompareApart(resultsOf(t, c.base), resultsOf(t, c.head), DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if !f.Apart || len(f.Comparisons) != len(c.want) {
				t.Errorf("apart %v, %d comparisons, want %d", f.Apart, len(f.Comparisons), len(c.want))
			}
			for _, x := range f.Comparisons {
				want, ok := c.want[x.Unit]
				if !ok || x.Verdict != want || x.Pairs != 0 {
					t.Errorf("%v: %v with %d pairs, want %v", x.Key, x.Verdict, x.Pairs, want)
				}
			}
		})
	}
}

func TestMedians(t *testing.T) {
	m := Medians(resultsOf(t, lines([]float64{5, 9, 7}, "ns/op")))
	if m[Key{"", "B-2", "ns/op"}] != 7 || m[Key{"", "B-2", "allocs/op"}] != 3 {
		t.Error(m)
	}
}

// TestApartLevel: without a change, false alarms stay below the level, also
// when files were sorted by value.
func TestApartLevel(t *testing.T) {
	const trials = 400
	rng := rand.New(rand.NewPCG(3, 4))
	for _, sorted := range []bool{false, true} {
		alarms := 0
		for range trials {
			var text [2]string
			for side, n := range []int{10, 12} {
				v := make([]float64, n)
				for i := range v {
					v[i] = 500 * math.Exp(0.05*rng.NormFloat64())
				}
				if sorted {
					slices.Sort(v)
				}
				text[side] = lines(v, "ns/op")
			}
			f, err := CompareApart(resultsOf(t, text[0]), resultsOf(t, text[1]), DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if f.Comparisons[0].Verdict.Changed() {
				alarms++
			}
		}
		// Of 400 trials with a chance of 5 % more than 33 are false alarms in one
		// case of a thousand.
		if alarms > 33 {
			t.Errorf("sorted %v: %d false alarms in %d trials", sorted, alarms, trials)
		}
		t.Logf("sorted %v: %d false alarms in %d trials", sorted, alarms, trials)
	}
}
