package experiment

import (
	"slices"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// A benchmark that computes on one core takes as much time as CPU time, and both
// clocks tell of the same. On a busy machine the first goes up and down with whatever
// else runs, and the second hardly does. So, of a benchmark with both:
//
//   - Time decides, since it is what a user waits for, unless
//   - CPU time has less than 1/quieter of its noise, and the benchmark computes on
//     one core: where it was disturbed least, in a fifth of the samples of either
//     side, CPU time is from oneCoreLow to oneCoreHigh of the time. More means that
//     several cores work, the collector's among them; less, that it waits. Then CPU
//     time decides.
//   - Where no core was left in more than half of the samples, a change of the
//     time counts only if CPU time has it, too, at the level of one series.
//
// The clock is chosen by noise and shares, not by what the clocks say of a change.
const (
	quieter     = 1.5
	oneCoreLow  = 0.9
	oneCoreHigh = 1.15
)

// A role is what a series has to say in its family.
type role struct {
	gated    bool      // can fail a run
	tested   bool      // takes part in the correction
	budget   float64   // accepted worsening
	judgedBy string    // the unit of the clock that decides, "" if it is this one
	cpu      *Interval // of a time: the change of CPU time, nil where it isn't known

	sameCode       bool // the benchmark can run nothing that changed
	otherBenchmark bool // each side ran its own
}

// assignRoles gives each series its role: what is known without the clock, then which of
// two clocks judges a benchmark.
func assignRoles(all []estimate, q *question) []role {
	roles := make([]role, len(all))
	for i, e := range all {
		r := role{gated: e.gated, tested: e.gated && e.chance, budget: e.budget}
		if slices.Contains(q.sameCode, e.Name()) {
			r.gated, r.tested, r.sameCode = false, false, true
		} else if q.unlike(e.Package) {
			r.gated, r.tested, r.otherBenchmark = false, false, true
		}
		roles[i] = r
	}
	if q.apart {
		return roles
	}
	for i := range all {
		wall := &all[i]
		if !isRunTime(wall.Unit) || wall.sample.scale != Ratio {
			continue
		}
		j := slices.IndexFunc(all, func(e estimate) bool { return e.Key == Key{wall.Package, wall.Benchmark, CPUTime} })
		if j < 0 || all[j].sample.scale != Ratio {
			continue
		}
		cpu := &all[j]
		roles[i].cpu = &cpu.interval
		if roles[i].tested && byCPU(wall, cpu, q.repeats) {
			roles[i].gated, roles[i].tested, roles[i].judgedBy = false, false, CPUTime
			roles[j].gated, roles[j].tested, roles[j].budget = true, cpu.exact || cpu.chance, roles[i].budget
		} else if !roles[j].gated {
			roles[j].judgedBy = wall.Unit
		}
	}
	return roles
}

// byCPU reports whether CPU time judges a benchmark. A second run is judged by the clock
// that judged the first.
func byCPU(wall, cpu *estimate, first *Family) bool {
	if first != nil {
		was := first.Of(wall.Key)
		return was != nil && was.JudgedBy == CPUTime
	}
	return oneCore(wall.sample, cpu.sample) && rank.Spread(wall.sample.differences) > quieter*rank.Spread(cpu.sample.differences)
}

// oneCore reports whether a benchmark computes on one core, on both sides.
func oneCore(wall, cpu pairedSample) bool {
	one := func(wall, cpu []float64) bool {
		if len(wall) != len(cpu) || len(wall) == 0 {
			return false
		}
		shares := make([]float64, len(wall))
		for i := range wall {
			shares[i] = cpu[i] / wall[i]
		}
		slices.Sort(shares)
		best := shares[len(shares)-1-len(shares)/5]
		return oneCoreLow <= best && best <= oneCoreHigh
	}
	return one(wall.base, cpu.base) && one(wall.head, cpu.head)
}

// busy reports whether a change of the time may be the machine's: it was crowded, and
// CPU time does not change the same way.
func busy(e *estimate, r *role, sign Direction) bool {
	if !isRunTime(e.Unit) || !e.crowded {
		return false
	}
	if r.cpu == nil {
		return true
	}
	n := Ratio.neutral()
	return !(sign > 0 && r.cpu.Lo > n || sign < 0 && r.cpu.Hi < n)
}
