package rank

import (
	"math"
	"sync"
)

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

// SeparationP is the two-sided p value of the U test when the sides do not
// overlap: two of C(n+m, n) orders.
func SeparationP(n, m int) float64 {
	orders := 1.0
	for i := 1; i <= n; i++ {
		orders *= float64(m+i) / float64(i)
	}
	return min(1, 2/orders)
}
