package experiment

import "slices"

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

// chooseClocks decides which of two clocks judges a benchmark: the one that has judged
// it in the family that is repeated, if any.
func (f *Family) chooseClocks(repeated *Family) {
	for i := range f.Comparisons {
		wall := &f.Comparisons[i]
		if !isRunTime(wall.Unit) {
			continue
		}
		cpu := f.Of(Key{wall.Package, wall.Benchmark, CPUTime})
		if cpu == nil || cpu.Scale != Ratio || wall.Scale != Ratio {
			continue
		}
		wall.cpu = cpu
		var byCPU bool
		if repeated != nil {
			was := repeated.Of(wall.Key)
			byCPU = was != nil && was.JudgedBy == CPUTime
		} else {
			byCPU = oneCore(wall, cpu) && spread(wall.sample.differences) > quieter*spread(cpu.sample.differences)
		}
		if wall.tested && byCPU {
			wall.Gated, wall.tested, wall.JudgedBy = false, false, CPUTime
			cpu.Gated, cpu.tested, cpu.Budget = true, true, wall.Budget
		} else if !cpu.Gated {
			cpu.JudgedBy = wall.Unit
		}
	}
}

// oneCore reports whether a benchmark computes on one core, on both sides.
func oneCore(wall, cpu *Comparison) bool {
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
	return one(wall.sample.base, cpu.sample.base) && one(wall.sample.head, cpu.sample.head)
}

// busy reports whether a change of the time may be the machine's: it was crowded, and
// CPU time does not change the same way.
func (c *Comparison) busy(sign Direction) bool {
	if !isRunTime(c.Unit) || !c.crowded {
		return false
	}
	if c.cpu == nil {
		return true
	}
	n := c.cpu.Scale.neutral()
	return !(sign > 0 && c.cpu.Interval.Lo > n || sign < 0 && c.cpu.Interval.Hi < n)
}
