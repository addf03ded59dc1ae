package pyroscope

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/ingest/wire"
	"github.com/hone-go/hone/internal/store"
)

const querierService = "/querier.v1.QuerierService/"

// MountQueries serves queries of Grafana's data source on mux, from a store. If the
// store restricts some requests, scope returns a name for what a request may see.
// Only requests with the same scope share cached results. nil is one scope for all.
func MountQueries(mux *http.ServeMux, st store.Store, scope func(context.Context) string) {
	q := queryCalls{newQuerier(st, scope)}
	options := wire.QueryOptions(ingest.Limits{BodyBytes: maxQuery})
	serveCall(mux, querierService+"ProfileTypes", q.profileTypes, options)
	serveCall(mux, querierService+"LabelNames", q.labelNames, options)
	serveCall(mux, querierService+"LabelValues", q.labelValues, options)
	serveCall(mux, querierService+"Series", q.series, options)
	serveCall(mux, querierService+"SelectSeries", q.selectSeries, options)
	serveCall(mux, querierService+"SelectHeatmap", q.selectHeatmap, options)
	serveCall(mux, querierService+"SelectMergeStacktraces", q.selectMergeStacktraces, options)
	serveCall(mux, querierService+"SelectMergeSpanProfile", q.selectMergeSpanProfile, options)
	serveCall(mux, querierService+"SelectMergeProfile", q.selectMergeProfile, options)
	serveCall(mux, querierService+"Diff", q.diff, options)
	serveCall(mux, querierService+"GetProfileStats", q.getProfileStats, options)
	serveCall(mux, querierService+"AnalyzeQuery", q.analyzeQuery, options)
	mountServices(mux, options)
	renderCalls(q).mount(mux)
}

func serveCall[Req, Res any](mux *http.ServeMux, procedure string, answer func(context.Context, *Req) (*Res, error), options []connect.HandlerOption) {
	mux.Handle(procedure, connect.NewUnaryHandlerSimple(procedure, func(ctx context.Context, req *Req) (*Res, error) {
		if err := supported(any(req).(proto.Message)); err != nil {
			return nil, queryError(err)
		}
		res, err := answer(ctx, req)
		if err != nil {
			return nil, queryError(err)
		}
		return res, nil
	}, options...))
}

func (q queryCalls) profileTypes(ctx context.Context, req *pb.ProfileTypesRequest) (*pb.ProfileTypesResponse, error) {
	from, to, err := between(req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	kinds, err := q.kinds(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var all []profileType
	for _, kind := range kinds {
		types, err := q.typesOf(ctx, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, types...)
	}
	slices.SortFunc(all, func(a, b profileType) int { return strings.Compare(a.String(), b.String()) })
	res := &pb.ProfileTypesResponse{}
	for _, t := range slices.Compact(all) {
		res.ProfileTypes = append(res.ProfileTypes, &pb.ProfileType{ID: t.String(), Name: t.name, SampleType: validText(t.sample.Type), SampleUnit: validText(t.sample.Unit),
			PeriodType: validText(t.period.Type), PeriodUnit: validText(t.period.Unit)})
	}
	return res, nil
}

func (q queryCalls) labelNames(ctx context.Context, req *pb.LabelNamesRequest) (*pb.LabelNamesResponse, error) {
	all, err := q.labels(ctx, req.GetMatchers(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	res := &pb.LabelNamesResponse{}
	for name := range all {
		res.Names = append(res.Names, name)
	}
	slices.Sort(res.Names)
	return res, nil
}

func (q queryCalls) labelValues(ctx context.Context, req *pb.LabelValuesRequest) (*pb.LabelValuesResponse, error) {
	values, err := q.querier.labelValues(ctx, req.GetName(), req.GetMatchers(), req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	return &pb.LabelValuesResponse{Names: values}, nil
}

func (q queryCalls) series(ctx context.Context, req *pb.SeriesRequest) (*pb.SeriesResponse, error) {
	from, to, err := between(req.GetStart(), req.GetEnd())
	if err != nil {
		return nil, err
	}
	wanted := req.GetLabelNames()
	if err := checkNames(wanted); err != nil {
		return nil, err
	}
	selectors, err := anyOf(req.GetMatchers())
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	res := &pb.SeriesResponse{}
	for _, text := range selectors {
		selector, err := q.selector(ctx, text, from, to)
		if err != nil {
			return nil, err
		}
		var by []string
		if len(wanted) == 0 {
			all, err := q.store.Labels(ctx, store.Query{Selector: selector, From: from, To: to})
			if err != nil {
				return nil, err
			}
			for _, l := range all {
				by = append(by, l.Name)
			}
			wanted = append(wanted, labelName, labelProfileType)
		}
		for _, name := range wanted {
			if isTypeLabel(name) {
				name = store.LabelKind
			}
			if name = hones(name); !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
		groups, err := q.store.Series(ctx, store.Query{Selector: selector, From: from, To: to, By: by, Step: always})
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			sets, err := q.expand(ctx, g.Labels, wanted)
			if err != nil {
				return nil, err
			}
			for _, set := range sets {
				if key := set.String(); !seen[key] {
					seen[key] = true
					res.LabelsSet = append(res.LabelsSet, &pb.Labels{Labels: pairs(set)})
				}
			}
		}
	}
	return res, nil
}

func (q queryCalls) getProfileStats(ctx context.Context, _ *pb.GetProfileStatsRequest) (*pb.GetProfileStatsResponse, error) {
	const day = 24 * 3600e9
	days, err := q.store.Series(ctx, store.Query{By: []string{store.LabelKind}, Step: day})
	if err != nil {
		return nil, err
	}
	res := &pb.GetProfileStatsResponse{}
	for _, s := range days {
		for _, p := range s.Points { // the day of the oldest profile is exact enough
			if !res.DataIngested || p.Time/1e6 < res.OldestProfileTime {
				res.OldestProfileTime = p.Time / 1e6
			}
			res.NewestProfileTime = max(res.NewestProfileTime, p.Last/1e6)
			res.DataIngested = true
		}
	}
	return res, nil
}
