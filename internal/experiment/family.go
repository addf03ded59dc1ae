package experiment

import (
	"slices"
)

// A Family is all series of one comparison: they share the chance of a false
// alarm.
type Family struct {
	Alpha  float64 `json:"alpha"`
	Tested int     `json:"tested"` // series that could give a false alarm by chance
	// Apart says that the sides were not measured interleaved, but each at its
	// time: see CompareApart. What else differed then, the machine's state for
	// one, counts as change, and there is no second run that could confirm one.
	Apart       bool         `json:"apart,omitempty"`
	Comparisons []Comparison `json:"comparisons"`
	// SameCode is Info.SameCode of the run. What is not measured of it has no Comparison.
	SameCode []BenchmarkName `json:"sameCode,omitempty"`
	Layout   *LayoutNoise    `json:"layout,omitempty"` // nil where it can't be told
	// Missing is what the base has and the head does not. What is not measured is not met.
	Missing []Gap `json:"missing,omitempty"`
}

// Of returns the comparison of a series; nil if the family has none.
func (f *Family) Of(k Key) *Comparison {
	i := slices.IndexFunc(f.Comparisons, func(c Comparison) bool { return c.Key == k })
	if i < 0 {
		return nil
	}
	return &f.Comparisons[i]
}

// Undecided returns the series that another look could decide, of those that can fail
// a run, and by how many pairs to extend each. Nothing is left to do when it is empty.
func (f *Family) Undecided(looks []Look) map[Key]int {
	more := make(map[Key]int)
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !c.Gated || c.Verdict != Inconclusive || c.Pairs == 0 {
			continue
		}
		for _, l := range looks {
			if l.Pairs > c.Pairs {
				more[c.Key] = l.Pairs - c.Pairs
				break
			}
		}
	}
	return more
}

// Unconfirmed returns the changes that a second run has to repeat. Series that
// cannot fail the run are not among them.
func (f *Family) Unconfirmed() []Key {
	var keys []Key
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Gated && c.Verdict.Changed() && c.Confirmation == Pending {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Regressions returns what fails a gate.
func (f *Family) Regressions() []Comparison {
	var failed []Comparison
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Gated && f.Regressed(c) {
			failed = append(failed, *c)
		}
	}
	return failed
}

// Regressed reports whether a comparison of the family is worse beyond its budget, and
// either confirmed by the second run, or certain without one.
func (f *Family) Regressed(c *Comparison) bool {
	return c.Verdict == Worse && c.Beyond && (c.Confirmation == Agreed || !f.Apart && c.certain())
}
