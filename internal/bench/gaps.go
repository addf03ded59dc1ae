package bench

import (
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

// Unmeasured returns what was to be measured and was not: failures, and what the base
// has and the head does not, each once.
func (r *Report) Unmeasured() []experiment.Gap {
	var gaps []experiment.Gap
	for i := range r.Failures {
		gaps = append(gaps, r.Failures[i].kept().Gap)
	}
	missing := r.Missing
	if r.Family != nil {
		missing = r.Family.Missing // those too
	}
	for _, g := range missing {
		if !r.Failed(g) {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// Failed reports whether a gap is due to a failure.
func (r *Report) Failed(g experiment.Gap) bool {
	return slices.ContainsFunc(r.Failures, func(f Failure) bool {
		return f.Package == g.Package && (f.Benchmark == "" || f.Benchmark == g.Benchmark || topLevel(g.Benchmark) == f.Benchmark)
	})
}
