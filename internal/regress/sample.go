package regress

import (
	"context"
	"slices"
)

// A side is one side of a comparison: events per function, by instance.
type side struct {
	instances []string
	own, cum  [][]float64 // by instance, then function
	// work is what the costs of an instance are divided by: requests where they are
	// counted, or else all of its own events.
	work    []float64
	seconds float64 // of all instances
	event   float64 // value of one event that the profiler counts
}

// sample is what the windows of a comparison have.
type sample struct {
	frames        *Frames
	before, after side
	late          side
	past          []pastPair
	perRequest    bool
	unit, typ     string
	edges         [2]map[Edge]float64 // before and after, in events per work
}

// pastPair is a pair of an earlier day, for the whole fleet.
type pastPair struct{ before, after total }

// total is a sum over instances.
type total struct {
	own, cum []float64
	work     float64
}

// readSample reads the sums of windows. It returns nil if a side has no profiles.
func readSample(ctx context.Context, src Source, t Trigger, w windows) (*sample, error) {
	s := &sample{frames: NewFrames()}
	read := func(at span, detailed bool) ([]Sum, error) {
		return src.Sums(ctx, Selection{Service: t.Service, Kind: t.Kind, From: at.from, To: at.to, ByInstance: detailed}, s.frames)
	}
	before, err := read(w.before, true)
	if err != nil {
		return nil, err
	}
	early, err := read(span{w.after.from, w.late.from}, true)
	if err != nil {
		return nil, err
	}
	late, err := read(w.late, true)
	if err != nil {
		return nil, err
	}
	if t.Version != "" {
		is := func(one Sum) bool { return one.Version == t.Version }
		not := func(one Sum) bool { return one.Version != t.Version }
		before, early, late = slices.DeleteFunc(before, is), slices.DeleteFunc(early, not), slices.DeleteFunc(late, not)
	}
	after := slices.Concat(early, late)
	if len(before) == 0 || len(after) == 0 {
		return nil, nil
	}
	s.unit, s.typ = after[0].Unit, after[0].Type
	s.perRequest = counted(before) && counted(after)
	event := eventOf(slices.Concat(before, after))
	s.before, s.after, s.late = sideOf(before, event, s.perRequest), sideOf(after, event, s.perRequest), sideOf(late, event, s.perRequest)
	for _, p := range w.past {
		b, err := read(p.before, false)
		if err != nil {
			return nil, err
		}
		a, err := read(p.after, false)
		if err != nil {
			return nil, err
		}
		if len(b) > 0 && len(a) > 0 && (!s.perRequest || counted(b) && counted(a)) {
			s.past = append(s.past, pastPair{sideOf(b, event, s.perRequest).total(), sideOf(a, event, s.perRequest).total()})
		}
	}
	return s, nil
}

// counted reports whether all sums have requests.
func counted(sums []Sum) bool {
	return !slices.ContainsFunc(sums, func(one Sum) bool { return one.Requests <= 0 })
}

// eventOf returns the value of an event. If the profiler doesn't count events, it is a value
// that gives enough of them; how much instances differ then tells how much is chance.
func eventOf(sums []Sum) float64 {
	event, value := 0.0, 0.0
	for _, one := range sums {
		event = max(event, one.Event)
		for _, v := range one.Own {
			value += v
		}
	}
	if event > 0 {
		return event
	}
	const events = 1e5
	return max(value/events, 1e-9)
}

// sideOf adds up sums by instance.
func sideOf(sums []Sum, event float64, perRequest bool) side {
	s := side{event: event}
	for _, one := range sums {
		i := slices.Index(s.instances, one.Instance)
		if i < 0 {
			i = len(s.instances)
			s.instances = append(s.instances, one.Instance)
			s.own, s.cum, s.work = append(s.own, nil), append(s.cum, nil), append(s.work, 0)
		}
		s.own[i], s.cum[i] = addTo(s.own[i], one.Own, 1/event), addTo(s.cum[i], one.Cum, 1/event)
		s.seconds += one.Seconds
		if perRequest {
			s.work[i] += one.Requests
			continue
		}
		for _, v := range one.Own {
			s.work[i] += v / event
		}
	}
	return s
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

// readEdges reads the calls of a comparison, in events per work.
func readEdges(ctx context.Context, src Source, t Trigger, w windows, s *sample) error {
	for i, at := range []span{w.before, w.after} {
		sums, err := src.Sums(ctx, Selection{Service: t.Service, Kind: t.Kind, From: at.from, To: at.to, Edges: true}, s.frames)
		if err != nil {
			return err
		}
		s.edges[i] = map[Edge]float64{}
		work := 0.0
		for _, one := range sums {
			if t.Version != "" && (one.Version == t.Version) != (i == 1) {
				continue
			}
			for e, v := range one.Edges {
				s.edges[i][e] += v / s.before.event
			}
			if s.perRequest {
				work += one.Requests
				continue
			}
			for _, v := range one.Own {
				work += v / s.before.event
			}
		}
		for e := range s.edges[i] {
			s.edges[i][e] /= max(work, 1e-9)
		}
	}
	return nil
}
