package load

import (
	"math"
	"slices"
	"testing"
	"time"
)

func times(t *testing.T, p Pacer) []time.Duration {
	t.Helper()
	var all []time.Duration
	for {
		due, ok := p.Next()
		if !ok {
			return all
		}
		if n := len(all); due > p.End() || n > 0 && due < all[n-1] {
			t.Fatalf("request %d is due at %v, after one at %v; the end is %v", n, due, all[max(n-1, 0)], p.End())
		}
		if all = append(all, due); len(all) > 1e6 {
			t.Fatal("more than a million requests")
		}
	}
}

func pacer(t *testing.T, text string, poisson bool, warmup, d time.Duration) Pacer {
	t.Helper()
	pacing, err := ParsePacing(text, poisson, 7)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pacing.Pacer(warmup, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestConstant(t *testing.T) {
	all := times(t, pacer(t, "30000/m", false, 0, 2*time.Second))
	if len(all) != 1000 {
		t.Fatalf("%d requests in 2s at 500 per second", len(all))
	}
	for n, due := range all {
		if want := time.Duration(n) * 2 * time.Millisecond; due-want > time.Microsecond || want-due > time.Microsecond {
			t.Fatalf("request %d is due at %v, want %v", n, due, want)
		}
	}
}

// TestRamp: n requests are due when the integral of the rate is n.
func TestRamp(t *testing.T) {
	p := pacer(t, "100..300", false, time.Second, 10*time.Second)
	all := times(t, p)
	if want := 100 + 2000; len(all) != want {
		t.Fatalf("%d requests, want %d", len(all), want)
	}
	for n, due := range all {
		s := due.Seconds()
		integral := 100 * s
		if s > 1 {
			integral = 100 + 100*(s-1) + 10*(s-1)*(s-1)
		}
		if math.Abs(integral-float64(n)) > .01 {
			t.Fatalf("request %d is due at %v, where %.3f are", n, due, integral)
		}
	}
	if got := p.Rate(6 * time.Second); got != 200 {
		t.Errorf("the rate in the middle of the ramp is %v, want 200", got)
	}
}

func TestSteps(t *testing.T) {
	all := times(t, pacer(t, "100,400", false, 0, 4*time.Second))
	before := slices.IndexFunc(all, func(d time.Duration) bool { return d >= 2*time.Second })
	if before != 200 || len(all) != 1000 {
		t.Errorf("%d requests in the first step and %d in all, want 200 and 1000", before, len(all))
	}
}

// TestPoisson: as many as asked for, at intervals as long as their spread.
func TestPoisson(t *testing.T) {
	all := times(t, pacer(t, "1000", true, 0, 20*time.Second))
	if n := float64(len(all)); math.Abs(n-20000) > 5*math.Sqrt(20000) {
		t.Errorf("%v requests, want 20000 or so", n)
	}
	var sum, squares float64
	for i := 1; i < len(all); i++ {
		d := (all[i] - all[i-1]).Seconds()
		sum += d
		squares += d * d
	}
	n := float64(len(all) - 1)
	mean := sum / n
	if spread := math.Sqrt(squares/n - mean*mean); math.Abs(spread/mean-1) > .05 {
		t.Errorf("the intervals are %.3g ± %.3g s; of independent requests both are the same", mean, spread)
	}
	if again := times(t, pacer(t, "1000", true, 0, 20*time.Second)); !slices.Equal(all, again) {
		t.Error("the same seed gives other times")
	}
}

func TestParsePacing(t *testing.T) {
	for _, text := range []string{"", "0", "-1", "5/d", "x", "NaN", "Inf", "1..", "..2", "1,,2", "1e10"} {
		if _, err := ParsePacing(text, false, 0); err == nil {
			t.Errorf("ParsePacing(%q) gives no error", text)
		}
	}
	if _, err := NewSteps(Step{1e12, 1e12, 1000 * time.Hour}); err == nil {
		t.Error("more requests than can be counted are no error")
	}
}
