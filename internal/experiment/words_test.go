package experiment

import (
	"math"
	"testing"
)

// TestMinDetectableText checks that an inconclusive row never claims to detect less than its
// interval leaves open.
func TestMinDetectableText(t *testing.T) {
	for _, tt := range []struct {
		detectable, lo, hi float64
		want               string
	}{
		{0.031, 0.98, 1.02, "inconclusive (min detectable 3.1 %)"},
		{0.31, 0.9, 1.2, "inconclusive (min detectable 31 %)"},
		{0, 0.25, 31.76, "inconclusive (min detectable ×11)"},
		{0, 0.98, 1.02, "inconclusive (min detectable 2.0 %)"},
		{0.0002, 1, 1, "inconclusive (min detectable 0.02 %)"},
		{math.Inf(1), 0, math.Inf(1), "inconclusive (too few samples)"},
	} {
		c := &Comparison{Verdict: Inconclusive, MinDetectable: tt.detectable, Interval: Interval{Lo: tt.lo, Hi: tt.hi}}
		if got := c.Words(); got != tt.want {
			t.Errorf("%v: %s", tt, got)
		}
	}
}
