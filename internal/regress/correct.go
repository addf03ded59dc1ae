package regress

import (
	"cmp"
	"slices"
)

// significant returns the effects that remain if the share of false ones among them is to
// be at most rate, largest growth first: Y. Benjamini and Y. Hochberg, "Controlling the
// false discovery rate" (1995). If nothing changed, rate is the probability of any.
// Functions that call each other depend on each other positively, which it allows
// (Y. Benjamini and D. Yekutieli, 2001).
func significant(all []effect, rate float64) []effect {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b effect) int { return cmp.Compare(a.p, b.p) })
	n := 0
	for i, e := range sorted {
		if e.p <= rate*float64(i+1)/float64(len(sorted)) {
			n = i + 1
		}
	}
	sorted = sorted[:n]
	slices.SortFunc(sorted, func(a, b effect) int { return cmp.Compare(b.growth, a.growth) })
	return sorted
}
