package pyroscope

import (
	"context"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/profile"
)

// stacktraces returns the selection of a query for stacks.
func (q *querier) stacktraces(ctx context.Context, req *pb.SelectMergeStacktracesRequest) (*selection, error) {
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	if err := s.restrict(req.GetStackTraceSelector()); err != nil {
		return nil, err
	}
	s.spans, s.traces = req.GetSpanSelector(), req.GetTraceIdSelector()
	s.ids, err = parseIDs(req.GetProfileIdSelector())
	return s, err
}

// restrict adds the conditions of sel to a selection.
func (s *selection) restrict(sel *pb.StackTraceSelector) (err error) {
	s.frames, err = newFrameFilter(sel.GetFrameFilter())
	if err != nil {
		return err
	}
	if pgo := sel.GetGoPgo(); pgo != nil {
		s.keep, s.wholeLeaves = int(min(pgo.GetKeepLocations(), 1<<20)), pgo.GetAggregateCallees()
		return nil
	}
	for _, c := range sel.GetCallSite() {
		s.callSite = append(s.callSite, c.GetName())
	}
	return nil
}

// sides returns both profiles of a comparison.
func (q *querier) sides(ctx context.Context, left, right *pb.SelectMergeStacktracesRequest) (base, head *profile.Profile, err error) {
	var out [2]*profile.Profile
	for i, req := range []*pb.SelectMergeStacktracesRequest{left, right} {
		s, err := q.stacktraces(ctx, req)
		if err == nil {
			out[i], err = q.merge(ctx, s)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if out[0].SampleTypes[0] != out[1].SampleTypes[0] {
		return nil, nil, badRequest("%s and %s can't be compared", left.GetProfileTypeID(), right.GetProfileTypeID())
	}
	return out[0], out[1], nil
}
