package regress

import (
	"cmp"
	"slices"
)

// A side is one side of a comparison: events per function, by instance.
type side struct {
	instances []string
	own, cum  [][]float64 // by instance, then function
	// work is what the costs of an instance are divided by, in events: requests where they
	// are counted, or seconds of amounts, or else all of its own costs.
	work    []float64
	seconds float64 // of all instances; moments of what is measured at moments
	event   float64 // value of one event that the profiler counts
}

// total is a sum over instances.
type total struct {
	own, cum []float64
	work     float64
}

// sideOf adds up sums by instance. instances is their number if the sums don't tell them
// apart.
func (s *sample) sideOf(sums []Sum, event float64, instances int) side {
	out := side{event: event}
	for _, one := range sums {
		i := slices.Index(out.instances, one.Instance)
		if i < 0 {
			i = len(out.instances)
			out.instances = append(out.instances, one.Instance)
			out.own, out.cum, out.work = append(out.own, nil), append(out.cum, nil), append(out.work, 0)
		}
		out.own[i], out.cum[i] = addTo(out.own[i], one.Own, 1), addTo(out.cum[i], one.Cum, 1)
		out.seconds += one.Seconds
		out.work[i] += s.workOf(&one)
	}
	if s.lasting {
		// The same event is in all profiles of an instance.
		out.event *= max(1, out.seconds/float64(max(1, cmp.Or(instances, len(out.instances)))))
	}
	for i := range out.instances {
		scale(out.own[i], 1/out.event)
		scale(out.cum[i], 1/out.event)
		out.work[i] /= out.event
	}
	return out
}

// each returns the seconds or moments of a mean instance.
func (s *side) each() float64 { return s.seconds / float64(max(1, len(s.instances))) }

func scale(column []float64, by float64) {
	for i := range column {
		column[i] *= by
	}
}

// workOf returns what the costs of a sum are divided by.
func (s *sample) workOf(one *Sum) (work float64) {
	switch {
	case s.perRequest:
		return one.Requests
	case s.amount:
		return one.Seconds
	}
	for _, v := range one.Own {
		work += v
	}
	return work
}

// total adds up the instances of a side.
func (s side) total() total {
	var t total
	for i := range s.instances {
		t.own, t.cum = addTo(t.own, s.own[i], 1), addTo(t.cum, s.cum[i], 1)
		t.work += s.work[i]
	}
	return t
}

// column returns the events of functions: own ones, or with callees.
func (t *total) column(callees bool) []float64 {
	if callees {
		return t.cum
	}
	return t.own
}

// columns returns the events of functions by instance.
func (s *side) columns(callees bool) [][]float64 {
	if callees {
		return s.cum
	}
	return s.own
}
