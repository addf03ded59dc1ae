package regress

import (
	"context"
	"slices"
)

// sample is what the windows of a comparison have.
type sample struct {
	measure
	frames        *Frames
	before, after side
	late          side
	past          []pastPair
	perRequest    bool
	unit, typ     string
	edges         [2]map[Edge]float64 // before and after, per work
	load          load
	// rolledBack is set if only other versions have profiles at the end.
	rolledBack bool
}

// pastPair is a pair of an earlier day, for the whole fleet.
type pastPair struct{ before, after total }

// load is by how much the load changed, as a logarithm, and the variance of that.
type load struct{ log, variance float64 }

// reading is the sums of the windows of a comparison.
type reading struct {
	before, early, late []Sum // by instance
	past                [][2][]Sum
	rolledBack          bool
}

// reader reads sums of a service. It reads those over all instances once.
type reader struct {
	src    Source
	t      Trigger
	frames *Frames
	known  map[span][]Sum
}

func (r *reader) instances(ctx context.Context, at span) ([]Sum, error) {
	return r.src.Sums(ctx, Selection{Service: r.t.Service, Kind: r.t.Kind, From: at.from, To: at.to, ByInstance: true}, r.frames)
}

func (r *reader) all(ctx context.Context, at span) (sums []Sum, err error) {
	sums, known := r.known[at]
	if !known {
		sums, err = r.src.Sums(ctx, Selection{Service: r.t.Service, Kind: r.t.Kind, From: at.from, To: at.to}, r.frames)
		r.known[at] = sums
	}
	return sums, err
}

// readSample reads what the windows have. It returns nil if a side has no profiles.
func readSample(ctx context.Context, src Source, t Trigger, w windows, m measure) (*sample, error) {
	r := &reader{src, t, NewFrames(), map[span][]Sum{}}
	sums, err := r.read(ctx, w)
	if sums == nil || err != nil {
		return nil, err
	}
	sums.align(r.frames)
	s := &sample{measure: m, frames: r.frames, rolledBack: sums.rolledBack}
	event := eventOf(slices.Concat(sums.before, sums.early, sums.late))
	s.fill(sums, event)
	if d := s.dispersion(); d > 1 {
		s.fill(sums, event*d)
	}
	if m.amount && !s.perRequest {
		s.load, err = readLoad(ctx, src, t, w)
	}
	return s, err
}

// read reads the sums of windows. It returns nil if a side has no profiles.
func (r *reader) read(ctx context.Context, w windows) (*reading, error) {
	out := &reading{}
	for _, one := range []struct {
		at span
		to *[]Sum
	}{{w.before, &out.before}, {span{w.after.from, w.late.from}, &out.early}, {w.late, &out.late}} {
		var err error
		if *one.to, err = r.instances(ctx, one.at); err != nil {
			return nil, err
		}
	}
	if r.t.Version != "" {
		is := func(one Sum) bool { return one.Version == r.t.Version }
		not := func(one Sum) bool { return one.Version != r.t.Version }
		others := slices.ContainsFunc(out.late, not)
		out.before, out.early, out.late = slices.DeleteFunc(out.before, is), slices.DeleteFunc(out.early, not), slices.DeleteFunc(out.late, not)
		out.rolledBack = others && len(out.late) == 0
	}
	if len(out.before) == 0 || len(out.early)+len(out.late) == 0 {
		return nil, nil
	}
	for _, p := range w.past {
		before, err := r.all(ctx, p.before)
		if err != nil {
			return nil, err
		}
		after, err := r.all(ctx, p.after)
		if err != nil {
			return nil, err
		}
		if len(before) > 0 && len(after) > 0 {
			out.past = append(out.past, [2][]Sum{before, after})
		}
	}
	return out, nil
}

// fill makes the sides of a sample from sums.
func (s *sample) fill(r *reading, event float64) {
	after := slices.Concat(r.early, r.late)
	s.unit, s.typ = after[0].Unit, after[0].Type
	s.perRequest = counted(r.before) && counted(after)
	s.before, s.after, s.late = s.sideOf(r.before, event, 0), s.sideOf(after, event, 0), s.sideOf(r.late, event, 0)
	s.past = nil
	for _, p := range r.past {
		if !s.perRequest || counted(p[0]) && counted(p[1]) {
			n := len(s.before.instances)
			b, a := s.sideOf(p[0], event, n), s.sideOf(p[1], event, n)
			s.past = append(s.past, pastPair{b.total(), a.total()})
		}
	}
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

// readLoad reads how the load changed, compared with the same hours of earlier days. The
// load of a service is the CPU time that an instance uses.
func readLoad(ctx context.Context, src Source, t Trigger, w windows) (l load, err error) {
	change := func(p pair) (log float64, known bool, err error) {
		before, err := src.Load(ctx, t.Service, p.before.from, p.before.to)
		if err != nil {
			return 0, false, err
		}
		after, err := src.Load(ctx, t.Service, p.after.from, p.after.to)
		log, known = loadChange(before, after)
		return log, known, err
	}
	log, known, err := change(w.pair)
	if !known || err != nil {
		return load{variance: unknownLoad}, err
	}
	usual, n := 0.0, 0.0
	for _, p := range w.past {
		past, known, err := change(p)
		if err != nil {
			return l, err
		}
		if known {
			usual, n = usual+past, n+1
		}
	}
	return load{log: log - usual/max(n, 1)}, nil
}

// readEdges reads the calls of a comparison, per work. A call has its share of all cost: the
// work of a whole window isn't that of its parts, which the sides add up, if profiles were
// more frequent at some hours than requests.
func readEdges(ctx context.Context, src Source, t Trigger, w windows, s *sample) error {
	for i, side := range []total{s.before.total(), s.after.total()} {
		at := []span{w.before, w.after}[i]
		sums, err := src.Sums(ctx, Selection{Service: t.Service, Kind: t.Kind, From: at.from, To: at.to, Edges: true}, s.frames)
		if err != nil {
			return err
		}
		if t.Version != "" {
			sums = slices.DeleteFunc(sums, func(one Sum) bool { return (one.Version == t.Version) != (i == 1) })
		}
		s.edges[i] = map[Edge]float64{}
		all, cost := 0.0, 0.0
		for _, one := range sums {
			for e, v := range one.Edges {
				s.edges[i][s.frames.aligned(e)] += v
			}
			for _, v := range one.Own {
				all += v
			}
		}
		for _, v := range side.own {
			cost += v
		}
		for e := range s.edges[i] {
			s.edges[i][e] *= cost / max(side.work, 1e-9) / max(all, 1e-9)
		}
	}
	return nil
}
