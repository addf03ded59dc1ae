package rank

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestSignedRankDistribution compares with counting all sign patterns.
func TestSignedRankDistribution(t *testing.T) {
	for n := 1; n <= 12; n++ {
		counts := make([]int, n*(n+1)/2+1)
		for signs := range uint(1) << n {
			w := 0
			for s := signs; s != 0; s &= s - 1 {
				w += bits.TrailingZeros(s) + 1
			}
			counts[w]++
		}
		atLeast := 0
		for w := len(counts) - 1; w >= 0; w-- {
			atLeast += counts[w]
			want := float64(atLeast) / float64(int(1)<<n)
			if got := signedRankUpper(n, w); math.Abs(got-want) > 1e-12 {
				t.Fatalf("n=%d: P(W ≥ %d) = %v, counting gives %v", n, w, got, want)
			}
		}
	}
}

// TestSignedRankTable has critical values printed in Hollander and Wolfe, table
// A.4, and the approximation's agreement where the exact distribution ends.
func TestSignedRankTable(t *testing.T) {
	for _, c := range []struct {
		n, w int
		p    float64
	}{
		{5, 15, 0.031}, {6, 21, 0.016}, {8, 33, 0.020}, {10, 47, 0.024}, {10, 55, 0.001}, {15, 95, 0.024}, {20, 158, 0.024},
	} {
		if got := signedRankUpper(c.n, c.w); math.Abs(got-c.p) > 0.0006 {
			t.Errorf("P(W ≥ %d) for %d pairs is %.4f, the table has %.3f", c.w, c.n, got, c.p)
		}
	}
	n := exactPairs
	for _, w := range []int{10100, 10700, 11500, 12000} {
		exact := signedRankUpper(n, w)
		nn := float64(n)
		z := (float64(w) - 0.5 - nn*(nn+1)/4) / math.Sqrt(nn*(nn+1)*(2*nn+1)/24)
		if approx := math.Erfc(z/math.Sqrt2) / 2; math.Abs(exact-approx) > 5e-4 {
			t.Errorf("P(W ≥ %d) for %d pairs is %v, the approximation has %v", w, n, exact, approx)
		}
	}
	if p := signedRankUpper(300, 300*301/4); math.Abs(p-0.5) > 0.01 {
		t.Errorf("beyond the exact distribution, half of the maximum has P = %v", p)
	}
}

// TestDarwinsMaize is the classic example of paired data: heights of crossed less
// self-fertilized plants in eighths of an inch (C. Darwin 1876; R. A. Fisher,
// "The Design of Experiments", 1935). V = 96, so R's psignrank gives p = 0.04126.
func TestDarwinsMaize(t *testing.T) {
	d := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	e := Paired(d)
	if p := e.TwoSided(0); math.Abs(p-0.04126) > 1e-5 {
		t.Errorf("p = %.5f, want 0.04126", p)
	}
	if c := e.Center(); c != 25 {
		t.Errorf("Hodges–Lehmann estimate %v, want 25", c)
	}
}

// TestIntervalInvertsTest: the interval leaves a shift out exactly when the test
// rejects it.
func TestIntervalInvertsTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 1 + rng.IntN(24)
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Round(rng.NormFloat64()*8) / 8 // with ties
		}
		e := Paired(d)
		a := []float64{0.2, 0.05, 0.01, 0.002}[rng.IntN(4)]
		lo, hi := e.Interval(a)
		for m := -3.0; m <= 3; m += 0.0625 {
			if outside, rejected := m < lo || m > hi, e.TwoSided(m) <= a; outside != rejected {
				t.Fatalf("n=%d a=%v shift %v: outside of [%v, %v] is %v, p = %v", n, a, m, lo, hi, outside, e.TwoSided(m))
			}
		}
	}
}

func TestTooFewPairs(t *testing.T) {
	for n, unbounded := range map[int]bool{1: true, 5: true, 6: false} {
		e := Paired(make([]float64, n))
		lo, hi := e.Interval(0.05)
		if got := math.IsInf(lo, -1) && math.IsInf(hi, 1); got != unbounded {
			t.Errorf("%d pairs: interval [%v, %v] at 95 %%", n, lo, hi)
		}
	}
}
