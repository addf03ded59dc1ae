package store

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// KindRequests is the kind of profiles of requests, which agents count. They cover all of the
// time, whatever part of it other profiles cover, so requests are compared by rate. All of
// them have a duration.
const KindRequests = "requests"

// Requests returns the conditions on the requests of the processes whose profiles s selects.
func (s Selector) Requests() Selector {
	conditions := slices.DeleteFunc(slices.Clone(s), func(m Matcher) bool { return m.Name == LabelKind })
	return append(Selector{{Name: LabelKind, Op: Equal, Value: KindRequests}}, conditions...)
}

// RequestsDuring returns about how many requests there were in the time that a total covers,
// given those of the same processes. It returns 0 if they were counted in less than half of
// it, as by a few of the processes: the others' requests would look expensive.
func (t *Total) RequestsDuring(requests Total) float64 {
	if requests.Duration == 0 || requests.Duration < t.Duration/2 {
		return 0
	}
	return float64(requests.Value) * (float64(t.Duration) / float64(requests.Duration))
}

// RateStep returns the length of windows of a time range that have a rate of requests each. They are
// whole minutes or hours, for roll-ups, and no shorter than five minutes: agents profile and count once a
// minute, each at its own moment of it, so shorter windows may have profiles without requests.
func RateStep(from, to int64) int64 {
	const windows = 48
	for _, minutes := range []time.Duration{5, 10, 15, 30, 60, 120, 180, 360, 720} {
		if step := int64(minutes * time.Minute); (to-from)/step < windows {
			return step
		}
	}
	const day = int64(24 * time.Hour)
	return ((to-from)/day/windows + 1) * day
}

// RequestsIn returns the requests in the time that profiles cover, given the windows of both: see
// [RateStep]. Requests are counted all of the time, but profiles may be more frequent at some hours, so
// each window counts by how much of it was profiled. A window without requests has the rate of the one
// before: a profile of requests may be longer than a window. The result is zero if the requests aren't known.
func RequestsIn(profiled, counted []Point) Total {
	byTime := func(a, b Point) int { return cmp.Compare(a.Time, b.Time) }
	slices.SortFunc(profiled, byTime)
	slices.SortFunc(counted, byTime)
	var total, all Total
	for _, p := range counted {
		all.Value, all.Duration, all.Version = all.Value+p.Value, all.Duration+p.Duration, all.Version*31+p.Version
	}
	n, at := 0.0, 0
	for _, p := range profiled {
		total.Duration += p.Duration
		for at+1 < len(counted) && counted[at+1].Time <= p.Time {
			at++
		}
		if at < len(counted) {
			n += float64(p.Duration) * float64(counted[at].Value) / max(float64(counted[at].Duration), 1)
		}
	}
	if total.RequestsDuring(all) == 0 {
		return Total{}
	}
	return Total{Value: int64(math.Round(n)), Duration: total.Duration, Version: all.Version}
}
