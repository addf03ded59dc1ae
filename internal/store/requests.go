package store

import "slices"

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
