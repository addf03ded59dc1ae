package experiment

import (
	"math"
	"slices"
	"sync"
)

// shiftEstimate holds what the Wilcoxon signed-rank procedure needs: the Walsh
// averages (d_i+d_j)/2, i ≤ j, of n differences.
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
//
// Of two samples without pairs (m > 0) it holds the n·m differences between them
// instead; see ranksum.go.
type shiftEstimate struct {
	n, m  int
	walsh []float64 // ascending, n(n+1)/2 of them; n·m without pairs
}

func newShiftEstimate(differences []float64) shiftEstimate {
	n := len(differences)
	walsh := make([]float64, 0, n*(n+1)/2)
	for i, a := range differences {
		for _, b := range differences[i:] {
			walsh = append(walsh, a/2+b/2)
		}
	}
	slices.Sort(walsh)
	return shiftEstimate{n: n, walsh: walsh}
}

// Center is the Hodges–Lehmann estimate: the median of the Walsh averages.
func (s shiftEstimate) Center() float64 {
	return medianOfSorted(s.walsh)
}

// atMost returns the one-sided p value of "the shift is at most m", small when
// the differences lie above m; atLeast does so for "at least m".
//
// A Walsh average equal to m speaks for the hypothesis: with ties, which
// benchmark output has since it is rounded, p is too large rather than too small.
func (s shiftEstimate) atMost(m float64) float64 {
	above := len(s.walsh) - upperBound(s.walsh, m)
	return s.upper(above)
}

func (s shiftEstimate) atLeast(m float64) float64 {
	below, _ := slices.BinarySearch(s.walsh, m)
	return s.upper(below)
}

// upper returns the chance of as many averages (or differences) above the true
// shift.
func (s shiftEstimate) upper(w int) float64 {
	if s.m > 0 {
		return rankSumUpper(s.n, s.m, w)
	}
	return signedRankUpper(s.n, w)
}

// TwoSided returns the p value of "the shift is m".
func (s shiftEstimate) TwoSided(m float64) float64 {
	return min(1, 2*min(s.atMost(m), s.atLeast(m)))
}

// Interval returns the bounds of the shifts that the two-sided test at level a
// does not reject. They are infinite when n is too small for any rejection.
func (s shiftEstimate) Interval(a float64) (lo, hi float64) {
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

func medianOfSorted(v []float64) float64 {
	switch n := len(v); {
	case n == 0:
		return math.NaN()
	case n%2 == 1:
		return v[n/2]
	default:
		return v[n/2-1]/2 + v[n/2]/2
	}
}

func median(v []float64) float64 {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	return medianOfSorted(sorted)
}

// exactPairs bounds the exact distribution of W⁺; above, the normal
// approximation with continuity correction is off by less than 5·10⁻⁴.
const exactPairs = 200

// signedRankUpper returns P(W⁺ ≥ w) for n pairs when every sign is equally
// likely: exact up to exactPairs.
func signedRankUpper(n, w int) float64 {
	if n == 0 || w <= 0 {
		return 1
	}
	if n > exactPairs {
		nn := float64(n)
		z := (float64(w) - 0.5 - nn*(nn+1)/4) / math.Sqrt(nn*(nn+1)*(2*nn+1)/24)
		return math.Erfc(z/math.Sqrt2) / 2
	}
	upper := signedRankTails(n)
	if w >= len(upper) {
		return 0
	}
	return upper[w]
}

// signedRankCritical returns how many Walsh averages to drop at each end so
// that P(W⁺ ≥ M−k) ≤ a: the largest such k, or −1 if there is none.
func signedRankCritical(n int, a float64) int {
	return criticalCount(n*(n+1)/2, a, func(w int) float64 { return signedRankUpper(n, w) })
}

func criticalCount(m int, a float64, upper func(w int) float64) int {
	lo, hi := -1, m/2 // P(W⁺ ≥ M−k) grows with k
	for lo < hi {
		k := (lo + hi + 1) / 2
		if upper(m-k) <= a {
			lo = k
		} else {
			hi = k - 1
		}
	}
	return min(lo, (m-1)/2)
}

var signedRankTables [exactPairs + 1]struct {
	once  sync.Once
	upper []float64
}

// signedRankTails returns P(W⁺ ≥ w) by w. The counts are the coefficients of
// ∏(1+xⁱ), i = 1..n. They are sums of positive terms, so that float64 keeps
// fifteen digits of them, and 2²⁰⁰ is far from its end.
func signedRankTails(n int) []float64 {
	t := &signedRankTables[n]
	t.once.Do(func() {
		counts := make([]float64, n*(n+1)/2+1)
		counts[0] = 1
		for i := 1; i <= n; i++ {
			for w := i * (i + 1) / 2; w >= i; w-- {
				counts[w] += counts[w-i]
			}
		}
		sum := 0.0
		for w := len(counts) - 1; w >= 0; w-- {
			sum += counts[w]
			counts[w] = sum / math.Exp2(float64(n))
		}
		t.upper = counts
	})
	return t.upper
}

// normalQuantile returns z with P(Z ≤ z) = p.
func normalQuantile(p float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
