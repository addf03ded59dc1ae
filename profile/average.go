package profile

import (
	"math"
	"slices"
)

// momentTypes are the sample types whose values describe a moment. The values of two
// consecutive minutes count the same goroutines and memory, so their sum means nothing.
var momentTypes = []string{"goroutine", "goroutines", "goroutineleak", "threadcreate", "inuse_objects", "inuse_space"}

// OfMoment reports whether the values of a sample type describe a moment.
func OfMoment(sampleType string) bool { return slices.Contains(momentTypes, sampleType) }

// AverageMoments returns p, a sum of n profiles, with the values that describe a moment
// divided by n, and the names of these sample types. A profile with a duration holds
// differences, so it has none. The result shares everything but the values with p.
func AverageMoments(p *Profile, n int) (*Profile, []string) {
	if n < 2 || p.DurationNanos > 0 {
		return p, nil
	}
	q := *p
	q.Values = slices.Clone(p.Values)
	var names []string
	for i, t := range p.SampleTypes {
		if OfMoment(t.Type) {
			q.Values[i] = Divided(p.Values[i], float64(n))
			names = append(names, t.Type)
		}
	}
	if names == nil {
		return p, nil
	}
	return &q, names
}

// Divided returns a column of values divided by a number. Values are rounded so that
// every partial sum is off by at most one half. So the total doesn't drift, however many
// small values there are.
func Divided(column []int64, by float64) []int64 {
	out := make([]int64, len(column))
	var exact, rounded int64
	for i, v := range column {
		exact += v
		next := int64(math.Round(float64(exact) / by))
		out[i] = next - rounded
		rounded = next
	}
	return out
}
