package experiment

import (
	"math"

	"golang.org/x/perf/benchfmt"
)

// A Direction says which way of a unit is good.
type Direction int8

const (
	LowerIsBetter  Direction = -1
	UnknownBetter  Direction = 0
	HigherIsBetter Direction = +1
)

// PeakRSS is the unit of the largest resident set of a benchmark's process.
const PeakRSS = "peak-RSS-bytes"

// DirectionOf looks a unit up: first what the files say of it in "Unit" lines,
// then benchfmt's defaults, then by its form: per second is throughput, per
// operation is cost, and so is a time. metadata may be nil.
func DirectionOf(unit string, metadata benchfmt.UnitMetadataMap) Direction {
	if b := metadata.GetBetter(unit); b != 0 {
		return Direction(b)
	}
	if metadata.Get(unit, "better") != nil {
		return UnknownBetter
	}
	switch {
	case hasUnitSuffix(unit, "/s"), hasUnitSuffix(unit, "/sec"):
		return HigherIsBetter
	case hasUnitSuffix(unit, "/op"):
		return LowerIsBetter
	case dimensionOf(unit) == Time, unit == PeakRSS: // of load: "p99-ns"
		return LowerIsBetter
	}
	return UnknownBetter
}

func hasUnitSuffix(unit, suffix string) bool {
	return len(unit) > len(suffix) && unit[len(unit)-len(suffix):] == suffix
}

func (c *Comparison) setMinDetectable(e shiftEstimate, a float64) {
	lo, hi := e.interval(a)
	m := minDetectable((hi-lo)/2, c.sample.shift(c.Floor.Bias), a)
	if c.Scale == Ratio {
		m = math.Expm1(m)
	}
	c.MinDetectable = m
}
