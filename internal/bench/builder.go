package bench

import "slices"

// A builder lists packages and builds their tests, and lists the benchmarks of these.
type builder struct {
	runner
	held     *held                // what fails, and is skipped
	quiet    bool                 // in an attempt, which may be given up, nobody is told
	notBuilt []string             // what excludedBenchmarks says of the head's packages
	overlays [2]map[string]string // of the user's flags: what stands for which file
	toBuild  int                  // packages
}

func (b *builder) event(e Event) {
	if b.Events != nil {
		b.Events(e)
	}
}

func (b *builder) fail(f Failure) {
	b.held.failures = append(b.held.failures, f)
	if !b.quiet {
		b.event(Event{Warning: f.line(), Failure: &f})
	}
}

// held is what fails and is skipped.
type held struct {
	failures []Failure
	skips    []Skip
}

// skip notes a benchmark that skips itself, once: with each CPU count it does so
// again.
func (h *held) skip(s Skip) {
	for i, other := range h.skips {
		if other.Package != s.Package || other.Benchmark != s.Benchmark {
			continue
		}
		if other.Side != s.Side {
			h.skips[i].Side = "" // on both
		}
		return
	}
	h.skips = append(h.skips, s)
}

// broken reports whether all of the package failed on a side.
func (h *held) broken(side string) bool {
	return slices.ContainsFunc(h.failures, func(f Failure) bool { return f.Side == side && f.Benchmark == "" })
}

// blames returns a failure of the side that borrowed tests which the lender has not
// got, and whether it is of all the package.
func (h *held) blames(borrower, lender string) (first *Failure, all bool) {
	for i, f := range h.failures {
		if f.Side != borrower || slices.ContainsFunc(h.failures, func(g Failure) bool { return g.Side == lender && g.Benchmark == f.Benchmark }) {
			continue
		}
		if first == nil {
			first = &h.failures[i]
		}
		all = all || f.Benchmark == ""
	}
	return first, all
}

// isBroken reports whether all of a package failed.
func (b *builder) isBroken(path string) bool {
	return slices.ContainsFunc(b.held.failures, func(f Failure) bool { return f.Package == path && f.Benchmark == "" })
}
