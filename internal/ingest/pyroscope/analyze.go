package pyroscope

import (
	"context"
	"regexp"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
)

// analyzeQuery tells how much a query selects. It reads no profiles.
func (q queryCalls) analyzeQuery(ctx context.Context, req *pb.AnalyzeQueryRequest) (*pb.AnalyzeQueryResponse, error) {
	from, to, err := between(req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	selector, err := q.analyzed(ctx, req.GetQuery(), from, to)
	if err != nil {
		return nil, err
	}
	all, err := q.store.Labels(ctx, store.Query{Selector: selector, From: from, To: to})
	if err != nil {
		return nil, err
	}
	var by []string
	for _, l := range all {
		by = append(by, l.Name)
	}
	series, err := q.store.Series(ctx, store.Query{Selector: selector, From: from, To: to, By: by, Step: always})
	if err != nil {
		return nil, err
	}
	scope := &pb.QueryScope{ComponentType: "store", ComponentCount: 1, SeriesCount: uint64(len(series))}
	for _, s := range series {
		for _, p := range s.Points {
			scope.ProfileCount += uint64(p.Profiles)
		}
	}
	return &pb.AnalyzeQueryResponse{QueryScopes: []*pb.QueryScope{scope}, QueryImpact: &pb.QueryImpact{TotalQueriedSeries: scope.SeriesCount}}, nil
}

// analyzed reads a profile type, a selector, or both.
func (q *querier) analyzed(ctx context.Context, text string, from, to int64) (store.Selector, error) {
	typeID, conditions := splitQuery(text)
	selector, err := q.selector(ctx, conditions, from, to)
	if err != nil || typeID == "" {
		return selector, err
	}
	t, err := parseProfileType(typeID)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, kind := range kindsOf(t.name) {
		kinds = append(kinds, regexp.QuoteMeta(kind))
	}
	only, err := oneOf(store.LabelKind, kinds)
	return append(selector, only), err
}
