package pyroscope

import (
	"bytes"
	"context"
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/profile"
)

func (q queryCalls) selectMergeStacktraces(ctx context.Context, req *pb.SelectMergeStacktracesRequest) (*pb.SelectMergeStacktracesResponse, error) {
	asked, res, err := q.asyncRequest(ctx, req)
	if err != nil || res != nil {
		return res, err
	}
	if res, err = q.formatted(ctx, asked); err == nil && asked != req {
		res.Async = &pb.AsyncQueryResponse{RequestId: req.GetAsync().GetRequestId(), Status: pb.AsyncQueryStatus_ASYNC_QUERY_STATUS_SUCCESS}
	}
	return res, err
}

// formatted returns the merged profile in the format that a request asks for.
func (q queryCalls) formatted(ctx context.Context, req *pb.SelectMergeStacktracesRequest) (*pb.SelectMergeStacktracesResponse, error) {
	s, err := q.stacktraces(ctx, req)
	if err != nil {
		return nil, err
	}
	p, err := q.merge(ctx, s)
	if err != nil {
		return nil, err
	}
	res := &pb.SelectMergeStacktracesResponse{}
	switch req.GetFormat() {
	case pb.ProfileFormat_PROFILE_FORMAT_UNSPECIFIED, pb.ProfileFormat_PROFILE_FORMAT_FLAMEGRAPH:
		res.Flamegraph, err = flameGraphOf(ctx, p, req.GetMaxNodes())
	case pb.ProfileFormat_PROFILE_FORMAT_TREE:
		res.Tree, err = treeOf(ctx, p, req.GetMaxNodes())
	case pb.ProfileFormat_PROFILE_FORMAT_DOT:
		res.Dot, err = dotOf(ctx, p, req.GetMaxNodes())
	case pb.ProfileFormat_PROFILE_FORMAT_PPROF:
		res.Pprof = &pb.PprofProfile{}
		if p, err = limitNodes(ctx, p, req.GetMaxNodes()); err == nil {
			res.Pprof.Profile, err = encode(p)
		}
	default:
		return nil, unsupportedFormat(req.GetFormat())
	}
	return res, err
}

func unsupportedFormat(f pb.ProfileFormat) error {
	return connect.NewError(connect.CodeUnimplemented, fmt.Errorf("hone does not support the format %v", f))
}

func flameGraphOf(ctx context.Context, p *profile.Profile, maxNodes int64) (*pb.FlameGraph, error) {
	f, err := flameOf(ctx, p, maxNodes)
	if err != nil {
		return nil, err
	}
	return &pb.FlameGraph{Names: f.names, Levels: f.levels, Total: f.total, MaxSelf: f.maxSelf}, nil
}

// encode returns a profile as a message.
func encode(p *profile.Profile) (*pb.Profile, error) {
	var b bytes.Buffer
	if err := p.EncodeUncompressed(&b); err != nil {
		return nil, err
	}
	m := &pb.Profile{}
	return m, proto.Unmarshal(b.Bytes(), m)
}

func (q queryCalls) selectMergeSpanProfile(ctx context.Context, req *pb.SelectMergeSpanProfileRequest) (*pb.SelectMergeSpanProfileResponse, error) {
	if len(req.GetSpanSelector()) == 0 {
		return nil, badRequest("no spans given to select")
	}
	s, err := q.selection(ctx, req.GetProfileTypeID(), req.GetLabelSelector(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	s.spans = req.GetSpanSelector()
	p, err := q.merge(ctx, s)
	if err != nil {
		return nil, err
	}
	res := &pb.SelectMergeSpanProfileResponse{}
	switch req.GetFormat() {
	case pb.ProfileFormat_PROFILE_FORMAT_UNSPECIFIED, pb.ProfileFormat_PROFILE_FORMAT_FLAMEGRAPH:
		res.Flamegraph, err = flameGraphOf(ctx, p, req.GetMaxNodes())
	case pb.ProfileFormat_PROFILE_FORMAT_TREE:
		res.Tree, err = treeOf(ctx, p, req.GetMaxNodes())
	default:
		return nil, unsupportedFormat(req.GetFormat())
	}
	return res, err
}

// selectMergeProfile answers with the encoded profile unchanged. Building the
// message would take longer than the rest of the call.
func (q queryCalls) selectMergeProfile(ctx context.Context, req *pb.SelectMergeProfileRequest) (*wire.Raw, error) {
	s, err := q.stacktraces(ctx, &pb.SelectMergeStacktracesRequest{ProfileTypeID: req.GetProfileTypeID(), LabelSelector: req.GetLabelSelector(),
		Start: req.GetStart(), End: req.GetEnd(), StackTraceSelector: req.GetStackTraceSelector(),
		ProfileIdSelector: req.GetProfileIdSelector(), TraceIdSelector: req.GetTraceIdSelector()})
	if err != nil {
		return nil, err
	}
	p, err := q.merge(ctx, s)
	if err != nil {
		return nil, err
	}
	if p, err = limitNodes(ctx, p, req.GetMaxNodes()); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := p.EncodeUncompressed(&b); err != nil {
		return nil, err
	}
	return &wire.Raw{Encoded: b.Bytes(), Message: &pb.Profile{}}, nil
}

func (q queryCalls) diff(ctx context.Context, req *pb.DiffRequest) (*pb.DiffResponse, error) {
	base, head, err := q.sides(ctx, req.GetLeft(), req.GetRight())
	if err != nil {
		return nil, err
	}
	f, t, err := flameOfDiff(ctx, base, head, max(req.GetLeft().GetMaxNodes(), req.GetRight().GetMaxNodes()))
	if err != nil {
		return nil, err
	}
	return &pb.DiffResponse{Flamegraph: &pb.FlameGraphDiff{Names: f.names, Levels: f.levels, Total: f.total, MaxSelf: f.maxSelf,
		LeftTicks: t.Values[0].BaseTotal[0], RightTicks: t.Values[0].Total[0]}}, nil
}

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
