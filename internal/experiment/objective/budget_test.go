package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/hone-go/hone/internal/experiment"
)

// blocksOf makes a series from values in pairs, in ABBA blocks.
func blocksOf(unit string, base, head []float64) experiment.Series {
	s := experiment.Series{Key: experiment.Key{Benchmark: "B", Unit: unit}}
	rng := rand.New(rand.NewPCG(7, 7))
	next := [2]int{}
	values := [2][]float64{base, head}
	for _, slot := range experiment.Schedule(rng, max(len(base), len(head)), 0, 0) {
		i := next[slot.Side]
		next[slot.Side]++
		if i < len(values[slot.Side]) {
			s.Samples = append(s.Samples, experiment.Sample{Slot: slot, Value: values[slot.Side][i]})
		}
	}
	return s
}

// around returns n values about center, each off by up to a fraction; others for
// each center.
func around(center, fraction float64, n int) []float64 {
	rng := rand.New(rand.NewPCG(math.Float64bits(center), 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = center * (1 + fraction*(2*rng.Float64()-1))
	}
	return v
}

func same(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func compare(t *testing.T, series []experiment.Series, opts experiment.Options) *experiment.Family {
	t.Helper()
	f, err := experiment.Compare(series, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBudgetApart: what was measured apart cannot be confirmed, and fails a
// gate all the same.
func TestBudgetApart(t *testing.T) {
	o, err := Parse("f", []byte("[[objective]]\nbenchmark = \"^B$\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	results := func(values []float64) (all []*benchfmt.Result) {
		for _, v := range values {
			all = append(all, &benchfmt.Result{Name: benchfmt.Name("B-2"), Iters: 1, Values: []benchfmt.Value{{Value: v, Unit: "ns/op"}}})
		}
		return all
	}
	base, head := results(around(500, .02, 10)), results(around(600, .02, 10))
	opts := experiment.DefaultOptions()
	opts.Budget, opts.Gated = BudgetOf(o), GatedBy(o)
	f, err := experiment.CompareApart(base, head, opts)
	if err != nil {
		t.Fatal(err)
	}
	out := Evaluate(o, experiment.SeriesApart(base, head), f, nil)
	if len(out) != 1 || out[0].Status != Missed {
		t.Errorf("%+v, want one missed", out)
	}
	f.Apart = false
	if out := Evaluate(o, experiment.SeriesApart(base, head), f, nil); out[0].Status != Uncertain {
		t.Errorf("interleaved, but not confirmed: %+v", out)
	}
}

// TestBudgetCertain: a budget of allocations is missed without a second measurement, if all
// samples of a side are the same.
func TestBudgetCertain(t *testing.T) {
	o, err := Parse("f", []byte("[[objective]]\nbenchmark = \"^B$\"\nmetric = \"allocs/op\"\nbudget = \"3%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	opts := experiment.DefaultOptions()
	opts.Budget, opts.Gated = BudgetOf(o), GatedBy(o)
	for _, c := range []struct {
		head float64
		want Status
	}{{103, Met}, {120, Missed}} {
		s := blocksOf("allocs/op", same(100, 10), same(c.head, 10))
		out := Evaluate(o, []experiment.Series{s}, compare(t, []experiment.Series{s}, opts), nil)
		if len(out) != 1 || out[0].Status != c.want {
			t.Errorf("100 to %v allocations: %+v, want %v", c.head, out, c.want)
		}
	}
}

// TestClockOfObjective: a budget of the time is one of the clock that judges it.
func TestClockOfObjective(t *testing.T) {
	objectives, err := Parse("hone.toml", []byte("[[objective]]\nbenchmark = \"B\"\nmetric = \"ns/op\"\nbudget = \"5%\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := experiment.Create(t.TempDir(), experiment.Info{Base: &experiment.Revision{Name: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	// Next to another load, three of four processes wait for a core: the time is noisy, and
	// CPU time is not.
	cpu := blocksOf(experiment.CPUTime, around(500, .01, 20), around(550, .01, 20))
	waits := [2][]float64{around(1.6, .35, 20), around(1.61, .35, 20)}
	var turn [2]int
	for _, s := range cpu.Samples {
		s.Beside = experiment.Beside{Others: 1}
		wall := s.Value
		if n := turn[s.Side]; n%4 != 0 {
			wall *= waits[s.Side][n]
		}
		turn[s.Side]++
		r := &benchfmt.Result{Name: benchfmt.Name(cpu.Benchmark), Iters: 1, Values: []benchfmt.Value{{Value: wall, Unit: "ns/op"}, {Value: s.Value, Unit: experiment.CPUTime}}}
		for _, phase := range []experiment.Phase{experiment.Measure, experiment.Repeat} {
			if err := w.Append(phase, s.Side, &s.Slot, r); err != nil {
				t.Fatal(err)
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
	opts := experiment.DefaultOptions()
	opts.Budget, opts.Gated = BudgetOf(objectives), GatedBy(objectives)
	family, err := run.Compare(opts)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := Evaluate(objectives, run.Series(experiment.Measure), family, nil)
	if len(outcomes) != 1 || outcomes[0].Status != Missed || outcomes[0].Key.Unit != experiment.CPUTime {
		t.Errorf("outcomes %+v", outcomes)
	}
}
