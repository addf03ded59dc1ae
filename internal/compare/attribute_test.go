package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hone-go/hone/profile"
)

// A world is what is true of two versions of a benchmark: what the functions
// cost per operation. Profiles of it are samples.
type world struct{ base, head []float64 }

func (w *world) costs() (base, head float64) {
	for f := range w.base {
		base, head = base+w.base[f], head+w.head[f]
	}
	return base, head
}

// ticks returns a CPU profile of n ticks of functions with these costs: a record
// has as many as hit the function in a row, as real ones have several.
func ticks(r *rand.Rand, costs []float64, n int) *profile.Profile {
	const period = 10e6
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	counts := make([]int64, len(costs))
	total := 0.0
	for _, c := range costs {
		total += c
	}
	for range n {
		at, f := r.Float64()*total, 0
		for ; f < len(costs)-1 && at >= costs[f]; f++ {
			at -= costs[f]
		}
		counts[f]++
	}
	for f, n := range counts {
		if n == 0 {
			continue
		}
		name := fmt.Sprintf("main.f%d", f)
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function(name, name, "", 0)})}, nil, n, n*period)
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, period
	return p
}

// allocations returns a heap profile at a rate, of n operations that allocate
// counts[f] blocks of sizes[f] bytes each: a point each rate bytes or so, at
// random, and whatever it hits is taken (runtime.mallocgc).
func allocations(r *rand.Rand, counts []float64, sizes []int, n, rate int) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{Type: "alloc_space", Unit: "bytes"})
	for f, c := range counts {
		taken, chance := int64(0), 1.0
		if rate > 1 {
			chance = -math.Expm1(-float64(sizes[f]) / float64(rate))
		}
		for range int(c * float64(n)) {
			if r.Float64() < chance {
				taken++
			}
		}
		if taken == 0 {
			continue
		}
		name := fmt.Sprintf("main.f%d", f)
		scaled := math.Round(float64(taken) / chance)
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function(name, name, "", 0)})}, nil, int64(scaled), int64(scaled)*int64(sizes[f]))
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "space", Unit: "bytes"}, int64(rate)
	return p
}

// partsOf returns what two profiles say of functions main.f0 and so on, n of
// them.
func partsOf(t *testing.T, profiles [2]*profile.Profile, sampleType string, n int) (total [2]weighed, parts [][2]weighed) {
	t.Helper()
	table, err := profile.NewFrameTable("functions", false)
	if err != nil {
		t.Fatal(err)
	}
	parts = make([][2]weighed, n)
	for i, p := range profiles {
		v, err := valuesByFunction(p, sampleType, table)
		if err != nil {
			t.Fatal(err)
		}
		total[i] = v.total
		for f := range v.own {
			var number int
			if _, err := fmt.Sscanf(table.Frame(uint32(f)).Name, "main.f%d", &number); err != nil {
				t.Fatal(err)
			}
			parts[number][i] = v.own[f]
		}
	}
	return total, parts
}

// coverage counts how many intervals hold what is true.
type coverage struct{ held, all int }

func (c *coverage) count(b bounded, truth float64) {
	c.all++
	if slack := 1e-9 * (math.Abs(truth) + 1); b.lo-slack <= truth && truth <= b.hi+slack {
		c.held++
	}
}

func (c *coverage) share() float64 { return float64(c.held) / float64(c.all) }

// TestUnseenSide: where the base is too small to be sampled, intervals hold the true
// change of a function that was all of it and stays, and of the one that is new, whichever
// side is unseen.
func TestUnseenSide(t *testing.T) {
	const base, head, samples, times = 20.0, 640, 40, 400
	costs := []float64{base, head - base} // of the side that is seen
	r := rand.New(rand.NewPCG(3, 4))
	for seen := range 2 {
		unseen := 1 - seen
		var held [2]coverage
		found := 0
		for range times {
			var profiles [2]*profile.Profile
			profiles[seen], profiles[unseen] = ticks(r, costs, samples), ticks(r, costs, 0)
			var a attribution
			a.costs[seen].value, a.costs[unseen].value = head, base
			var parts [][2]weighed
			a.total, parts = partsOf(t, profiles, "cpu", len(costs))
			sign := float64(2*seen - 1) // new in the head, or gone from the base
			for f, truth := range []float64{0, sign * (head - base)} {
				held[f].count(a.change(parts[f], deviations(confidence)), truth)
			}
			if some, _ := a.shown(parts); len(some) == 1 && some[0] == 1 {
				found++
			}
		}
		for f := range held {
			if held[f].share() < 0.94 {
				t.Errorf("side %d: intervals of function %d hold its change in %.1f %%", seen, f, 100*held[f].share())
			}
		}
		if found < times*99/100 {
			t.Errorf("side %d: found %d of %d times", seen, found, times)
		}
	}
}

// TestCoverage: over many simulated measurements intervals of rows hold the true
// change of their function, those of all functions taken one by one as well as
// those of what is shown, which is seldom anything where nothing changed.
func TestCoverage(t *testing.T) {
	even := func(n int, total float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = total / float64(n)
		}
		return out
	}
	falling := func(n int, total float64) []float64 { // as functions do: a few are most of it
		out, sum := make([]float64, n), 0.0
		for i := range out {
			out[i] = 1 / float64(i+1)
			sum += out[i]
		}
		for i := range out {
			out[i] *= total / sum
		}
		return out
	}
	changed := func(base []float64, by map[int]float64) []float64 {
		head := append([]float64(nil), base...)
		for f, v := range by {
			head[f] += v
		}
		return head
	}
	f20, f60 := falling(20, 500), falling(60, 500)
	worlds := []struct {
		name string
		world
		samples int     // ticks a side, or operations
		rate    int     // of memory profiles
		noise   float64 // standard error of the change, as a share
		finds   bool    // the change is large enough to be found
	}{
		{"nothing changed", world{f20, f20}, 200, 0, 0.005, false},
		{"nothing changed, many functions", world{f60, f60}, 200, 0, 0.005, false},
		{"nothing changed, alike", world{even(40, 500), even(40, 500)}, 200, 0, 0.01, false},
		{"a little slower", world{f20, changed(f20, map[int]float64{3: 3.5})}, 200, 0, 0.002, false},
		{"one half as slow", world{f20, changed(f20, map[int]float64{0: -f20[0] / 2})}, 200, 0, 0.01, true},
		{"gone and new", world{changed(f20, map[int]float64{19: -f20[19], 5: -f20[5]}), changed(f20, map[int]float64{1: -f20[1]})}, 200, 0, 0.02, true},
		{"few ticks", world{f20, changed(f20, map[int]float64{1: 200})}, 30, 0, 0.01, true},
		{"many ticks", world{f60, changed(f60, map[int]float64{1: 30, 7: -5, 30: 20})}, 3000, 0, 0.01, true},
		{"ten times as fast", world{f20, changed(even(20, 0), map[int]float64{2: 30, 3: 20})}, 200, 0, 0.03, true},
		{"allocations", world{[]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 6, 4, 3, 6}}, 1000, 2048, 0, true},
		{"the same allocations", world{[]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 3, 4, 5, 6}}, 1000, 2048, 0, false},
		{"few allocations", world{[]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 6, 0, 5, 6}}, 300, 2048, 0, true},
		{"all allocations", world{[]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 6, 4, 5, 6}}, 3, 1, 0, true},
	}
	sizes := []int{16, 4096, 64, 512, 24, 100_000}
	r := rand.New(rand.NewPCG(1, 2))
	for _, w := range worlds {
		const times = 300
		var each, rows coverage
		tables, wrong := 0, 0.0 // wrong: the mean share of rows that don't hold the truth
		base, head := w.costs()
		for range times {
			// The change is measured with an error, that the comparison knows.
			measured := head * math.Exp(w.noise*r.NormFloat64())
			a := attribution{costs: [2]cost{{base, 0, 0}, {measured, measured * w.noise, measured * w.noise}}}
			var profiles [2]*profile.Profile
			sampleType := "cpu"
			for i, costs := range [][]float64{w.base, w.head} {
				if w.rate > 0 {
					sampleType = "alloc_objects"
					profiles[i] = allocations(r, costs, sizes, w.samples, w.rate)
				} else {
					profiles[i] = ticks(r, costs, w.samples)
				}
			}
			var parts [][2]weighed
			a.total, parts = partsOf(t, profiles, sampleType, len(w.base))
			for f := range parts {
				each.count(a.change(parts[f], deviations(confidence)), w.head[f]-w.base[f])
			}
			shown, z := a.shown(parts)
			var table coverage
			for _, f := range shown {
				table.count(a.change(parts[f], z), w.head[f]-w.base[f])
			}
			if len(shown) > 0 {
				tables++
				wrong += (1 - table.share()) / times
			}
			rows.held, rows.all = rows.held+table.held, rows.all+table.all
		}
		t.Logf("%-32s %.1f %% of all intervals, %d of %d shown hold the change; rows in %d of %d tables, on average %.1f %% wrong", w.name,
			100*each.share(), rows.held, rows.all, tables, times, 100*wrong)
		if each.share() < 0.93 {
			t.Errorf("%s: %.1f %% of the intervals hold the change", w.name, 100*each.share())
		}
		if wrong > 0.07 {
			t.Errorf("%s: of a table, %.1f %% of the rows don't hold the change", w.name, 100*wrong)
		}
		if w.finds && tables < times/2 {
			t.Errorf("%s: rows in %d of %d tables", w.name, tables, times)
		}
	}
}

// What is left of a profile after all of its functions were taken out has no value, but a
// variance that is off by a rounding. Its interval is that of any part without samples.
func TestNothingLeft(t *testing.T) {
	total := weighed{2384, 60}
	for _, left := range []weighed{{0, 1e-13}, {2384, 60 - 1e-13}} {
		lo, hi := left.of(total).interval(2)
		wantLo, wantHi := weighed{left.value, math.Round(left.variance)}.of(total).interval(2)
		if lo != wantLo || hi != wantHi || !(hi-lo > 0 && hi-lo < 0.1) {
			t.Errorf("%v of %v: [%v, %v], want [%v, %v]", left, total, lo, hi, wantLo, wantHi)
		}
	}
}
