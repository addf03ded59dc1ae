package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestOutlier checks which of some instances is said to have changed unlike the others.
func TestOutlier(t *testing.T) {
	side := func(costs ...float64) *Instances {
		in := &Instances{Count: len(costs)}
		for i, cost := range costs {
			in.Add(10, func(yield func(string, float64, float64)) {
				yield("work", 0.9*cost*10, 0)
				yield("hot", 0.1*cost*10, 0)
			})
			in.Name(fmt.Sprint("i", i))
		}
		return in
	}
	before := side(100, 104, 97, 101)
	hot := side(140, 145, 137, 0)
	hot.all[3] = map[string]instanceValue{totalFrame: {flat: 3200}, "work": {flat: 1300}, "hot": {flat: 1900}}
	unnamed := side(140, 145, 137, 320)
	unnamed.names = nil
	for _, tt := range []struct {
		name           string
		base, head     *Instances
		want, function string
	}{
		{"one of four", before, hot, "i3", "hot"},
		{"one less", before, side(140, 145, 137, 20), "i3", "work"},
		{"all alike", before, side(140, 146, 137, 141), "", ""},
		{"a little more", before, side(140, 145, 137, 155), "", ""},
		{"they differ", before, side(140, 300, 60, 320), "", ""},
		{"two", side(100, 100), side(100, 300), "", ""},
		{"equal to the last digit", side(100, 100, 100), side(100, 100, 300), "", ""},
		{"without names", before, unnamed, "", ""},
		{"another one", side(100, 104, 97), side(140, 145, 137, 320), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c Chance
			c.NewSpreads(tt.base, tt.head)
			switch got := c.outlier; {
			case (got == nil) != (tt.want == ""):
				t.Errorf("got %+v, want %q", got, tt.want)
			case got != nil && (got.instance != tt.want || got.function != tt.function):
				t.Errorf("got %s by %s, want %s by %s", got.instance, got.function, tt.want, tt.function)
			}
		})
	}
}

// TestOutlierByChance checks that at most 5 of 100 comparisons of instances that differ at random name one.
func TestOutlierByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{3, 4, 8} {
		const runs = 1000
		named := 0
		for range runs {
			var sides [2]Instances
			for s := range sides {
				for i := range k {
					cost := 100 * math.Exp(0.5*random.NormFloat64())
					sides[s].Add(1, func(yield func(string, float64, float64)) { yield("f", cost, cost) })
					sides[s].Name(fmt.Sprint(i))
				}
			}
			if outlierOf(&sides[0], &sides[1]) != nil {
				named++
			}
		}
		if named > runs*7/100 {
			t.Errorf("%d instances: %d of %d", k, named, runs)
		}
	}
}
