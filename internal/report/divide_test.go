package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Dividing by multiplication is division, for every divisor and dividend.
func TestDivisor(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	some := func() uint64 { return r.Uint64()>>r.UintN(64) | 1<<r.UintN(8) }
	for range 100_000 {
		d, n := some(), some()
		if r.UintN(2) == 0 {
			n -= n % d
		}
		if q, exact := newDivisor(d).divide(n); exact != (n%d == 0) || exact && q != n/d {
			t.Fatalf("%d / %d is %d, %v", n, d, q, exact)
		}
	}
}

func TestGCD(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 10_000 {
		d := int64(1 + r.IntN(1000))
		var columns [2][]int64
		want := int64(0)
		for i := range columns {
			for range r.IntN(20) {
				v := d * (r.Int64N(2000) - 500)
				columns[i] = append(columns[i], v)
				for w := v; w != 0; {
					want, w = w, want%w
				}
			}
		}
		want = max(want, -want, 1)
		if got := gcd(columns[:]...); got != want {
			t.Fatalf("of %v: %d, want %d", columns, got, want)
		}
		divided := [2][]int64{slices.Clone(columns[0]), slices.Clone(columns[1])}
		divideAll(want, divided[:]...)
		for i, column := range columns {
			for k, v := range column {
				if divided[i][k] != v/want {
					t.Fatalf("%d / %d is %d", v, want, divided[i][k])
				}
			}
		}
	}
	for _, extreme := range [][]int64{{math.MinInt64}, {math.MinInt64, math.MaxInt64}, {math.MaxInt64}} {
		if g := gcd(extreme); g < 1 {
			t.Errorf("of %d: %d", extreme, g)
		}
	}
}
