package experiment

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// blocksOf makes a series from values in pairs, in ABBA blocks.
func blocksOf(unit string, base, head []float64) Series {
	s := Series{Key: Key{Benchmark: "B", Unit: unit}}
	rng := rand.New(rand.NewPCG(7, 7))
	next := [2]int{}
	values := [2][]float64{base, head}
	for _, slot := range Schedule(rng, max(len(base), len(head)), 0, 0) {
		i := next[slot.Side]
		next[slot.Side]++
		if i < len(values[slot.Side]) {
			s.Samples = append(s.Samples, Sample{slot, values[slot.Side][i]})
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

func TestSchedule(t *testing.T) {
	for _, pairs := range []int{1, 2, 5, 10} {
		slots := Schedule(rand.New(rand.NewPCG(1, uint64(pairs))), pairs, 3, 40)
		sides := [2]int{}
		for i, s := range slots {
			sides[s.Side]++
			if s.Order != 40+i || s.Block != 3+i/4 {
				t.Errorf("%d pairs: slot %d is %+v", pairs, i, s)
			}
		}
		if sides != [2]int{pairs, pairs} {
			t.Errorf("%d pairs: %v executions a side", pairs, sides)
		}
		for i := 0; i+3 < len(slots); i += 4 {
			if b := slots[i : i+4]; b[0].Side != b[3].Side || b[1].Side != b[2].Side || b[0].Side == b[1].Side {
				t.Errorf("block %v is neither ABBA nor BAAB", b)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name       string
		unit       string
		base, head []float64
		budget     float64
		want       Verdict
		words      string
	}{
		{"equal noise", "ns/op", around(500, .005, 20), around(500.1, .005, 20), 0, NoChange, "no change"},
		{"slower", "ns/op", around(500, .01, 10), around(550, .01, 10), 0, Worse, "slower"},
		{"faster", "ns/op", around(500, .01, 10), around(400, .01, 10), 0, Better, "faster"},
		{"less throughput", "msgs/s", around(500, .01, 10), around(400, .01, 10), 0, Worse, "worse"},
		{"more throughput", "msgs/s", around(500, .01, 10), around(600, .01, 10), 0, Better, "better"},
		{"slower, less than the budget or more", "ns/op", around(500, .02, 10), around(525, .02, 10), .05, Worse, "slower (perhaps within the budget of 5 %)"},
		{"unknown unit", "widgets", around(500, .01, 10), around(600, .01, 10), 0, Differs, "differs"},
		{"slower within budget", "ns/op", around(500, .002, 10), around(520, .002, 10), .10, WithinBudget, "within budget"},
		{"slower than budget", "ns/op", around(500, .002, 10), around(580, .002, 10), .10, Worse, "slower"},
		{"throughput within budget", "msgs/s", around(500, .002, 10), around(480, .002, 10), .10, WithinBudget, "within budget"},
		{"budget allows no gain", "ns/op", around(500, .002, 10), around(480, .002, 10), .10, Better, "faster"},
		{"noisy", "ns/op", around(500, .4, 10), around(510, .4, 10), 0, Inconclusive, "inconclusive (min detectable"},
		{"too few", "ns/op", around(500, .01, 3), around(900, .01, 3), 0, Inconclusive, "inconclusive (too few samples)"},
		{"with zeros, equal", "gc/op", []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, []float64{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 0, NoChange, "no change"},
		{"with zeros, worse", "gc/op", same(0, 10), around(40, .1, 10), 0, Worse, "worse"},
		{"only one side", "ns/op", around(500, .01, 10), nil, 0, OneSided, "one side only"},

		{"allocs equal", "allocs/op", same(3, 2), same(3, 2), 0, NoChange, "no change"},
		{"one more alloc", "allocs/op", same(3, 2), same(4, 2), 0, Worse, "worse"},
		{"first alloc", "allocs/op", same(0, 3), same(1, 3), 0, Worse, "worse"},
		{"no allocs left", "allocs/op", same(13, 3), same(0, 3), 0, Better, "better"},
		{"bytes within budget", "B/op", same(1000, 3), same(1020, 3), .03, WithinBudget, "within budget"},
		{"bytes beyond budget", "B/op", same(1000, 3), same(1040, 3), .03, Worse, "worse"},
		{"bytes jitter", "B/op", []float64{64001, 64002, 64001, 64003}, []float64{64002, 64001, 64003, 64001}, 0, NoChange, "no change"},
		{"a byte, rounded", "B/op", same(7, 10), same(8, 10), 0, NoChange, "no change"},
		{"two bytes", "B/op", same(7, 10), same(9, 10), 0, Worse, "worse"},
		{"bytes jitter apart", "B/op", around(64000, .0002, 10), around(64100, .0002, 10), 0, Worse, "worse"},
		{"bytes jitter apart, too few", "B/op", []float64{64001, 64002}, []float64{64101, 64102}, 0, Inconclusive, "inconclusive"},
		{"one sample of allocs", "allocs/op", same(3, 1), same(4, 1), 0, Inconclusive, "inconclusive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := DefaultOptions()
			opts.Budget = func(Key) float64 { return c.budget }
			f := compared(t, []Series{blocksOf(c.unit, c.base, c.head)}, opts)
			got := f.Comparisons[0]
			if got.Verdict != c.want || !strings.HasPrefix(got.Words(), c.words) {
				t.Errorf("verdict %v, %q; want %v, %q\nchange %v, interval %v, gate %v, p %v, adjusted %v", got.Verdict, got.Words(), c.want, c.words,
					got.Change, got.Interval, got.Gate, got.P, got.AdjustedP)
			}
		})
	}
}

// TestEstimate: a change of exactly 3 % in every pair is found as such.
func TestEstimate(t *testing.T) {
	base := around(800, .2, 10)
	head := make([]float64, len(base))
	for i, v := range base {
		head[i] = 1.03 * v
	}
	// Pairs are neighbours; the order within a side is the order of values.
	c := compared(t, []Series{blocksOf("ns/op", base, head)}, DefaultOptions()).Comparisons[0]
	if math.Abs(c.Change-1.03) > 1e-12 || math.Abs(c.Interval.Lo-1.03) > 1e-12 || c.Verdict != Worse || c.Pairs != 10 {
		t.Errorf("found %v in %v over %d pairs: %v", c.Change, c.Interval, c.Pairs, c.Verdict)
	}
	if p := 2 / math.Exp2(10); math.Abs(c.P-p) > 1e-12 {
		t.Errorf("p = %v, want the smallest, %v", c.P, p)
	}
	if math.Abs(c.AdjustedP-c.P/DefaultLooks[0].Share) > 1e-12 {
		t.Errorf("adjusted p = %v, want p over the share of the look, %v", c.AdjustedP, c.P/DefaultLooks[0].Share)
	}
}

// TestHolm: levels are α/m, α/(m−1), … in the order of p, and stop at the first
// that is not reached.
func TestHolm(t *testing.T) {
	opts := DefaultOptions()
	opts.Looks = OneLook(8) // smallest p: 2/256 = 0.0078
	var series []Series
	add := func(name string, n int) {
		for range n {
			s := blocksOf("ns/op", around(500, .002, 8), around(600, .002, 8))
			s.Benchmark = name + string(rune('a'+len(series)))
			series = append(series, s)
		}
	}
	changed := func() (n int) {
		for _, c := range compared(t, series, opts).Comparisons {
			n += count(c.Verdict.Changed())
		}
		return n
	}
	for m, want := range map[int]int{1: 1, 6: 6, 7: 0} { // 0.05/6 = 0.0083 is reached, 0.05/7 is not
		series = nil
		add("B", m)
		if got := changed(); got != want {
			t.Errorf("family of %d: %d changes, want %d", m, got, want)
		}
	}
	series = nil
	add("B", 5)
	flat := blocksOf("ns/op", around(500, .01, 8), around(500, .01, 8))
	flat.Benchmark = "flat"
	series = append(series, flat)
	if got := changed(); got != 5 {
		t.Errorf("family of 5 changes and none: %d changes, want 5", got)
	}
	// Counts cannot give a false alarm, so they don't blunt the rest.
	for i := range 20 {
		s := blocksOf("allocs/op", same(3, 8), same(3, 8))
		s.Benchmark = string(rune('a' + i))
		series = append(series, s)
	}
	if got := changed(); got != 5 {
		t.Errorf("the same with counts: %d changes, want 5", got)
	}
}

func TestConfirm(t *testing.T) {
	slower := blocksOf("ns/op", around(500, .01, 10), around(550, .01, 10))
	faster := blocksOf("ns/op", around(500, .01, 10), around(450, .01, 10))
	noisy := blocksOf("ns/op", around(500, .1, 10), around(515, .1, 10))
	small := blocksOf("ns/op", around(500, .002, 10), around(506, .002, 10))
	opts := DefaultOptions()
	for _, c := range []struct {
		name         string
		again        []Series
		confirmation Confirmation
		verdict      Verdict
		fails        bool
	}{
		{"same sign", []Series{slower}, Agreed, Worse, true},
		{"same sign, alone inconclusive", []Series{noisy}, Disagreed, Inconclusive, false},
		{"small again", []Series{small}, Agreed, Worse, false},
		{"other sign", []Series{faster}, Disagreed, Inconclusive, false},
		{"not measured", nil, NotRepeated, Inconclusive, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := compared(t, []Series{slower}, opts)
			if len(first.Regressions()) > 0 || len(first.Unconfirmed()) != 1 {
				t.Fatalf("an unconfirmed change fails the gate")
			}
			f := first.Confirm(compared(t, c.again, opts))
			got := f.Comparisons[0]
			if got.Confirmation != c.confirmation || got.Verdict != c.verdict || (len(f.Regressions()) > 0) != c.fails {
				t.Errorf("%v, %v (%q), fails %v", got.Confirmation, got.Verdict, got.Words(), len(f.Regressions()) > 0)
			}
			if first.Comparisons[0].Confirmation != Pending {
				t.Error("Confirm changed the first family")
			}
		})
	}
}

// TestCertain: counts that are the same in all samples of a side need no second run to fail
// a gate. One that contradicts them is believed.
func TestCertain(t *testing.T) {
	none, short := []Series{}, []Series{blocksOf("allocs/op", same(0, 1), same(88, 1))}
	for _, c := range []struct {
		name         string
		unit         string
		base, head   []float64
		again        []Series // nil: there was no second run
		confirmation Confirmation
		fails        bool
	}{
		{"no second run", "allocs/op", same(0, 10), same(88, 10), nil, Pending, true},
		{"only of others", "allocs/op", same(0, 10), same(88, 10), none, Pending, true},
		{"ended early", "allocs/op", same(0, 10), same(88, 10), short, Pending, true},
		{"confirmed", "allocs/op", same(0, 10), same(88, 10), []Series{blocksOf("allocs/op", same(0, 10), same(88, 10))}, Agreed, true},
		{"contradicted", "allocs/op", same(0, 10), same(88, 10), []Series{blocksOf("allocs/op", same(0, 10), same(0, 10))}, Disagreed, false},
		{"two samples, far apart", "allocs/op", same(0, 2), same(88, 2), nil, Pending, true},
		{"one more", "allocs/op", same(3, 4), same(4, 4), nil, Pending, true},
		{"one more, in too few samples", "allocs/op", same(3, 3), same(4, 3), nil, Pending, false},
		{"within the budget", "allocs/op", same(1000, 10), same(1020, 10), nil, Pending, false},
		{"fewer", "allocs/op", same(88, 10), same(0, 10), nil, Pending, false},
		{"nearly constant", "B/op", append(same(64000, 9), 64001), same(65536, 10), nil, Pending, false},
		{"a time", "ns/op", around(500, .001, 10), around(900, .001, 10), nil, Pending, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := DefaultOptions()
			opts.Budget = func(Key) float64 { return .03 }
			f := compared(t, []Series{blocksOf(c.unit, c.base, c.head)}, opts)
			if c.again != nil {
				f = f.Confirm(compared(t, c.again, opts))
			}
			if got := f.Comparisons[0]; got.Confirmation != c.confirmation || (len(f.Regressions()) > 0) != c.fails {
				t.Errorf("%q, %v, fails %v", got.Words(), got.Confirmation, len(f.Regressions()) > 0)
			}
			f.Apart = true
			if f.Regressed(&f.Comparisons[0]) && c.confirmation != Agreed {
				t.Error("fails although the sides were measured apart")
			}
		})
	}
}

// TestNotGated: throughput derived from the time is compared and cannot fail.
func TestNotGated(t *testing.T) {
	s := blocksOf("MB/s", around(500, .01, 10), around(400, .01, 10))
	f := compared(t, []Series{s}, DefaultOptions())
	again := f.Confirm(f)
	if f.Comparisons[0].Verdict != Worse || f.Tested != 0 || len(f.Unconfirmed()) > 0 || len(again.Regressions()) > 0 {
		t.Errorf("%q, tested %d, to confirm %v, regressions %v", f.Comparisons[0].Words(), f.Tested, f.Unconfirmed(), again.Regressions())
	}
}

func TestFloor(t *testing.T) {
	quiet := blocksOf("ns/op", around(500, .01, 10), around(500.4, .01, 10))
	biased := blocksOf("ns/op", around(500, .001, 10), around(540, .001, 10))
	counts := blocksOf("allocs/op", same(0, 10), same(0, 10))
	floors := MeasureFloor([]Series{quiet, counts})
	if f := floors[quiet.Key]; f.Bias != 0 || f.Pairs != 10 || f.Spread <= 0 || f.Spread > 0.05 {
		t.Errorf("floor of a quiet machine: %+v", f)
	}
	if _, ok := floors[counts.Key]; ok {
		t.Error("counts have a floor")
	}
	if f := floors[quiet.Key]; !(f.MinDetectable(20, 1, DefaultOptions()) < f.MinDetectable(20, 10, DefaultOptions())) {
		t.Error("a larger family should detect less")
	}
	opts := DefaultOptions()
	opts.Floors = MeasureFloor([]Series{biased})
	if b := opts.Floors[biased.Key].Bias; math.Abs(b-0.08) > 0.002 {
		t.Errorf("bias %v, want 0.08", b)
	}
	c := compared(t, []Series{blocksOf("ns/op", around(500, .001, 10), around(530, .001, 10))}, opts).Comparisons[0]
	if c.Verdict == Worse || len(c.Warnings) == 0 {
		t.Errorf("a change below what the pre-check found in nothing counts: %v, %v", c.Words(), c.Warnings)
	}
}

func TestUndecided(t *testing.T) {
	noisy := blocksOf("ns/op", around(500, .4, 10), around(510, .4, 10))
	slower := blocksOf("B/op", around(500, .2, 10), around(5000, .2, 10))
	f := compared(t, []Series{noisy, slower}, DefaultOptions())
	more := f.Undecided(DefaultLooks)
	if len(more) != 1 || more[noisy.Key] != 10 {
		t.Errorf("to measure again: %v", more)
	}
	if more := compared(t, []Series{blocksOf("ns/op", around(500, .4, 20), around(510, .4, 20))}, DefaultOptions()).Undecided(DefaultLooks); len(more) != 0 {
		t.Errorf("after the last look: %v", more)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Alpha = 0 }, "level"},
		{func(o *Options) { o.Resolution = -1 }, "resolution"},
		{func(o *Options) { o.Looks = nil }, "no look"},
		{func(o *Options) { o.Looks = []Look{{10, .6}, {20, .6}} }, "add up"},
		{func(o *Options) { o.Looks = []Look{{10, .5}, {10, .5}} }, "grow"},
	} {
		opts := DefaultOptions()
		c.change(&opts)
		if _, err := Compare(nil, opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one about %q", err, c.want)
		}
	}
	s := blocksOf("ns/op", same(1, 2), same(1, 2))
	if _, err := Compare([]Series{s, s}, DefaultOptions()); err == nil {
		t.Error("a series twice in a family is no error")
	}
}

func TestBadSamples(t *testing.T) {
	s := blocksOf("ns/op", around(500, .01, 10), around(550, .01, 10))
	s.Samples[3].Value = math.NaN()
	c := compared(t, []Series{s}, DefaultOptions()).Comparisons[0]
	if c.Pairs != 9 || len(c.Warnings) != 2 {
		t.Errorf("%d pairs, warnings %q", c.Pairs, c.Warnings)
	}
}

// TestJSON: every kind of comparison can be written, without NaN in it.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		s    Series
		want string
	}{
		{blocksOf("ns/op", around(500, .01, 10), around(550, .01, 10)), `"verdict":"worse","words":"slower"`},
		{blocksOf("ns/op", around(500, .01, 2), around(550, .01, 2)), `"interval":{"lo":0,"hi":null,"confidence":0.95}`},
		{blocksOf("ns/op", around(500, .01, 2), nil), `"head":null,"change":null`},
		{blocksOf("allocs/op", same(0, 3), same(1, 3)), `"exact":true,"scale":"difference"`},
	} {
		text, err := json.Marshal(compared(t, []Series{c.s}, DefaultOptions()))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%s, %v; want %s", text, err, c.want)
		}
	}
}
