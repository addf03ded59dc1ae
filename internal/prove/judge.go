package prove

import (
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/tune"
)

// judge says what a measurement means.
func judge(r *bench.Report) *Measurement {
	m := &Measurement{
		Changes: []tune.Change{}, Moved: []Moved{}, NotBenchmarked: append([]string{}, r.NotBenchmarked...),
		Failures: append([]bench.Failure{}, r.Failures...), Warnings: append([]string{}, r.Warnings...), Run: r.ID,
	}
	if r.Timing != nil {
		m.took = time.Duration(r.Timing.Took * float64(time.Second))
	}
	if r.Family == nil || len(r.Family.Comparisons) == 0 {
		m.Speed, m.How = withoutSamples(r)
		return m
	}
	m.Changes = tune.Changes(r.Family)
	t := sortTimes(r.Family)
	m.Speed, m.How = t.speed(len(r.Failures))
	m.Allocations = allocations(r.Family)
	m.Regression = len(r.Family.Regressions()) > 0
	for i := range r.Family.Comparisons {
		if c := &r.Family.Comparisons[i]; isClock(c) {
			m.Noise = max(m.Noise, c.Floor.Spread)
		}
	}
	return m
}

// withoutSamples says why nothing had to be measured, or could be.
func withoutSamples(r *bench.Report) (Speed, string) {
	switch {
	case len(r.Failures) > 0:
		return NotMeasured, "the benchmarks fail: " + r.Failures[0].What
	case len(r.SameCode)+len(r.Unchanged) > 0:
		return Same, "the compiler makes the same machine code of it, as far as benchmarks can execute it"
	case len(r.New) > 0:
		return NotMeasured, "all benchmarks that execute it are new, so the base has none to compare with"
	case r.Timing != nil:
		return NotMeasured, "the time was too short for any sample: use a longer -for, or fewer benchmarks (-bench)"
	}
	return NotMeasured, "no benchmark could be measured"
}

// isClock reports whether a comparison has the time that decides about its benchmark.
func isClock(c *experiment.Comparison) bool {
	return tune.IsClock(c) && c.Verdict != experiment.OneSided
}

// times are the benchmarks of a family, in words, by what became of their time.
type times struct{ faster, slower, same, open []string }

func sortTimes(f *experiment.Family) (t times) {
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		switch {
		case !isClock(c):
		case f.Regressed(c):
			t.slower = append(t.slower, tune.Tell(c))
		case c.Verdict == experiment.Better && c.Confirmation == experiment.Agreed:
			t.faster = append(t.faster, tune.Tell(c))
		case c.Verdict == experiment.NoChange, c.Verdict == experiment.WithinBudget, c.Verdict == experiment.SameCode:
			t.same = append(t.same, tune.Tell(c))
		case c.Verdict == experiment.Worse && c.Confirmation == experiment.Agreed && !c.Beyond && c.Interval.Hi <= 1+c.Budget:
			t.same = append(t.same, tune.Tell(c))
		default:
			t.open = append(t.open, tune.Tell(c)+whyOpen(c))
		}
	}
	return t
}

// whyOpen says why a time decides nothing, where its interval doesn't.
func whyOpen(c *experiment.Comparison) string {
	switch {
	case c.Busy:
		return ": the machine was busy"
	case c.Confirmation == experiment.Disagreed, c.Confirmation == experiment.NotRepeated:
		return ": " + c.Confirmation.String()
	}
	return ""
}

// speed is what the times say together. One that is slower isn't made up for by others.
func (t *times) speed(failed int) (Speed, string) {
	switch {
	case len(t.slower) > 0 && len(t.faster) > 0:
		return Slower, few(t.slower) + "; but faster: " + few(t.faster)
	case len(t.slower) > 0:
		return Slower, few(t.slower)
	case len(t.faster) > 0 && len(t.open) > 0:
		return Faster, few(t.faster) + "; undecided: " + few(t.open)
	case len(t.faster) > 0:
		return Faster, few(t.faster)
	case len(t.open) > 0:
		return Inconclusive, "the measurement is too noisy to tell: " + few(t.open)
	case len(t.same) > 0 && failed > 0:
		return Inconclusive, "some benchmarks fail; no change in " + few(t.same)
	case len(t.same) > 0:
		return Same, few(t.same)
	}
	return NotMeasured, "no benchmark has a time on both sides"
}

// allocations says whether bytes or objects per operation changed.
func allocations(f *experiment.Family) string {
	fewer, same, open := false, false, false
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		switch {
		case c.Unit != "B/op" && c.Unit != "allocs/op":
		case c.Verdict == experiment.Worse:
			return "more"
		case c.Verdict == experiment.Better && c.Confirmation != experiment.Disagreed && c.Confirmation != experiment.NotRepeated:
			fewer = true
		case c.Verdict == experiment.NoChange:
			same = true
		case c.Verdict == experiment.Inconclusive:
			open = true
		}
	}
	switch {
	case fewer:
		return "fewer"
	case same && !open:
		return "same"
	}
	return ""
}
