package fnmetrics

import (
	"strings"

	"github.com/hone-go/hone/profile"
)

// A unit is how values are exported.
type unit struct {
	name   string  // the end of a metric's name
	factor float64 // of a value per second, or per profile
}

// unitOf returns the unit of values of a type.
func unitOf(t profile.ValueType, share bool) unit {
	_, known := profile.Convert(1, t.Unit, "auto")
	seconds, isTime := profile.Convert(1, t.Unit, "s")
	bytes, isSize := profile.Convert(1, t.Unit, "B")
	moment := profile.OfMoment(t.Type)
	switch {
	case share:
		return unit{"ratio", 1}
	case known != "" && isTime == "s" && t.Type == "cpu":
		return unit{"cores", seconds}
	case known != "" && isTime == "s":
		return perSecond("seconds", seconds, moment)
	case known != "" && isSize == "B":
		return perSecond("bytes", bytes, moment)
	}
	return perSecond(counted(t.Type), 1, moment)
}

func perSecond(name string, factor float64, moment bool) unit {
	if !moment {
		name += "_per_second"
	}
	return unit{name, factor}
}

// counted returns what values of a sample type count, in the plural.
func counted(sampleType string) string {
	switch sampleType {
	case "alloc_objects", "inuse_objects":
		return "objects"
	case "goroutine", "goroutineleak":
		return "goroutines"
	case "threadcreate":
		return "threads"
	}
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, sampleType)
	if plain = strings.Trim(plain, "_"); plain == "" {
		return "events"
	}
	return plain
}

// metricName returns the name of a metric, which ends with its unit, as OpenMetrics asks.
func metricName(name, unit string) string {
	if strings.HasSuffix(name, "_"+unit) {
		return name
	}
	return name + "_" + unit
}

// base returns a name without a unit of known values. Rules may not have equal ones, since the
// names of their metrics could be equal.
func base(name string) string {
	for _, unit := range []string{"ratio", "cores", "seconds", "bytes", "objects", "goroutines", "threads", "contentions", "samples"} {
		for _, end := range []string{"_" + unit, "_" + unit + "_per_second"} {
			if short, ok := strings.CutSuffix(name, end); ok {
				return short
			}
		}
	}
	return name
}
