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
		{9.5, 8.5975, 16.45, "×9.5", "[×8.598, ×16.45]"},
		{12, 11, 13, "×12", "[×11, ×13]"},
		{9, 8, 10, "+800.00%", "[+700.00%, +900.00%]"},
		{9, 8, math.Inf(1), "+800.00%", "[+700.00%, ∞]"},
	} {
		of := &experiment.Comparison{Change: c.change, Interval: experiment.Interval{Lo: c.lo, Hi: c.hi}}
		if change, interval := changeText(of, c.change), intervalText(of); change != c.want || interval != c.interval {
			t.Errorf("%v in [%v, %v]: %s %s, want %s %s", c.change, c.lo, c.hi, change, interval, c.want, c.interval)
		}
	}
}
