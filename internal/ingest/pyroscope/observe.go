package pyroscope

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"

	"github.com/hone-go/hone/internal/ingest"
	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// An observation is a value that a heatmap counts and that an exemplar shows: that of a
// profile, or that of a span in one step.
type observation struct {
	series store.Labels // those that the query groups by
	labels store.Labels // the others, if the query asks for them
	at     int64        // ns since 1970
	value  int64
	id     store.ID // of the profile; zero for a span
	spanID
}

// A spanID names a span. Programs may label samples with the span alone.
type spanID struct{ span, trace string }

// A grouping has the labels that observations have.
type grouping struct {
	by     []string // hone's names
	others []string
}

// grouping returns how to group by labels with Pyroscope's names. If it is detailed, it has
// all other labels of the selected profiles, too.
func (q *querier) grouping(ctx context.Context, s *selection, groupBy []string, detailed bool) (g grouping, err error) {
	if err := checkNames(groupBy); err != nil {
		return g, err
	}
	for _, name := range groupBy {
		g.by = append(g.by, hones(name))
	}
	if !detailed {
		return g, nil
	}
	all, err := q.store.Labels(ctx, store.Query{Selector: s.selector, From: s.from, To: s.to})
	for _, l := range all {
		if l.Name != store.LabelKind && !slices.Contains(g.by, l.Name) {
			g.others = append(g.others, l.Name)
		}
	}
	return g, err
}

func (g grouping) names() []string { return slices.Concat(g.by, g.others) }

// observe returns an observation with only its labels.
func (g grouping) observe(labels store.Labels) (o observation, err error) {
	if o.series, err = renamed(labels.Select(g.by)); err == nil {
		o.labels, err = renamed(labels.Select(g.others))
	}
	return o, err
}

// profiles returns the selected profiles with the values of all their samples.
func (q *querier) profiles(ctx context.Context, s *selection, g grouping) ([]observation, error) {
	queries, err := q.queries(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []observation
	for _, query := range queries {
		query.By, query.Limit = g.names(), maxPoints
		series, err := q.store.Series(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, part := range series {
			o, err := g.observe(part.Labels)
			if err != nil {
				return nil, err
			}
			for _, p := range part.Points {
				o.at, o.value, o.id = p.Time, p.Value, p.ID
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// spansIn returns the spans of the selected profiles: one observation per span and step.
func (q *querier) spansIn(ctx context.Context, s *selection, g grouping, step int64) ([]observation, error) {
	queries, err := q.queries(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []observation
	for _, query := range queries {
		query.By, query.Step, query.Budget = g.names(), step, ingest.BudgetOf(ctx)
		groups, err := q.store.Merge(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, group := range groups {
			o, err := g.observe(group.Labels)
			if err != nil {
				return nil, err
			}
			// The store keeps no times of samples: the end of the step's last profile is the best one.
			o.at = max(group.Time, min(group.Last, group.Time+step-1))
			for id, value := range spanValues(s.filter(group.Profile)) {
				if len(out) == maxPoints {
					return nil, badRequest("the selection has more than %d spans: select fewer", maxPoints)
				}
				o.spanID, o.value = id, value
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// spanValues returns the sum of the first value of each span in a profile.
func spanValues(p *profile.Profile) map[spanID]int64 {
	out := map[spanID]int64{}
	if p.SampleLabels == nil {
		return out
	}
	sums := make([]int64, len(p.LabelSets))
	for sample, set := range p.SampleLabels {
		sums[set] += p.Values[0][sample]
	}
	for set, sum := range sums {
		if sum == 0 {
			continue
		}
		labels := p.LabelSets[set]
		var id spanID
		for _, l := range p.Labels[labels.Start : labels.Start+labels.Len] {
			switch key := p.Strings[l.Key]; {
			case l.Numeric:
			case slices.Contains(spanLabels, key):
				id.span = validText(p.Strings[l.Str])
			case key == traceLabel:
				id.trace = validText(p.Strings[l.Str])
			}
		}
		if id.span != "" {
			out[id] += sum
		}
	}
	return out
}

// exemplar returns an observation as an exemplar of its series.
func (o *observation) exemplar() *pb.Exemplar {
	e := &pb.Exemplar{Timestamp: o.at / 1e6, SpanId: o.span, TraceId: o.trace, Value: o.value, Labels: pairs(o.labels)}
	if o.id != (store.ID{}) {
		e.ProfileId = uuid(o.id)
	}
	return e
}

// uuid returns an ID as parseIDs reads it.
func uuid(id store.ID) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// An observed is the observations of one series, sorted by time.
type observed struct {
	labels store.Labels
	all    []observation
	total  float64
}

// bySeries divides observations by their series, sorted by labels. It sorts them.
func bySeries(all []observation) (out []observed) {
	slices.SortFunc(all, func(a, b observation) int {
		return cmp.Or(a.series.Compare(b.series), cmp.Compare(a.at, b.at), slices.Compare(a.id[:], b.id[:]),
			cmp.Compare(a.span, b.span), cmp.Compare(a.trace, b.trace), a.labels.Compare(b.labels))
	})
	first := 0
	for i := range all {
		if i+1 < len(all) && all[i+1].series.Compare(all[i].series) == 0 {
			continue
		}
		s := observed{labels: all[i].series, all: all[first : i+1]}
		for _, o := range s.all {
			s.total += float64(o.value)
		}
		out = append(out, s)
		first = i + 1
	}
	return out
}
