package report

import (
	"cmp"
	"math"
	"slices"
)

// mannWhitney returns the two-sided p-value of the Mann–Whitney U test: the
// chance that samples of one distribution differ as much as x and y do.
//
// Without ties and up to exactRuns values a side it is exact, by the recurrence
// of H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random
// Variables is Stochastically Larger than the Other" (1947), section 3.
// Otherwise U is taken as normal, with the variance corrected for ties and a
// continuity correction of one half: E. L. Lehmann, "Nonparametrics: Statistical
// Methods Based on Ranks" (1975), section 1.3 and appendix.
func mannWhitney(x, y []float64) float64 {
	u, ties, tied := uStatistic(x, y)
	n, m := float64(len(x)), float64(len(y))
	if !tied && len(x) <= exactRuns && len(y) <= exactRuns {
		return exactP(int(u), len(x), len(y))
	}
	all := n + m
	variance := n * m / 12 * (all + 1 - ties/(all*(all-1)))
	if variance <= 0 {
		return 1 // all values are the same
	}
	z := max(math.Abs(u-n*m/2)-0.5, 0) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// exactRuns bounds the exact test; its table has exactRuns⁴ entries at most, and
// the normal approximation is good to three digits from there on.
const exactRuns = 20

// uStatistic returns how many pairs of values (one of x, one of y) have the
// larger one in x, counting equal ones by half; and the sum of t³−t over groups
// of t equal values, among both.
func uStatistic(x, y []float64) (u, ties float64, tied bool) {
	type value struct {
		v   float64
		inX bool
	}
	var all []value
	for _, v := range x {
		all = append(all, value{v, true})
	}
	for _, v := range y {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Compare(a.v, b.v) })
	below := 0.0 // values of y before the group
	for i := 0; i < len(all); {
		j, inX, inY := i, 0.0, 0.0
		for ; j < len(all) && all[j].v == all[i].v; j++ {
			if all[j].inX {
				inX++
			} else {
				inY++
			}
		}
		u += inX * (below + inY/2)
		below += inY
		if t := inX + inY; t > 1 {
			tied = true
			ties += t*t*t - t
		}
		i = j
	}
	return u, ties, tied
}

// exactP returns the two-sided p-value of u for n and m values without ties.
func exactP(u, n, m int) float64 {
	u = min(u, n*m-u)
	// counts[j][k] is the number of orders of i values of x and j of y with
	// U = k; i grows with each round.
	counts := make([][]float64, m+1)
	for j := range counts {
		counts[j] = make([]float64, n*m+1)
		counts[j][0] = 1
	}
	for range n {
		// The largest value is of y, and the rest has the same U; or it is of x,
		// and larger than all j of y.
		for j := 1; j <= m; j++ {
			next := make([]float64, n*m+1)
			for k := range next {
				next[k] = counts[j-1][k]
				if k >= j {
					next[k] += counts[j][k-j]
				}
			}
			counts[j] = next
		}
	}
	below, all := 0.0, 0.0
	for k, c := range counts[m] {
		all += c
		if k <= u {
			below += c
		}
	}
	return min(2*below/all, 1)
}

// smallestP is the p-value of n values that are all larger than m others.
func smallestP(n, m int) float64 {
	p := 2.0
	for i := range n {
		p *= float64(i+1) / float64(m+i+1)
	}
	return min(p, 1)
}

// holm returns the p-values of several tests, adjusted by S. Holm's step-down
// procedure ("A Simple Sequentially Rejective Multiple Test Procedure", 1979). They
// bound the chance of wrongly calling even one of the tests significant.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}
