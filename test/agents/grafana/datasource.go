package main

import (
	"fmt"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/encoding/protowire"
)

const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

// dataSource makes the calls of the data source's backend: the health check, the lists for
// the query editor, and the queries of panels.
func (c *caller) dataSource() {
	_, err := c.querier.ProfileTypes(c.ctx, connect.NewRequest(&querierv1.ProfileTypesRequest{Start: 1000, End: 4000}))
	c.report("health", err)

	types, err := c.querier.ProfileTypes(c.ctx, connect.NewRequest(&querierv1.ProfileTypesRequest{Start: c.from, End: c.to}))
	var found []string
	if err == nil {
		for _, t := range types.Msg.ProfileTypes {
			found = append(found, t.ID)
		}
	}
	c.report("profileTypes", err, found...)

	names := connect.NewRequest(&typesv1.LabelNamesRequest{Matchers: []string{`{service_name="shop"}`}, Start: c.from, End: c.to})
	names.Header().Set("Accept", "*/*; allow-utf8-labelnames=true")
	labels, err := c.querier.LabelNames(c.ctx, names)
	if err != nil {
		labels = connect.NewResponse(&typesv1.LabelNamesResponse{})
	}
	c.report("labelNames", err, labels.Msg.Names...)

	values, err := c.querier.LabelValues(c.ctx, connect.NewRequest(&typesv1.LabelValuesRequest{Name: "k8s.pod", Matchers: []string{`{"service_name"="shop"}`}, Start: c.from, End: c.to}))
	if err != nil {
		values = connect.NewResponse(&typesv1.LabelValuesResponse{})
	}
	c.report("labelValues", err, values.Msg.Names...)

	profileIDs := c.metrics()
	c.heatmaps()
	c.profiles(profileIDs)
}

// metrics queries series, and returns the profiles that their exemplars name.
func (c *caller) metrics() (profileIDs []string) {
	limit := int64(5)
	series, err := c.querier.SelectSeries(c.ctx, connect.NewRequest(&querierv1.SelectSeriesRequest{
		ProfileTypeID: cpu, LabelSelector: `{service_name="shop"}`, Start: c.from, End: c.to, Step: 15, GroupBy: []string{"k8s.pod"}, Limit: &limit,
		ExemplarType: typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL,
	}))
	var found []string
	if err == nil {
		for _, s := range series.Msg.Series {
			for _, p := range s.Points {
				found = append(found, fmt.Sprint(s.Labels[0].Name, "=", s.Labels[0].Value, " ", p.Value))
				for _, e := range p.Exemplars {
					profileIDs = append(profileIDs, e.ProfileId)
				}
			}
		}
	}
	c.report("metrics", err, found...)
	c.report("metrics: exemplars", err, profileIDs...)
	return profileIDs
}

func (c *caller) heatmaps() {
	for name, types := range map[string]struct {
		query     querierv1.HeatmapQueryType
		exemplars typesv1.ExemplarType
	}{
		"heatmap of profiles": {querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL, typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL},
		"heatmap of spans":    {querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN, typesv1.ExemplarType_EXEMPLAR_TYPE_SPAN},
	} {
		heatmap, err := c.querier.SelectHeatmap(c.ctx, connect.NewRequest(&querierv1.SelectHeatmapRequest{
			ProfileTypeID: cpu, LabelSelector: "{}", Start: c.from, End: c.to, Step: 60, QueryType: types.query, ExemplarType: types.exemplars,
		}))
		var found []string
		if err == nil {
			for _, s := range heatmap.Msg.Series {
				for _, slot := range s.Slots {
					for i, e := range slot.Exemplars {
						found = append(found, fmt.Sprint(e.SpanId, e.ProfileId, " ", e.Value, " of ", slot.Counts[i]))
					}
				}
			}
		}
		c.report(name, err, found...)
	}
}

// profiles queries flame graphs, with all selectors that the editor has.
func (c *caller) profiles(profileIDs []string) {
	for _, q := range []struct {
		name string
		req  *querierv1.SelectMergeStacktracesRequest
	}{
		{"profile", &querierv1.SelectMergeStacktracesRequest{}},
		{"profile of IDs", &querierv1.SelectMergeStacktracesRequest{ProfileIdSelector: profileIDs[:min(len(profileIDs), 1)]}},
		{"profile below a call site", &querierv1.SelectMergeStacktracesRequest{StackTraceSelector: &typesv1.StackTraceSelector{
			CallSite: []*typesv1.Location{{Name: "main.main"}, {Name: "main.work"}}}}},
		{"profile of functions", &querierv1.SelectMergeStacktracesRequest{StackTraceSelector: frameFilter([]string{"main.work"}, []string{"main.idle"}, []string{`^main\.`}, []string{"gc$"})}},
		{"profile of spans", &querierv1.SelectMergeStacktracesRequest{SpanSelector: []string{"00f067aa0ba902b7"}}},
		{"profile of traces", &querierv1.SelectMergeStacktracesRequest{TraceIdSelector: []string{"4bf92f3577b34da6a3ce929d0e0e4736"}}},
	} {
		q.req.ProfileTypeID, q.req.LabelSelector, q.req.Start, q.req.End = cpu, `{service_name="shop"}`, c.from, c.to
		nodes := int64(16384)
		q.req.MaxNodes = &nodes
		res, err := c.querier.SelectMergeStacktraces(c.ctx, connect.NewRequest(q.req))
		var found []string
		if err == nil {
			found, err = flameGraph(res.Msg.Flamegraph)
		}
		c.report(q.name, err, found...)
	}
}

func flameGraph(f *querierv1.FlameGraph) ([]string, error) {
	var levels [][]int64
	for _, l := range f.GetLevels() {
		levels = append(levels, l.Values)
	}
	return stacksOf(f.GetNames(), levels)
}

// frameFilter returns a selector with a field that the published clients don't know yet. The
// data source encodes it like this, too.
func frameFilter(lists ...[]string) *typesv1.StackTraceSelector {
	var filter []byte
	for i, names := range lists {
		for _, name := range names {
			filter = protowire.AppendString(protowire.AppendTag(filter, protowire.Number(i+1), protowire.BytesType), name)
		}
	}
	s := &typesv1.StackTraceSelector{}
	s.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), filter))
	return s
}
