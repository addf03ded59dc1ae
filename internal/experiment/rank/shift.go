// Package rank has the rank tests that comparisons rest on: Wilcoxon's signed-rank
// test for pairs, the rank-sum test for samples without pairs, and the estimates and
// intervals that belong to them. They assume no distribution of the values.
package rank

import (
	"math"
	"slices"
)

// A Shift is how far one distribution lies from another. For pairs, it holds what the
// Wilcoxon signed-rank procedure needs: the Walsh averages (d_i+d_j)/2, i ≤ j, of n
// differences. For two samples without pairs (m > 0), it holds the n·m differences
// between them.
//
// Test, estimate and interval come from the same averages, so they never
// contradict each other: the interval at level 1−a leaves out a shift exactly
// when the test of that shift has p ≤ a.
//
// Sources: J. W. Tukey, "The simplest signed-rank tests" (1949), for W⁺ as the
// number of positive Walsh averages; J. L. Hodges and E. L. Lehmann, "Estimates
// of Location Based on Rank Tests" (1963), for the estimate; M. Hollander and
// D. A. Wolfe, "Nonparametric Statistical Methods" (1973), section 3.3, for the
// interval.
type Shift struct {
	n, m  int
	walsh []float64 // ascending, n(n+1)/2 of them; n·m without pairs
}

// Paired returns the shift of paired samples, from the differences of the pairs.
func Paired(differences []float64) Shift {
	n := len(differences)
	walsh := make([]float64, 0, n*(n+1)/2)
	for i, a := range differences {
		for _, b := range differences[i:] {
			walsh = append(walsh, a/2+b/2)
		}
	}
	slices.Sort(walsh)
	return Shift{n: n, walsh: walsh}
}

// Unpaired returns the shift between two samples without pairs. It comes from the
// differences of all values of one with all values of the other.
//
// Sources: H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other" (1947), for U, the number of
// positive differences; J. L. Hodges and E. L. Lehmann (1963) for their median;
// M. Hollander and D. A. Wolfe (1973), section 4.3, for the interval.
func Unpaired(base, head []float64) Shift {
	differences := make([]float64, 0, len(base)*len(head))
	for _, b := range base {
		for _, h := range head {
			differences = append(differences, h-b)
		}
	}
	slices.Sort(differences)
	return Shift{n: len(base), m: len(head), walsh: differences}
}

// Center is the Hodges–Lehmann estimate: the median of the Walsh averages.
func (s Shift) Center() float64 {
	return medianOfSorted(s.walsh)
}

// AtMost returns the one-sided p value of "the shift is at most m", small when
// the differences lie above m; AtLeast does so for "at least m".
//
// A Walsh average equal to m speaks for the hypothesis: with ties, which
// benchmark output has since it is rounded, p is too large rather than too small.
func (s Shift) AtMost(m float64) float64 {
	above := len(s.walsh) - upperBound(s.walsh, m)
	return s.upper(above)
}

func (s Shift) AtLeast(m float64) float64 {
	below, _ := slices.BinarySearch(s.walsh, m)
	return s.upper(below)
}

// upper returns the chance of as many averages (or differences) above the true
// shift.
func (s Shift) upper(w int) float64 {
	if s.m > 0 {
		return rankSumUpper(s.n, s.m, w)
	}
	return signedRankUpper(s.n, w)
}

// TwoSided returns the p value of "the shift is m".
func (s Shift) TwoSided(m float64) float64 {
	return min(1, 2*min(s.AtMost(m), s.AtLeast(m)))
}

// Interval returns the bounds of the shifts that the two-sided test at level a
// does not reject. They are infinite when n is too small for any rejection.
func (s Shift) Interval(a float64) (lo, hi float64) {
	k := criticalCount(len(s.walsh), a/2, s.upper)
	if k < 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return s.walsh[k], s.walsh[len(s.walsh)-1-k]
}

// upperBound returns how many of the ascending values are ≤ m.
func upperBound(values []float64, m float64) int {
	i, _ := slices.BinarySearchFunc(values, m, func(v, m float64) int {
		if v <= m {
			return -1
		}
		return 1
	})
	return i
}
