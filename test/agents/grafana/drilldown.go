package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"connectrpc.com/connect"
	capabilitiesv1 "github.com/grafana/pyroscope/api/gen/proto/go/capabilities/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	settingsv1 "github.com/grafana/pyroscope/api/gen/proto/go/settings/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	vcsv1 "github.com/grafana/pyroscope/api/gen/proto/go/vcs/v1"
)

// drilldown makes the calls of the Profiles Drilldown app that don't go through the data
// source's backend.
func (c *caller) drilldown() {
	flags, err := c.flags.GetFeatureFlags(c.ctx, connect.NewRequest(&capabilitiesv1.GetFeatureFlagsRequest{}))
	var found []string
	if err == nil {
		for _, f := range flags.Msg.FeatureFlags {
			if f.Enabled {
				found = append(found, f.Name)
			}
		}
	}
	c.report("featureFlags", err, found...)
	_, err = c.settings.Get(c.ctx, connect.NewRequest(&settingsv1.GetSettingsRequest{}))
	c.report("settings", err)
	_, err = c.settings.Set(c.ctx, connect.NewRequest(&settingsv1.SetSettingsRequest{Setting: &settingsv1.Setting{Name: "maxNodes", Value: "1"}}))
	c.report("set a setting", err)

	series, err := c.querier.Series(c.ctx, connect.NewRequest(&querierv1.SeriesRequest{LabelNames: []string{"service_name", "__profile_type__"}, Start: c.from, End: c.to}))
	found = nil
	if err == nil {
		for _, s := range series.Msg.LabelsSet {
			found = append(found, s.Labels[1].Value+" "+s.Labels[0].Value)
		}
	}
	c.report("services", err, found...)

	// A function's details, in the names that the page has in its JSON.
	text, err := c.postJSON("/querier.v1.QuerierService/SelectMergeProfile", fmt.Sprintf(`{"profile_typeID": %q, "label_selector": "{service_name=\"shop\"}", "start": %d, "end": %d,
		"stackTraceSelector": {"call_site": [{"name": "main.main"}], "frameFilter": {"includeFunctionNames": ["main.work"]}}, "maxNodes": 500}`, cpu, c.from, c.to))
	var details struct {
		Sample []struct{ Value []string }
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &details)
	}
	var total int64
	for _, s := range details.Sample {
		n, e := strconv.ParseInt(s.Value[0], 10, 64)
		if e != nil {
			err = e
		}
		total += n
	}
	c.report("function details", err, fmt.Sprint(total))

	nodes := int64(3)
	exported, err := c.querier.SelectMergeProfile(c.ctx, connect.NewRequest(&querierv1.SelectMergeProfileRequest{
		ProfileTypeID: cpu, LabelSelector: `{service_name="shop"}`, Start: c.from, End: c.to, MaxNodes: &nodes}))
	total = 0
	if err == nil {
		for _, s := range exported.Msg.Sample {
			total += s.Value[0]
		}
	}
	c.report("export of few nodes", err, fmt.Sprint(total))

	at := func(ms int64) string { return strconv.FormatInt(ms, 10) }
	side := cpu + `{service_name="shop"}`
	text, err = c.get("/pyroscope/render-diff", url.Values{"leftQuery": {side}, "leftFrom": {at(c.from)}, "leftUntil": {at(c.to)},
		"rightQuery": {side}, "rightFrom": {at(c.from)}, "rightUntil": {at(c.to)}, "max-nodes": {"100"}})
	var diff struct{ LeftTicks, RightTicks int64 }
	if err == nil {
		err = json.Unmarshal([]byte(text), &diff)
	}
	c.report("render-diff", err, fmt.Sprint(diff.LeftTicks, " ", diff.RightTicks))

	selected := &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpu, LabelSelector: `{service_name="shop"}`, Start: c.from, End: c.to}
	both, err := c.querier.Diff(c.ctx, connect.NewRequest(&querierv1.DiffRequest{Left: selected, Right: selected}))
	if err != nil {
		both = connect.NewResponse(&querierv1.DiffResponse{})
	}
	c.report("diff", err, fmt.Sprint(both.Msg.Flamegraph.GetLeftTicks(), " ", both.Msg.Flamegraph.GetRightTicks()))

	// Newer formats, which the app replaces by flame graphs if they are unimplemented.
	_, err = c.querier.SelectMergeStacktraces(c.ctx, connect.NewRequest(&querierv1.SelectMergeStacktracesRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: c.from, End: c.to, Format: 99}))
	c.report("newer format", err)
	stats, err := c.querier.GetProfileStats(c.ctx, connect.NewRequest(&typesv1.GetProfileStatsRequest{}))
	if err != nil {
		stats = connect.NewResponse(&typesv1.GetProfileStatsResponse{})
	}
	c.report("profile stats", err, fmt.Sprint(stats.Msg.DataIngested))
	_, err = c.vcs.GithubApp(c.ctx, connect.NewRequest(&vcsv1.GithubAppRequest{}))
	c.report("source of functions", err)
}
