package regress

import (
	"cmp"
	"slices"
)

// significant returns the significant effects, largest growth first. At most the share rate
// of them is expected to be false: Y. Benjamini and Y. Hochberg, "Controlling the false
// discovery rate" (1995). If nothing changed, rate is the probability of returning any.
// Functions that call each other are positively correlated, which the method allows
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
