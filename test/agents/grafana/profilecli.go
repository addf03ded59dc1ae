package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	settingsv1 "github.com/grafana/pyroscope/api/gen/proto/go/settings/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

// profilecli makes the calls of that program's commands.
func (c *caller) profilecli() {
	text, err := c.get("/ready", nil)
	c.report("ready", err, text)

	ask := func(change func(*querierv1.SelectMergeStacktracesRequest)) (*querierv1.SelectMergeStacktracesResponse, error) {
		req := &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: c.from, End: c.to}
		change(req)
		res, err := c.querier.SelectMergeStacktraces(c.ctx, connect.NewRequest(req))
		if err != nil {
			return nil, err
		}
		return res.Msg, nil
	}
	p, err := ask(func(r *querierv1.SelectMergeStacktracesRequest) {
		r.Format = querierv1.ProfileFormat_PROFILE_FORMAT_PPROF
	})
	total := int64(0)
	for _, s := range p.GetPprof().GetProfile().GetSample() {
		total += s.Value[0]
	}
	c.report("query profile", err, fmt.Sprint(total))

	p, err = ask(func(r *querierv1.SelectMergeStacktracesRequest) {
		r.Format = querierv1.ProfileFormat_PROFILE_FORMAT_TREE
	})
	c.report("query profile --function-names-only", err, treeStacks(p.GetTree())...)

	p, err = c.async(ask)
	c.report("query profile --async", err, treeStacks(p.GetTree())...)

	p, err = ask(func(r *querierv1.SelectMergeStacktracesRequest) {
		r.Format = querierv1.ProfileFormat_PROFILE_FORMAT_PPROF
		r.StackTraceSelector = &typesv1.StackTraceSelector{GoPgo: &typesv1.GoPGO{KeepLocations: 1, AggregateCallees: true}}
	})
	c.report("query go-pgo", err, fmt.Sprint(len(p.GetPprof().GetProfile().GetSample())))

	series, err := c.querier.Series(c.ctx, connect.NewRequest(&querierv1.SeriesRequest{Matchers: []string{"{}"}, Start: c.from, End: c.to}))
	n := 0
	if err == nil {
		n = len(series.Msg.LabelsSet)
	}
	c.report("query series", err, fmt.Sprint(n))

	top, err := c.querier.SelectSeries(c.ctx, connect.NewRequest(&querierv1.SelectSeriesRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: c.from, End: c.to,
		Step: float64(c.to-c.from) / 1000, GroupBy: []string{"service_name"}}))
	var found []string
	if err == nil {
		for _, s := range top.Msg.Series {
			var total float64
			for _, p := range s.Points {
				total += p.Value
			}
			found = append(found, fmt.Sprint(s.Labels[0].Value, " ", total))
		}
	}
	c.report("query top", err, found...)

	dot, err := ask(func(r *querierv1.SelectMergeStacktracesRequest) {
		r.Format = querierv1.ProfileFormat_PROFILE_FORMAT_DOT
	})
	c.report("dot", err, fmt.Sprint(len(dot.GetDot()) > 0))
	analyzed, err := c.querier.AnalyzeQuery(c.ctx, connect.NewRequest(&querierv1.AnalyzeQueryRequest{Start: c.from, End: c.to, Query: cpu + "{}"}))
	if err != nil {
		analyzed = connect.NewResponse(&querierv1.AnalyzeQueryResponse{})
	}
	c.report("analyze", err, fmt.Sprint(analyzed.Msg.GetQueryImpact().GetTotalQueriedSeries()))
	_, err = c.rules.ListRecordingRules(c.ctx, connect.NewRequest(&settingsv1.ListRecordingRulesRequest{}))
	c.report("recording-rules list", err)
}

// async starts a query and polls until it has a result.
func (c *caller) async(ask func(func(*querierv1.SelectMergeStacktracesRequest)) (*querierv1.SelectMergeStacktracesResponse, error)) (*querierv1.SelectMergeStacktracesResponse, error) {
	const force = querierv1.AsyncQueryType_ASYNC_QUERY_TYPE_FORCE
	started, err := ask(func(r *querierv1.SelectMergeStacktracesRequest) {
		r.Format, r.Async = querierv1.ProfileFormat_PROFILE_FORMAT_TREE, &querierv1.AsyncQueryRequest{Type: force}
	})
	if err != nil {
		return nil, err
	}
	for range 100 {
		poll := &querierv1.SelectMergeStacktracesRequest{Async: &querierv1.AsyncQueryRequest{Type: force, RequestId: started.GetAsync().GetRequestId()}}
		res, err := c.querier.SelectMergeStacktraces(c.ctx, connect.NewRequest(poll))
		if err != nil {
			return nil, err
		}
		if res.Msg.GetAsync().GetStatus() == querierv1.AsyncQueryStatus_ASYNC_QUERY_STATUS_SUCCESS {
			return res.Msg, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("the query has no result")
}

// treeStacks reads a tree: each node is its name, its own value and its number of children,
// and comes before its children. It returns "path value" for each stack that ends in itself.
func treeStacks(b []byte) (out []string) {
	for parents := []string{""}; len(parents) > 0 && len(b) > 0; {
		path := parents[len(parents)-1]
		parents = parents[:len(parents)-1]
		length, n := binary.Uvarint(b)
		name := string(b[n : n+int(length)])
		b = b[n+int(length):]
		self, n := binary.Uvarint(b)
		b = b[n:]
		children, n := binary.Uvarint(b)
		b = b[n:]
		if name != "" {
			path += ";" + name
		}
		if self != 0 {
			out = append(out, fmt.Sprint(path, " ", self))
		}
		for range children {
			parents = append(parents, path)
		}
	}
	slices.Sort(out)
	return out
}
