package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestChangeOfRates checks that dividing values by their seconds doesn't change what is
// within noise.
func TestChangeOfRates(t *testing.T) {
	const period = 10e6 // ns
	for _, tt := range []struct{ base, head, seconds, baseSeconds float64 }{
		{300, 360, 600, 600}, {300, 420, 600, 600}, {46_344, 45_000, 10_000, 9000}, {40, 80, 3600, 7200}, {0, 5, 60, 60}, {0, 3, 60, 60},
	} {
		sum := Chance{Event: period, BaseEvent: period}
		scale := tt.seconds / tt.baseSeconds
		want := sum.sure("f", true, tt.base*period*scale, tt.head*period, scale) / tt.seconds
		rates := Chance{Event: period / tt.seconds, BaseEvent: period / tt.baseSeconds}
		got := rates.sure("f", true, tt.base*period/tt.baseSeconds, tt.head*period/tt.seconds, 1)
		if math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%v: %v of rates, %v of sums", tt, got, want)
		}
	}
}

// TestChangeAmongInstances checks how often instances that differ by 20 % are said to have
// changed: in 5 of 100 comparisons, if nothing did, and nearly always if their cost doubled.
func TestChangeAmongInstances(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	side := func(k int, rate float64) *Instances {
		in := &Instances{Count: k}
		for range k {
			const seconds = 1000
			of := rate * seconds * math.Exp(0.2*random.NormFloat64())
			of += math.Sqrt(of) * random.NormFloat64() // sampling
			in.Add(seconds, func(yield func(string, float64, float64)) { yield("f", of, of) })
		}
		return in
	}
	mean := func(in *Instances) float64 {
		m, _ := in.relative("f", func(v instanceValue) float64 { return v.cum })
		return m
	}
	for _, tt := range []struct {
		base, head  int
		change      float64
		least, most float64 // share of comparisons
	}{
		{2, 2, 1, 0, 0.06}, {3, 3, 1, 0, 0.06}, {8, 8, 1, 0.02, 0.07}, {30, 5, 1, 0.02, 0.07}, {1, 5, 1, 0, 0.07},
		{8, 8, 2, 0.95, 1}, {3, 3, 2, 0.5, 1},
	} {
		t.Run(fmt.Sprintf("%d and %d instances, times %v", tt.base, tt.head, tt.change), func(t *testing.T) {
			const runs = 1000
			sure := 0.0
			for range runs {
				base, head := side(tt.base, 10), side(tt.head, 10*tt.change)
				c := Chance{Event: 1e-3 / float64(tt.head), BaseEvent: 1e-3 / float64(tt.base)}
				c.NewSpreads(base, head)
				if c.sure("f", true, mean(base), mean(head), 1) != 0 {
					sure++
				}
			}
			if share := sure / runs; share < tt.least || share > tt.most {
				t.Errorf("%.3f of them, want %v to %v", share, tt.least, tt.most)
			}
		})
	}
}
