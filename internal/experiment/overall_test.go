package experiment

import (
	"math"
	"testing"
)

func TestOverall(t *testing.T) {
	series := func(unit string, change, lo, hi float64, pairs int) Comparison {
		return Comparison{Key: Key{Unit: unit}, Scale: Ratio, Change: change, Interval: Interval{lo, hi, 0.95}, Pairs: pairs}
	}
	f := &Family{Comparisons: []Comparison{
		series("ns/op", 0.8, 0.8/1.1, 0.8*1.1, 10), series("ns/op", 1.25, 1.25/1.1, 1.25*1.1, 10),
		series("B/op", 3, 2, 4, 10), series("ns/op", 7, 0, 9, 10), series("ns/op", 7, 6, 9, 0),
	}}
	change, interval, n := f.Overall("ns/op")
	// Two series of the same width: the mean's is narrower by √2.
	half := math.Log(1.1) / math.Sqrt2
	if n != 2 || math.Abs(change-1) > 1e-12 || math.Abs(math.Log(interval.Hi)-half) > 1e-12 || math.Abs(math.Log(interval.Lo)+half) > 1e-12 {
		t.Errorf("%v %v of %d", change, interval, n)
	}
	if change, interval, n := f.Overall("MB/s"); n != 0 || change != 1 || interval.Lo != 1 || interval.Hi != 1 {
		t.Errorf("of nothing: %v %v of %d", change, interval, n)
	}
}
