package experiment

import (
	"math"
	"slices"
	"sync"
)

// newRankSumEstimate is the shift between two samples without pairs: test,
// estimate and interval from the differences of all values of one with all of
// the other.
//
// Sources: H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other" (1947), for U, the number of
// positive differences; J. L. Hodges and E. L. Lehmann (1963) for their median;
// M. Hollander and D. A. Wolfe (1973), section 4.3, for the interval.
func newRankSumEstimate(base, head []float64) shiftEstimate {
	differences := make([]float64, 0, len(base)*len(head))
	for _, b := range base {
		for _, h := range head {
			differences = append(differences, h-b)
		}
	}
	slices.Sort(differences)
	return shiftEstimate{n: len(base), m: len(head), walsh: differences}
}

// exactDifferences bounds n·m for the exact distribution of U; above, the normal
// approximation with continuity correction is off by less than 10⁻³.
const exactDifferences = 2500

// rankSumUpper returns P(U ≥ u) of n and m values of one distribution.
func rankSumUpper(n, m, u int) float64 {
	if n == 0 || m == 0 || u <= 0 {
		return 1
	}
	if n*m > exactDifferences {
		nm := float64(n) * float64(m)
		z := (float64(u) - 0.5 - nm/2) / math.Sqrt(nm*float64(n+m+1)/12)
		return math.Erfc(z/math.Sqrt2) / 2
	}
	upper := rankSumTails(n, m)
	if u >= len(upper) {
		return 0
	}
	return upper[u]
}

var rankSumTables sync.Map // [2]int: P(U ≥ u) by u

// rankSumTails returns P(U ≥ u) by u. Of i and j values, the largest is one of
// the i and above all j others, or one of the j: the number of orders with u is
// c(i, j, u) = c(i−1, j, u−j) + c(i, j−1, u). Sums of positive terms keep their
// digits.
func rankSumTails(n, m int) []float64 {
	if t, ok := rankSumTables.Load([2]int{n, m}); ok {
		return t.([]float64)
	}
	counts := make([][]float64, m+1) // by j, for the i so far
	for j := range counts {
		counts[j] = []float64{1}
	}
	for i := 1; i <= n; i++ {
		next := make([][]float64, m+1)
		next[0] = []float64{1}
		for j := 1; j <= m; j++ {
			c := make([]float64, i*j+1)
			copy(c[j:], counts[j])
			for u, v := range next[j-1] {
				c[u] += v
			}
			next[j] = c
		}
		counts = next
	}
	upper := counts[m]
	total := 0.0
	for _, v := range upper {
		total += v
	}
	sum := 0.0
	for u := len(upper) - 1; u >= 0; u-- {
		sum += upper[u]
		upper[u] = sum / total
	}
	rankSumTables.Store([2]int{n, m}, upper)
	return upper
}
