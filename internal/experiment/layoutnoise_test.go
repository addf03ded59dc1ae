package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// inLayouts simulates a family: the deviations of a sample, of the order of functions,
// and of that on one side alone.
func inLayouts(rng *rand.Rand, benchmarks int, sample, order, left float64) (preCheck, measured []Series) {
	for i := range benchmarks {
		of := func(pairs int, layout bool) Series {
			s := Series{Key: Key{Benchmark: fmt.Sprint(i), Unit: "ns/op"}}
			for j, slot := range Schedule(rng, pairs, 0, 100*i) {
				s.Samples = append(s.Samples, Sample{slot, 100 * math.Exp(0.0002*float64(j)+sample*rng.NormFloat64())})
				if layout {
					s.Samples[j].Layout = 1 + j/2
				}
			}
			for j := 0; layout && j < len(s.Samples); j += 2 {
				both := math.Exp(order * rng.NormFloat64())
				for k := j; k < j+2; k++ {
					s.Samples[k].Value *= both
					if s.Samples[k].Side == Head {
						s.Samples[k].Value *= 1.03 * math.Exp(left*rng.NormFloat64())
					}
				}
			}
			return s
		}
		preCheck, measured = append(preCheck, of(6, false)), append(measured, of(10, true))
	}
	return preCheck, measured
}

func TestMeasureLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		benchmarks          int
		sample, order, left float64
	}{
		{60, 0.01, 0.02, 0},
		{60, 0.01, 0.02, 0.02},
		{60, 0.005, 0.03, 0},
	} {
		n := measureLayout(inLayouts(rng, c.benchmarks, c.sample, c.order, c.left))
		if n == nil {
			t.Errorf("%+v: nothing is told", c)
			continue
		}
		t.Logf("%+v: %s", c, n)
		// What one side alone has is in the level by half.
		order := math.Hypot(c.order, c.left/2)
		if math.Abs(n.Order/order-1) > 0.3 || math.Abs(n.Sample/c.sample-1) > 0.3 || n.Benchmarks != c.benchmarks {
			t.Errorf("%+v: %+v", c, n)
		}
		if c.left >= c.sample && math.Abs(n.Left/c.left-1) > 0.5 || n.Left > 0.03 {
			t.Errorf("%+v: %v is left", c, n.Left)
		}
	}
	told := 0
	for range 100 {
		told += count(measureLayout(inLayouts(rng, 5, 0.02, 0, 0)) != nil)
	}
	if told > 15 {
		t.Errorf("layouts that do nothing are told of in %d of 100 families", told)
	}
}

func TestMeasureLayoutOfOneOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	preCheck, measured := inLayouts(rng, 5, 0.01, 0.03, 0)
	for _, c := range [][2][]Series{{nil, measured}, {preCheck, nil}, {preCheck, preCheck}, {measured, measured}} {
		if n := measureLayout(c[0], c[1]); n != nil {
			t.Errorf("told of one order alone: %s", n)
		}
	}
	if got := (&LayoutNoise{Order: 0.0141, Sample: 0.011, Left: 0.003, Benchmarks: 60}).String(); !strings.Contains(got, "60 benchmarks by 1.4 %, and other noise by 1.1 %") || !strings.HasSuffix(got, "0.3 % remains") {
		t.Error(got)
	}
}
