package rank

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

// TestRankSumTails compares with all orders of small samples, counted one by one.
func TestRankSumTails(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 4}, {3, 3}, {4, 2}, {4, 5}} {
		n, m := size[0], size[1]
		counts := make([]int, n*m+1)
		total := 0
		for set := range 1 << (n + m) { // which places in the order are base's
			u, bases := 0, 0
			for i := range n + m {
				if set>>i&1 == 1 {
					bases++
				} else {
					u += bases
				}
			}
			if bases == n {
				counts[u]++
				total++
			}
		}
		sum := 0
		for u := n * m; u >= 0; u-- {
			sum += counts[u]
			if got, want := rankSumUpper(n, m, u), float64(sum)/float64(total); math.Abs(got-want) > 1e-12 {
				t.Errorf("P(U ≥ %d) of %d and %d is %v, want %v", u, n, m, got, want)
			}
		}
		if rankSumUpper(n, m, n*m+1) != 0 {
			t.Error("more than all")
		}
	}
	// The approximation begins where it is as good as exact.
	for _, p := range []int{1250, 1400, 1600} {
		nm := 2500.0
		z := (float64(p) - 0.5 - nm/2) / math.Sqrt(nm*101/12)
		if got, want := rankSumUpper(50, 50, p), math.Erfc(z/math.Sqrt2)/2; math.Abs(got-want) > 1e-3 {
			t.Errorf("P(U ≥ %d) of 50 and 50 is %v, approximately %v", p, got, want)
		}
	}
}

// TestRankSumIsUTest: without ties p is that of benchstat's test, and the
// interval leaves out a shift exactly when its test rejects it.
func TestRankSumIsUTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n, m := 3+rng.IntN(10), 3+rng.IntN(10)
		base, head := make([]float64, n), make([]float64, m)
		for i := range base {
			base[i] = rng.NormFloat64()
		}
		for i := range head {
			head[i] = rng.NormFloat64() + 2*rng.Float64()
		}
		e := Unpaired(base, head)
		want := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(base), &benchmath.DefaultThresholds),
			benchmath.NewSample(slices.Clone(head), &benchmath.DefaultThresholds)).P
		if got := e.TwoSided(0); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%d and %d: p %v, benchstat's %v", n, m, got, want)
		}
		lo, hi := e.Interval(0.05)
		if out := lo > 0 || hi < 0; out != (want <= 0.05) {
			t.Errorf("interval [%v, %v] and p %v contradict each other", lo, hi, want)
		}
		if c := e.Center(); c < lo || c > hi {
			t.Errorf("center %v outside of [%v, %v]", c, lo, hi)
		}
	}
}
