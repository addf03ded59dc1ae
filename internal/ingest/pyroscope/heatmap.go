package pyroscope

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"connectrpc.com/connect"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
)

// buckets is the number of rows of a heatmap.
const buckets = 20

func (q queryCalls) selectHeatmap(ctx context.Context, req *pb.SelectHeatmapRequest) (*pb.SelectHeatmapResponse, error) {
	spans, exemplars, err := heatmapOf(req)
	if err != nil {
		return nil, err
	}
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	step, err := stepOf(req.GetStep(), s)
	if err != nil {
		return nil, err
	}
	g, err := q.grouping(ctx, s, req.GetGroupBy(), exemplars)
	if err != nil {
		return nil, err
	}
	var all []observation
	switch {
	case spans:
		all, err = q.spansIn(ctx, s, g, step)
	case s.filtered():
		err = connect.NewError(connect.CodeUnimplemented, errors.New("hone does not support heatmaps of profiles for labels of samples: ask for spans"))
	default:
		all, err = q.profiles(ctx, s, g)
	}
	if err != nil {
		return nil, err
	}
	return &pb.SelectHeatmapResponse{Series: heatmap(most(bySeries(all), req.GetLimit()), step, exemplars)}, nil
}

// heatmapOf tells what a heatmap counts, and whether it has exemplars.
func heatmapOf(req *pb.SelectHeatmapRequest) (spans, exemplars bool, err error) {
	switch req.GetQueryType() {
	case pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_UNSPECIFIED, pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL:
	case pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN:
		spans = true
	default:
		return false, false, connect.NewError(connect.CodeUnimplemented, fmt.Errorf("hone does not support heatmaps of the type %v", req.GetQueryType()))
	}
	switch {
	case !wanted(req.GetExemplarType()):
		return spans, false, nil
	case (req.GetExemplarType() == pb.ExemplarType_EXEMPLAR_TYPE_SPAN) != spans:
		return spans, false, badRequest("exemplarType %v is not what %v counts", req.GetExemplarType(), req.GetQueryType())
	}
	return spans, true, nil
}

// wanted reports whether a query asks for exemplars.
func wanted(t pb.ExemplarType) bool {
	return t != pb.ExemplarType_EXEMPLAR_TYPE_UNSPECIFIED && t != pb.ExemplarType_EXEMPLAR_TYPE_NONE
}

// most returns the n series with the highest totals, highest first. With n = 0, it returns all
// series in their order.
func most(all []observed, n int64) []observed {
	if n <= 0 {
		return all
	}
	slices.SortFunc(all, func(a, b observed) int { return compareTotals(a.total, b.total, a.labels, b.labels) })
	return all[:min(int64(len(all)), n)]
}

// A scale divides values into the rows of a heatmap.
type scale struct{ low, height float64 }

func scaleOf(all []observed) scale {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, s := range all {
		for _, o := range s.all {
			low, high = min(low, o.value), max(high, o.value)
		}
	}
	return scale{float64(low), max((float64(high)-float64(low))/buckets, 1)}
}

func (s scale) row(value int64) int {
	return min(int((float64(value)-s.low)/s.height), buckets-1)
}

// heatmap counts observations by time and value. All series have the same rows.
func heatmap(all []observed, step int64, exemplars bool) (out []*pb.HeatmapSeries) {
	rows := scaleOf(all)
	for _, s := range all {
		series := &pb.HeatmapSeries{Labels: pairs(s.labels)}
		for first := 0; first < len(s.all); {
			window, end := store.Window(s.all[first].at, step), first
			for end < len(s.all) && store.Window(s.all[end].at, step) == window {
				end++
			}
			series.Slots = append(series.Slots, slotOf(s.all[first:end], rows, (window+step)/1e6, exemplars))
			first = end
		}
		out = append(out, series)
	}
	return out
}

// slotOf counts the observations of one step. at is its end, in ms since 1970.
func slotOf(all []observation, rows scale, at int64, exemplars bool) *pb.HeatmapSlot {
	var counts [buckets]int32
	var largest [buckets]*observation
	for i := range all {
		o := &all[i]
		row := rows.row(o.value)
		counts[row]++
		if largest[row] == nil || o.value > largest[row].value {
			largest[row] = o
		}
	}
	slot := &pb.HeatmapSlot{Timestamp: at}
	for row, n := range counts {
		if n == 0 {
			continue
		}
		slot.YMin = append(slot.YMin, rows.low+float64(row)*rows.height)
		slot.Counts = append(slot.Counts, n)
		if exemplars {
			slot.Exemplars = append(slot.Exemplars, largest[row].exemplar())
		}
	}
	return slot
}
