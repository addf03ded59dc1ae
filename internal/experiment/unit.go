package experiment

import (
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// CPUTime is the unit of a benchmark's second clock: CPU time, user and system, of its
// process by iteration, without what the process takes for anything else.
const CPUTime = "user+sys-ns/op"

// PeakRSS is the unit of the largest resident set of a benchmark's process.
const PeakRSS = "peak-RSS-bytes"

// A Direction says which way of a unit is good.
type Direction int8

const (
	LowerIsBetter  Direction = -1
	UnknownBetter  Direction = 0
	HigherIsBetter Direction = +1
)

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
	case isTime(unit), unit == PeakRSS: // of load: "p99-ns"
		return LowerIsBetter
	}
	return UnknownBetter
}

// isTime reports whether a unit is one of time, such as ns/op or p99-ns.
func isTime(unit string) bool { return Amount(unit) == "sec" }

// Amount returns what a unit counts, whatever it is divided by: "sec" for times such as ns/op
// and p99-ns, "B" for sizes, and "" for everything else.
func Amount(unit string) string {
	_, tidied := benchunit.Tidy(1, unit)
	amount, _, _ := strings.Cut(tidied, "/")
	for word := range strings.SplitSeq(amount, "-") {
		switch word {
		case "sec":
			return "sec"
		case "B", "bytes":
			return "B"
		}
	}
	return ""
}

func hasUnitSuffix(unit, suffix string) bool {
	return len(unit) > len(suffix) && unit[len(unit)-len(suffix):] == suffix
}

func isRunTime(unit string) bool { return unit == "ns/op" || unit == "sec/op" }
