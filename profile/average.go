package profile

import (
	"math"
	"slices"
)

// momentTypes are the sample types whose values are of a moment: those of one minute and
// of the next are the same goroutines and memory, so that their sum is of nothing.
var momentTypes = []string{"goroutine", "goroutines", "goroutineleak", "threadcreate", "inuse_objects", "inuse_space"}

// OfMoment reports whether values of a sample type are of a moment.
func OfMoment(sampleType string) bool { return slices.Contains(momentTypes, sampleType) }

// AverageMoments returns the profile, a sum of n, with the values of sample types that
// are of a moment divided by n, and the names of these types. A sum of differences over
// a time has none. The profile is shared but for its values.
func (p *Profile) AverageMoments(n int) (*Profile, []string) {
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
// each sum of the first ones is right within a half: the total, and with it every share,
// doesn't drift however many small values there are.
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
