package experiment

import "slices"

// A question is all that a verdict depends on.
type question struct {
	series []Series
	opts   Options
	apart  bool // the sides were not interleaved: see CompareApart

	// What the run knows without the clock.
	sameCode []BenchmarkName
	tests    []TestOrigin
	missing  []Gap

	// repeats is the family whose changes the series repeat: no correction for the family
	// or the look, and the same clocks judge. See Confirm. stands says that the series are
	// corrected nevertheless: the first run was of one layout, and what it claims may be the
	// layout's, so that its correction is worth nothing.
	repeats *Family
	stands  bool
}

// corrected reports whether the number of series and looks counts.
func (q *question) corrected() bool { return q.repeats == nil || q.stands }

// unlike reports whether the sides of a package ran benchmarks that can't be compared.
func (q *question) unlike(pkg string) bool {
	return slices.ContainsFunc(q.tests, func(o TestOrigin) bool { return o.Package == pkg && o.unlike() })
}
