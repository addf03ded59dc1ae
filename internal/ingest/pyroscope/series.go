package pyroscope

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
)

// maxPoints bounds the points of an answer.
const maxPoints = 1 << 18

// maxSteps bounds the points of one series.
const maxSteps = 1 << 16

// A line is one series of points over time.
type line struct {
	labels store.Labels // in Pyroscope's words
	points []store.Point
	total  float64
}

// lines returns totals over time per group, in the order of their labels. With
// step 0 there is a point for each profile.
func (q *querier) lines(ctx context.Context, s *selection, groupBy []string, step int64) ([]line, error) {
	queries, err := q.queries(ctx, s)
	if err != nil {
		return nil, err
	}
	var by []string
	for _, name := range groupBy {
		by = append(by, hones(name))
	}
	var out []line
	for _, query := range queries {
		query.By, query.Step, query.Limit = by, step, maxPoints
		series, err := q.totals(ctx, s, query)
		if err != nil {
			return nil, err
		}
		for _, part := range series {
			var named []store.Label
			for _, l := range part.Labels {
				if l.Name == store.LabelKind {
					l = store.Label{Name: labelName, Value: nameOf(l.Value)}
				}
				named = append(named, store.Label{Name: theirs(l.Name), Value: l.Value})
			}
			labels, err := store.NewLabels(named...)
			if err != nil {
				return nil, err
			}
			i, found := slices.BinarySearchFunc(out, labels, func(l line, labels store.Labels) int { return l.labels.Compare(labels) })
			if !found {
				out = slices.Insert(out, i, line{labels: labels})
			}
			out[i].add(part.Points)
		}
	}
	return out, nil
}

// totals asks the store for totals, or where only some samples count for the
// profiles, to add up those.
func (q *querier) totals(ctx context.Context, s *selection, query store.Query) ([]store.Series, error) {
	if !s.filtered() {
		return q.store.Series(ctx, query)
	}
	if query.Step == 0 {
		return nil, connect.NewError(connect.CodeUnimplemented, errors.New("hone does not answer this for parts of profiles"))
	}
	query.Budget = ingest.BudgetOf(ctx)
	groups, err := q.store.Merge(ctx, query)
	if err != nil {
		return nil, err
	}
	var out []store.Series
	for _, g := range groups {
		p := s.filter(g.Profile)
		point := store.Point{Time: g.Time, Total: g.Total}
		point.Value = 0
		for _, v := range p.Values[0] {
			point.Value += v
		}
		i, found := slices.BinarySearchFunc(out, g.Labels, func(s store.Series, labels store.Labels) int { return s.Labels.Compare(labels) })
		if !found {
			out = slices.Insert(out, i, store.Series{Labels: g.Labels})
		}
		out[i].Points = append(out[i].Points, point)
	}
	return out, nil
}

// add adds points to those of the line: those of equal times become one.
func (l *line) add(points []store.Point) {
	l.points = append(l.points, points...)
	slices.SortStableFunc(l.points, func(a, b store.Point) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
	})
	l.total = 0
	kept := l.points[:0]
	for _, p := range l.points {
		l.total += float64(p.Value)
		if n := len(kept); n > 0 && kept[n-1].Time == p.Time && kept[n-1].ID == p.ID {
			kept[n-1].Value += p.Value
			kept[n-1].Profiles += p.Profiles
			continue
		}
		kept = append(kept, p)
	}
	l.points = kept
}

// largest returns at most n lines, those with the highest totals first; with n
// 0 all of them as they are.
func largest(lines []line, n int64) []line {
	if n <= 0 {
		return lines
	}
	slices.SortFunc(lines, func(a, b line) int { return compareTotals(a.total, b.total, a.labels, b.labels) })
	return lines[:min(int64(len(lines)), n)]
}

// stepOf returns a step in ns of one in seconds.
func stepOf(seconds float64, s *selection) (int64, error) {
	if !(seconds >= 1e-3 && seconds <= 1e9) {
		return 0, badRequest("a step of %v seconds: it has to be a millisecond or more", seconds)
	}
	step := int64(math.Round(seconds*1e3)) * 1e6
	if s.to != 0 && s.from != 0 && (s.to-s.from)/step > maxSteps {
		return 0, badRequest("a step of %v seconds is more than %d steps: take a longer one", seconds, maxSteps)
	}
	return step, nil
}

func (q *querier) selectSeries(ctx context.Context, req *pb.SelectSeriesRequest) (*pb.SelectSeriesResponse, error) {
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	s.restrict(req.GetStackTraceSelector())
	step, err := stepOf(req.GetStep(), s)
	if err != nil {
		return nil, err
	}
	lines, err := q.lines(ctx, s, req.GetGroupBy(), step)
	if err != nil {
		return nil, err
	}
	res := &pb.SelectSeriesResponse{}
	for _, l := range largest(lines, req.GetLimit()) {
		series := &pb.TimeSeries{Labels: pairs(l.labels)}
		for _, p := range l.points {
			value := float64(p.Value)
			if req.GetAggregation() == pb.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE {
				value /= float64(max(p.Profiles, 1))
			}
			// A value stands at the end of its step, or of what is asked for.
			at := p.Time + step
			if s.to != 0 {
				at = min(at, s.to)
			}
			series.Points = append(series.Points, &pb.Point{Value: value, Timestamp: at / 1e6})
		}
		res.Series = append(res.Series, series)
	}
	return res, nil
}

// buckets is how many rows a heatmap has.
const buckets = 20

func (q *querier) selectHeatmap(ctx context.Context, req *pb.SelectHeatmapRequest) (*pb.SelectHeatmapResponse, error) {
	if req.GetQueryType() == pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN {
		return nil, connect.NewError(connect.CodeUnimplemented, errors.New("hone has no heatmap of spans"))
	}
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	step, err := stepOf(req.GetStep(), s)
	if err != nil {
		return nil, err
	}
	lines, err := q.lines(ctx, s, req.GetGroupBy(), 0)
	if err != nil {
		return nil, err
	}
	lines = largest(lines, req.GetLimit())
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, l := range lines {
		for _, p := range l.points {
			low, high = min(low, p.Value), max(high, p.Value)
		}
	}
	height := max((float64(high)-float64(low))/buckets, 1)
	res := &pb.SelectHeatmapResponse{}
	for _, l := range lines {
		series := &pb.HeatmapSeries{Labels: pairs(l.labels)}
		for i := 0; i < len(l.points); {
			window := store.Window(l.points[i].Time, step)
			var counts [buckets]int32
			for ; i < len(l.points) && store.Window(l.points[i].Time, step) == window; i++ {
				row := int((float64(l.points[i].Value) - float64(low)) / height)
				counts[min(row, buckets-1)]++
			}
			slot := &pb.HeatmapSlot{Timestamp: (window + step) / 1e6}
			for row, n := range counts {
				if n > 0 {
					slot.YMin = append(slot.YMin, float64(low)+float64(row)*height)
					slot.Counts = append(slot.Counts, n)
				}
			}
			series.Slots = append(series.Slots, slot)
		}
		res.Series = append(res.Series, series)
	}
	return res, nil
}
