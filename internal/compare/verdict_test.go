package compare

import (
	"math"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
)

func TestMethod(t *testing.T) {
	for tested, want := range map[int]string{
		0: "measured apart; 95 % intervals, and nothing to test",
		1: "measured apart; 95 % intervals, verdicts corrected for one test",
		2: "measured apart; 95 % intervals, verdicts corrected for 2 tests",
	} {
		s := &Sides{Family: &experiment.Family{Apart: true, Tested: tested, Alpha: 0.05}}
		if got := s.method(); got != want {
			t.Errorf("%d tests: %s, want %s", tested, got, want)
		}
	}
}

// TestOneScale: a change and both ends of its interval are in percent, or all of
// them are factors.
func TestOneScale(t *testing.T) {
	for _, c := range []struct {
		change, lo, hi float64
		want, interval string
	}{
		{0.679, 0.61, 0.75, "-32.10%", "[-39.00%, -25.00%]"},
		{9.5, 8.5975, 16.45, "×9.50", "[×8.60, ×16.45]"},
		{12, 11, 13, "×12.00", "[×11.00, ×13.00]"},
		{9, 8, 10, "+800.00%", "[+700.00%, +900.00%]"},
		{9, 8, math.Inf(1), "+800.00%", "[+700.00%, ∞]"},
		{1234, 800.4, 2345, "×1234", "[×800, ×2345]"},
	} {
		of := &experiment.Comparison{Change: c.change, Interval: experiment.Interval{Lo: c.lo, Hi: c.hi}}
		if change, interval := changeText(of), intervalText(of); change != c.want || interval != c.interval {
			t.Errorf("%v in [%v, %v]: %s %s, want %s %s", c.change, c.lo, c.hi, change, interval, c.want, c.interval)
		}
	}
}

// TestOneUnit: a difference and both ends of its interval have one unit, too.
func TestOneUnit(t *testing.T) {
	for _, c := range []struct {
		unit           string
		change, lo, hi float64
		want, interval string
	}{
		{"ns/op", -8120, -1.046e6, -6.2, "-8.120µ", "[-1046.000, -0.006]"},
		{"sec/op", 0, -2e-6, 5e-6, "0", "[-2.000, +5.000]"},
		{"B/op", 2048, -100, math.Inf(1), "+2.000Ki", "[-0.098, ∞]"},
		{"allocs/op", -286, -286, -286, "-286.0", "exact"},
	} {
		of := &experiment.Comparison{Key: experiment.Key{Unit: c.unit}, Scale: experiment.Difference, Change: c.change, Interval: experiment.Interval{Lo: c.lo, Hi: c.hi}}
		if change, interval := changeText(of), intervalText(of); change != c.want || interval != c.interval {
			t.Errorf("%v %s in [%v, %v]: %s %s, want %s %s", c.change, c.unit, c.lo, c.hi, change, interval, c.want, c.interval)
		}
	}
}
