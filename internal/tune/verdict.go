package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
)

// What is to be done further after a measurement.
type further int

const (
	nothing further = iota
	again           // measure once more, as a second run has to say the same
	longer          // measure for longer, which may tell
)

// A judgement is what a measurement made of a rewrite.
type judgement struct {
	state   advice.State
	why     string
	changes []Change
	run     string  // with the measurement
	more    further // that has to be measured
	// anyway is why a rewrite is kept if nothing more is measured, although some times are undecided:
	// it allocates less, and no slowdown was measured. It is "" for other rewrites.
	anyway string
}

// settled is the judgement if nothing more is measured.
func (j judgement) settled() judgement {
	if j.anyway != "" {
		j.state, j.why, j.more = advice.Confirmed, j.anyway, nothing
	}
	return j
}

// judge says what a measurement made of a rewrite that promises a part of the time:
//
//	refuted       something got worse, confirmed; or no time changed, by the promise
//	              or more
//	confirmed     some benchmark's time got better, confirmed, or what it allocates,
//	              where of each time it is ruled out that it got worse by more than
//	              is accepted, or where no slowdown was seen even after a longer
//	              measurement
//	inconclusive  everything else
//
// Worse and better are what two series of samples agree on. That no time changed is of one, so
// that a second run has to say so, too.
func judge(report *bench.Report, promise float64) judgement {
	j := judgement{state: advice.Inconclusive}
	if report.Family == nil {
		if len(report.Failures) == 0 && len(report.Unchanged) > 0 {
			j.state, j.why = advice.Refuted, "the compiler makes the same program with and without the rewrite"
			return j
		}
		j.why = "the benchmarks could not be measured"
		return j
	}
	j.changes = Changes(report.Family)
	t := timesOf(report.Family)
	worse, smaller := t.slower, []string(nil)
	for i := range report.Family.Comparisons {
		c := &report.Family.Comparisons[i]
		switch {
		case IsClock(c) || c.Confirmation != experiment.Agreed:
		case c.Gated && c.Verdict == experiment.Worse:
			worse = append(worse, Tell(c))
		case c.Verdict == experiment.Better && (c.Unit == "B/op" || c.Unit == "allocs/op"):
			smaller = append(smaller, Tell(c))
		}
	}
	maySlow := t.none() || slices.ContainsFunc(t.open, func(c *experiment.Comparison) bool { return !noSlower(c) })
	inReach := slices.ContainsFunc(t.small, func(c *experiment.Comparison) bool { // what was promised
		return c.Scale == experiment.Ratio && c.Verdict != experiment.SameCode && promise > 0 && c.Interval.Lo <= 1-promise
	})
	fails := broken(report.Failures)
	switch {
	case len(worse) > 0:
		j.state, j.why = advice.Refuted, "worse: "+list(worse)
	case fails != nil:
		j.why = fmt.Sprintf("a benchmark fails only with the rewrite: %s: %s", cmp.Or(fails.Benchmark, fails.Package), fails.What)
	case len(report.Family.Missing) > 0:
		j.why = "measured only without the rewrite: " + report.Family.Missing[0].String()
	case len(t.faster) > 0:
		j.state, j.why = advice.Confirmed, list(t.faster)
	case len(smaller) > 0 && maySlow:
		j.why = "it allocates less (" + list(smaller) + "), but may be slower: " + t.remedy(report.Family)
		j.more = longer
		if seen, ok := t.even(); ok {
			j.anyway = "it allocates less (" + list(smaller) + "), and no slowdown was measured: " + list(seen)
		}
	case len(smaller) > 0:
		j.state, j.why = advice.Confirmed, "no slower: "+list(smaller)
	case len(report.Failures) > 0:
		j.why = "not all benchmarks could be measured"
	case t.none():
		j.why = "no time was measured"
	case len(t.open) > 0:
		j.why = "the measurement is too noisy to tell: " + t.remedy(report.Family)
		j.more = longer
	case inReach:
		j.why = fmt.Sprintf("no gain was found, but the measurement is too noisy to rule out the expected %.1g %%", 100*promise)
	default:
		j.state, j.why = advice.Refuted, "measured, and no faster"
		j.more = again
	}
	return j
}

// broken returns a benchmark that fails with a rewrite only; nil if there is none.
func broken(failures []bench.Failure) *bench.Failure {
	for i := range failures {
		f := &failures[i]
		base := slices.ContainsFunc(failures, func(g bench.Failure) bool {
			return g.Package == f.Package && g.Benchmark == f.Benchmark && g.Side != "head"
		})
		if f.Side == "head" && !base {
			return f
		}
	}
	return nil
}

// times are what a measurement says of time, by the clocks that decide.
type times struct {
	slower, faster []string                 // as two series of samples agree, in words
	small          []*experiment.Comparison // no change, or less than anybody minds
	open           []*experiment.Comparison // undecided, or seen by one series
}

func timesOf(f *experiment.Family) times {
	var t times
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		agreed := c.Confirmation == experiment.Agreed
		switch {
		case !IsClock(c) || c.Verdict == experiment.OneSided:
		case c.Verdict == experiment.Worse && agreed:
			t.slower = append(t.slower, Tell(c))
		case c.Verdict == experiment.Better && agreed:
			t.faster = append(t.faster, Tell(c))
		case c.Verdict == experiment.NoChange || c.Verdict == experiment.WithinBudget || c.Verdict == experiment.SameCode:
			t.small = append(t.small, c)
		default:
			t.open = append(t.open, c)
		}
	}
	return t
}

// none reports whether there was no time to compare.
func (t *times) none() bool { return len(t.slower)+len(t.faster)+len(t.small)+len(t.open) == 0 }

// noSlower reports whether an undecided time is decided this far: it is faster or equal, or
// slower by less than anybody minds. A series that changed in one of two runs is not, as
// little as one of a busy machine.
func noSlower(c *experiment.Comparison) bool {
	return c.Scale == experiment.Ratio && c.Verdict != experiment.Worse && !c.Busy && !c.OtherBenchmark && c.KeepsBudget() && c.Confirmation == experiment.Pending
}

// A rewrite that allocates less may be kept if its estimated slowdown is at most evenSlowdown, and the
// confidence interval rules out more than hiddenSlowdown. Fewer allocations also save time that a
// benchmark with a small heap doesn't show.
const (
	evenSlowdown   = 1.01
	hiddenSlowdown = 1.05
)

// even returns what was measured of the undecided times. ok is false if one of them may be slower.
func (t *times) even() (seen []string, ok bool) {
	for _, c := range t.open {
		if noSlower(c) {
			continue
		}
		if c.Scale != experiment.Ratio || c.Verdict == experiment.Worse || c.Busy || c.OtherBenchmark || !(c.Change <= evenSlowdown && c.Interval.Lo <= 1 && c.Interval.Hi < hiddenSlowdown) {
			return nil, false
		}
		seen = append(seen, Tell(c))
	}
	return seen, len(seen) > 0
}

const moreSamples = "take more samples (-count) or use a quieter machine"

// remedy says what may decide the open times.
//
// If other programs use the CPU, time alone decides nothing, however many samples there are: CPU
// time has to show the change, too. It is unknown if a process spends hardly more of it on its
// iterations than on its start. A sample with a number of iterations is one process, so a larger number helps.
func (t *times) remedy(f *experiment.Family) string {
	for _, c := range t.open {
		n := enoughIterations(c)
		if c.Busy && n > 0 && f.Of(experiment.Key{Package: c.Package, Benchmark: c.Benchmark, Unit: experiment.CPUTime}) == nil {
			return fmt.Sprintf("other programs used the CPU, and %s ran too few iterations to compare CPU time instead: use more iterations (-benchtime %dx) or a quieter machine",
				cmp.Or(c.Benchmark, c.Package), n)
		}
	}
	return moreSamples
}

// enoughIterations returns how many iterations keep the faster side busy for half a second, as long
// as a usual sample and far longer than most processes take to start. The number has one
// significant digit. It is 0 if the time of an iteration is unknown.
func enoughIterations(c *experiment.Comparison) int {
	perIteration := min(c.Base.Center, c.Head.Center)
	if c.Unit == "ns/op" {
		perIteration /= 1e9
	}
	if !(perIteration > 0) {
		return 0
	}
	n := max(1, 0.5/perIteration)
	digit := math.Pow(10, math.Floor(math.Log10(n)))
	return int(min(1e9, math.Ceil(n/digit)*digit))
}
