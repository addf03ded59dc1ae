package rank

import (
	"math"
	"sync"
)

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

// SignedRankCritical returns how many Walsh averages to drop at each end so
// that P(W⁺ ≥ M−k) ≤ a: the largest such k, or −1 if there is none.
func SignedRankCritical(n int, a float64) int {
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
