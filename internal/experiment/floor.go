package experiment

import (
	"math"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// A Floor is what an A/A pre-check says of a benchmark: both sides were the
// same binary, so whatever differs is noise.
type Floor struct {
	Pairs int
	// Spread is the standard deviation of one pair's log ratio: see rank.MedianDeviation.
	Spread float64
	// Bias is the change, as a fraction, that the pre-check "found"; 0 unless
	// its 95 % interval leaves out zero. A later change has to exceed it.
	Bias float64
}

// MeasureFloor returns the noise floor by series.
func MeasureFloor(series []Series) map[Key]Floor {
	floors := make(map[Key]Floor)
	for _, s := range series {
		p := pair(s.Samples)
		if p.scale != Ratio || len(p.differences) == 0 {
			continue // counts that can be 0 have no ratios and hardly any noise
		}
		floor := Floor{Pairs: len(p.differences)}
		floor.Spread = rank.Spread(p.differences)
		e := rank.Paired(p.differences)
		if lo, hi := e.Interval(0.05); lo > 0 || hi < 0 {
			floor.Bias = math.Expm1(math.Abs(e.Center()))
		}
		floors[s.Key] = floor
	}
	return floors
}
