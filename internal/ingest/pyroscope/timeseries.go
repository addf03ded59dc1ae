package pyroscope

import (
	"cmp"
	"context"
	"slices"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
)

func (q queryCalls) selectSeries(ctx context.Context, req *pb.SelectSeriesRequest) (*pb.SelectSeriesResponse, error) {
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	if err := s.restrict(req.GetStackTraceSelector()); err != nil {
		return nil, err
	}
	step, err := stepOf(req.GetStep(), s)
	if err != nil {
		return nil, err
	}
	lines, err := q.lines(ctx, s, req.GetGroupBy(), step)
	if err != nil {
		return nil, err
	}
	lines = largest(lines, req.GetLimit())
	shown, err := q.exemplars(ctx, s, req, step)
	if err != nil {
		return nil, err
	}
	res := &pb.SelectSeriesResponse{}
	for _, l := range lines {
		series := &pb.TimeSeries{Labels: pairs(l.labels)}
		for _, p := range l.points {
			value := float64(p.Value)
			if req.GetAggregation() == pb.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE {
				value /= float64(max(p.Profiles, 1))
			}
			// A value's time is the end of its step, or of the queried range.
			at := p.Time + step
			if s.to != 0 {
				at = min(at, s.to)
			}
			point := &pb.Point{Value: value, Timestamp: at / 1e6}
			if o := shown[cell{l.labels.String(), p.Time}]; o != nil {
				point.Exemplars = []*pb.Exemplar{o.exemplar()}
			}
			series.Points = append(series.Points, point)
		}
		res.Series = append(res.Series, series)
	}
	return res, nil
}

// A cell is one step of a series.
type cell struct {
	series string
	window int64
}

// maxRecounted limits the exemplars of queries that select parts of profiles. For each, the
// store reads a profile.
const maxRecounted = 100

// exemplars returns the largest profile or span of each step, if a query asks for it.
func (q *querier) exemplars(ctx context.Context, s *selection, req *pb.SelectSeriesRequest, step int64) (map[cell]*observation, error) {
	if !wanted(req.GetExemplarType()) {
		return nil, nil
	}
	g, err := q.grouping(ctx, s, req.GetGroupBy(), true)
	if err != nil {
		return nil, err
	}
	spans := req.GetExemplarType() == pb.ExemplarType_EXEMPLAR_TYPE_SPAN
	var all []observation
	if spans {
		all, err = q.spansIn(ctx, s, g, step)
	} else {
		all, err = q.profiles(ctx, s, g)
	}
	if err != nil {
		return nil, err
	}
	out := map[cell]*observation{}
	for _, series := range bySeries(all) {
		name := series.labels.String()
		for i := range series.all {
			o := &series.all[i]
			at := cell{name, store.Window(o.at, step)}
			if out[at] == nil || o.value > out[at].value {
				out[at] = o
			}
		}
	}
	if !spans && s.filtered() {
		return q.recounted(ctx, s, out)
	}
	return out, nil
}

// recounted returns the exemplars with the values of their selected samples: the largest ones,
// and only those that have any.
func (q *querier) recounted(ctx context.Context, s *selection, all map[cell]*observation) (map[cell]*observation, error) {
	cells := make([]cell, 0, len(all))
	for at := range all {
		cells = append(cells, at)
	}
	slices.SortFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(all[b].value, all[a].value), cmp.Compare(a.series, b.series), cmp.Compare(a.window, b.window))
	})
	out := map[cell]*observation{}
	for _, at := range cells[:min(len(cells), maxRecounted)] {
		one := *s
		o := *all[at]
		one.ids, one.from, one.to = []store.ID{o.id}, o.at, o.at+1
		p, err := q.merge(ctx, &one)
		if err != nil {
			return nil, err
		}
		o.value = 0
		for _, v := range p.Values[0] {
			o.value += v
		}
		if o.value != 0 {
			out[at] = &o
		}
	}
	return out, nil
}
