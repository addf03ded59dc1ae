package experiment

// What shifts all samples of a side alike looks like a change, and is there again in a
// confirming run. No test of the samples can tell it from a change, so samples have to be
// taken such that it differs from pair to pair. These tests simulate identical code with two
// such shifts, as hone once measured, and as it measures now.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// A shifted benchmark gives the time of a sample of identical code.
type shifted func(i int, slot Slot) float64

// compareShifted measures a family as hone bench -against does, without a pre-check, which
// is of one side and can't show a shift between two. layouts says how the phases are linked.
func compareShifted(t *testing.T, rng *rand.Rand, value shifted, layouts map[Phase]bool) *Family {
	t.Helper()
	opts := DefaultOptions()
	take := func(phase Phase, series []Series, n map[Key]int) {
		for i := range series {
			s := &series[i]
			block := 0
			if k := len(s.Samples); k > 0 {
				block = s.Samples[k-1].Block + 1
			}
			for k, slot := range Schedule(rng, n[s.Key], block, len(s.Samples)) {
				if layouts[phase] {
					slot.Layout = 1 + 2*slot.Block + k%4/2 + 1000*int(phase)
				}
				s.Samples = append(s.Samples, Sample{slot, value(i, slot)})
			}
		}
	}
	series, keys := newSeries()
	var first *Family
	for more := each(keys, opts.Looks[0].Pairs); len(more) > 0; more = first.Undecided(opts.Looks) {
		take(Measure, series, more)
		first = compared(t, series, opts)
	}
	asked := first.Unconfirmed()
	var again []Series
	for _, k := range asked {
		again = append(again, Series{Key: k})
	}
	second := &Family{}
	for more := each(keysOf(asked), opts.Looks[0].Pairs); len(more) > 0; more = second.Undecided(opts.Looks) {
		take(Repeat, again, more)
		var err error
		if second, err = compare(question{series: again, opts: opts, repeats: first, stands: inOtherLayouts(series, again)}); err != nil {
			t.Fatal(err)
		}
	}
	return first.Confirm(second)
}

func keysOf(keys []Key) map[Key]int {
	set := make(map[Key]int)
	for _, k := range keys {
		set[k] = 0
	}
	return set
}

// alarms counts families in which a change of identical code is confirmed.
func alarms(t *testing.T, seed uint64, layouts map[Phase]bool, start func(rng *rand.Rand) shifted) (n, all int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	all = families()
	for range all {
		f := compareShifted(t, rng, start(rng), layouts)
		n += count(slices.ContainsFunc(f.Comparisons, func(c Comparison) bool { return c.Verdict.Changed() }))
	}
	return n, all
}

// TestSetupOfEachSample: CPU time is that of a process less what it takes besides its
// iterations. That is measured by a process of its own, and varies by 15 %.
func TestSetupOfEachSample(t *testing.T) {
	const iterating, setup, parts = 100.0, 5.0, 5 // milliseconds of CPU time; processes of a sample
	of := func(rng *rand.Rand) float64 { return setup * math.Exp(0.15*rng.NormFloat64()) }
	sample := func(rng *rand.Rand, besides float64) float64 {
		sum := 0.0
		for range parts {
			sum += iterating*math.Exp(0.01*rng.NormFloat64()) + of(rng) - besides
		}
		return sum
	}
	once, _ := alarms(t, 1, nil, func(rng *rand.Rand) shifted {
		var besides [familySize][2]float64
		for i := range besides {
			for s := range besides[i] {
				besides[i][s] = rank.Median([]float64{of(rng), of(rng), of(rng)})
			}
		}
		return func(i int, slot Slot) float64 { return sample(rng, besides[i][slot.Side]) }
	})
	each, n := alarms(t, 1, nil, func(rng *rand.Rand) shifted {
		return func(_ int, slot Slot) float64 { return sample(rng, of(rng)) }
	})
	t.Logf("families with a confirmed change of identical code: %s with the setup measured once, %s with that of each sample", percent(once, n), percent(each, n))
	if float64(each) > truthLevel*float64(n) {
		t.Errorf("%d of %d families with a false alarm", each, n)
	}
	if once <= each {
		t.Errorf("%d false alarms with the setup measured once, %d with that of each sample: nothing is simulated", once, each)
	}
}

// TestConfirmedInOtherLayouts: binaries of one layout each differ, with the same code.
func TestConfirmedInOtherLayouts(t *testing.T) {
	const order = 0.02 // doc/design/0014
	start := func(rng *rand.Rand) shifted {
		type binary struct {
			benchmark, layout int
			side              Side
		}
		factors := make(map[binary]float64)
		return func(i int, slot Slot) float64 {
			b := binary{i, slot.Layout, slot.Side}
			if factors[b] == 0 {
				factors[b] = math.Exp(order * rng.NormFloat64())
			}
			return factors[b] * math.Exp(0.01*rng.NormFloat64())
		}
	}
	one, n := alarms(t, 2, nil, start)
	confirmed, _ := alarms(t, 2, map[Phase]bool{Repeat: true}, start)
	several, _ := alarms(t, 2, map[Phase]bool{Measure: true, Repeat: true}, start)
	t.Logf("families with a confirmed change of identical code: %s in one layout, %s if confirmed in others, %s in several", percent(one, n), percent(confirmed, n), percent(several, n))
	for _, k := range []int{confirmed, several} {
		if float64(k) > truthLevel*float64(n) {
			t.Errorf("%d of %d families with a false alarm", k, n)
		}
	}
	if one <= confirmed {
		t.Errorf("%d false alarms in one layout, %d confirmed in others: nothing is simulated", one, confirmed)
	}
}
