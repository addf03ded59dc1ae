package regress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSignificant(t *testing.T) {
	var all []effect
	for i, p := range []float64{0.04, 0.0001, 0.011, 0.6, 0.021, 0.9, 0.3, 0.5, 0.7, 0.012} {
		all = append(all, effect{f: i, p: p, growth: 1 / p})
	}
	var got []int
	for _, e := range significant(all, 0.05) {
		got = append(got, e.f)
	}
	// 0.0001 <= 0.005, 0.011 > 0.010, but 0.012 <= 0.015; 0.021 > 0.020 and so on.
	if want := []int{1, 2, 9}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNormal compares with the tables of Student's distribution.
func TestNormal(t *testing.T) {
	for _, test := range []struct{ t, degrees, p float64 }{{2.228, 10, 0.025}, {4.144, 10, 0.001}, {2.042, 30, 0.025}, {1.96, 1e9, 0.025}} {
		if p := upperTail(normal(test.t, test.degrees)); math.Abs(p/test.p-1) > 0.02 {
			t.Errorf("t = %g with %g degrees: p is %g, want %g", test.t, test.degrees, p, test.p)
		}
	}
}

func TestDeviance(t *testing.T) {
	for _, test := range []struct{ a, b, ratio, z float64 }{
		{100, 100, 1, 0},
		{120, 100, 1, math.Sqrt(2 * (120*math.Log(120/110.) + 100*math.Log(100/110.)))},
		{80, 100, 1, -math.Sqrt(2 * (80*math.Log(80/90.) + 100*math.Log(100/90.)))},
		{10, 0, 0.1, math.Sqrt(20 * math.Log(11))},
	} {
		if z := deviance(test.a, test.b, test.ratio); math.Abs(z-test.z) > 1e-9 {
			t.Errorf("%g and %g at %g: got %g, want %g", test.a, test.b, test.ratio, z, test.z)
		}
	}
}

// TestScatter has functions that vary by 3 % beyond chance, and some that changed.
func TestScatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, test := range []struct {
		name                     string
		functions, changed       int
		beyond, least, mostFound float64
	}{
		{"only chance", 300, 0, 0, 0, 0.01},
		{"more than chance", 300, 0, 0.03, 0.027, 0.033},
		{"a tenth changed", 300, 30, 0.03, 0.027, 0.036},
		{"one of eight changed", 8, 1, 0, 0, 0.02},
		{"none", 0, 0, 0, 0, 0},
	} {
		var all []deviation
		for i := range test.functions {
			chance := 0.01 + 0.03*rng.Float64()
			d := deviation{math.Hypot(chance, test.beyond) * rng.NormFloat64(), chance * chance}
			if i < test.changed {
				d.by += 0.5
			}
			all = append(all, d)
		}
		if got := math.Sqrt(scatter(all)); got < test.least || got > test.mostFound {
			t.Errorf("%s: got %.4f, want %g to %g", test.name, got, test.least, test.mostFound)
		}
	}
}

// TestUnusualDay has seven days, on one of which all functions differ: it doesn't make
// functions look as if they varied from day to day.
func TestUnusualDay(t *testing.T) {
	variance := func(unusual float64) (days, season float64) {
		rng := rand.New(rand.NewPCG(1, 1))
		s := &sample{frames: NewFrames()}
		const functions, events = 100, 1e5
		for f := range functions {
			s.frames.Number(fmt.Sprint("f", f))
		}
		for d := range 7 {
			var p pastPair
			p.before.work, p.after.work = functions*events, functions*events
			for range functions {
				by := 0.003 * rng.NormFloat64()
				if d == 3 {
					by += unusual * rng.NormFloat64()
				}
				p.before.own = append(p.before.own, events)
				p.after.own = append(p.after.own, events*math.Exp(by)+math.Sqrt(2*events)*rng.NormFloat64())
			}
			s.past = append(s.past, p)
		}
		out := make([]spread, functions)
		s.addDays(out, false)
		for _, one := range out {
			days, season = days+one.days/functions, season+one.seasonVar/functions
		}
		return math.Sqrt(days), math.Sqrt(season)
	}
	days, season := variance(0)
	if days < 0.002 || days > 0.004 || season > 0.003 {
		t.Errorf("usual days: %.4f from day to day, %.4f of the season", days, season)
	}
	if with, seasonWith := variance(0.05); with > 1.5*days || seasonWith > 0.001 {
		t.Errorf("with an unusual day: %.4f from day to day, %.4f of the season; %.4f from day to day without it", with, seasonWith, days)
	}
}
