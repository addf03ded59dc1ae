package pyroscope

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// putSpans keeps a profile with the given CPU time by span. at is in ms since 1970.
func (s *site) putSpans(at int64, spans map[string]int64, pairs ...string) store.ID {
	s.t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for id, value := range spans {
		f := b.Location(0, 0, profile.Line{Function: b.Function("main.work", "", "", 0)})
		var ls []profile.Label
		if id != "" {
			ls = []profile.Label{{Key: b.String("span_id"), Str: b.String(id)}, {Key: b.String("trace_id"), Str: b.String("trace of " + id)}}
		}
		b.Sample([]uint32{f}, ls, value)
	}
	s.n++
	id := store.ID{0xab, 15: byte(s.n)}
	if err := s.store.Put(context.Background(), []store.Record{{ID: id, Labels: labels(s.t, pairs...), Time: at * 1e6, Duration: 10e9, Profile: b.Profile()}}); err != nil {
		s.t.Fatal(err)
	}
	return id
}

// spanSite has two services with spans, in two minutes.
func spanSite(t *testing.T) (s *site, ids []string) {
	s = newSite(t)
	for _, p := range []struct {
		at      int64
		service string
		pod     string
		spans   map[string]int64
	}{
		{begin, "api", "a", map[string]int64{"s1": 100, "s2": 20, "": 1000}},
		{begin + 10_000, "api", "b", map[string]int64{"s3": 60}},
		{begin + 2*minute, "api", "a", map[string]int64{"s1": 40, "s4": 5}},
		{begin, "db", "c", map[string]int64{"s5": 30}},
	} {
		ids = append(ids, uuid(s.putSpans(p.at, p.spans, "service", p.service, "kind", "cpu", "pod", p.pod)))
	}
	return s, ids
}

const steps = 120.0 // s

func (s *site) heatmap(change func(*pb.SelectHeatmapRequest)) (*pb.SelectHeatmapResponse, error) {
	req := &pb.SelectHeatmapRequest{ProfileTypeID: cpuType, LabelSelector: "{}", Start: begin - 10*minute, End: begin + 10*minute, Step: steps,
		QueryType: pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN}
	change(req)
	return call[pb.SelectHeatmapRequest, pb.SelectHeatmapResponse](s, "SelectHeatmap", req)
}

// TestSpanHeatmap: a span counts once per step, by what it used in all profiles of the step.
func TestSpanHeatmap(t *testing.T) {
	s, _ := spanSite(t)
	res := must(s.heatmap(func(r *pb.SelectHeatmapRequest) {
		r.GroupBy, r.ExemplarType = []string{"service_name"}, pb.ExemplarType_EXEMPLAR_TYPE_SPAN
	}))
	got := map[string]string{}
	var spans int32
	for _, series := range res.Series {
		if len(series.Labels) != 1 || series.Labels[0].Name != "service_name" {
			t.Fatalf("labels %v", series.Labels)
		}
		for _, slot := range series.Slots {
			if len(slot.YMin) != len(slot.Counts) || len(slot.Exemplars) != len(slot.Counts) || !slices.IsSorted(slot.YMin) {
				t.Errorf("slot %v", slot)
			}
			for i, e := range slot.Exemplars {
				spans += slot.Counts[i]
				if e.Timestamp > slot.Timestamp || e.Timestamp < slot.Timestamp-steps*1000 || e.ProfileId != "" || float64(e.Value) < slot.YMin[i] {
					t.Errorf("%s: exemplar %v in slot %d", series.Labels[0].Value, e, slot.Timestamp)
				}
				var where []string
				for _, l := range e.Labels {
					where = append(where, l.Name+"="+l.Value)
				}
				got[e.SpanId+fmt.Sprint(" ", e.Value)] = series.Labels[0].Value + " " + strings.Join(where, " ") + " " + e.TraceId
			}
		}
	}
	want := map[string]string{"s1 100": "api pod=a trace of s1", "s2 20": "api pod=a trace of s2", "s3 60": "api pod=b trace of s3", "s1 40": "api pod=a trace of s1",
		"s4 5": "api pod=a trace of s4", "s5 30": "db pod=c trace of s5"}
	if !reflect.DeepEqual(got, want) || spans != 6 {
		t.Errorf("%d spans, exemplars %v, want %v", spans, got, want)
	}
	one := must(s.heatmap(func(r *pb.SelectHeatmapRequest) { r.LabelSelector = `{span_id=~"s[12]"}` }))
	if n := counted(one); n != 3 || len(one.Series) != 1 || one.Series[0].Slots[0].Exemplars != nil {
		t.Errorf("%d spans of two: %v", n, one)
	}
	limited := must(s.heatmap(func(r *pb.SelectHeatmapRequest) {
		r.GroupBy, r.Limit = []string{"service_name"}, new(int64)
		*r.Limit = 1
	}))
	if len(limited.Series) != 1 || limited.Series[0].Labels[0].Value != "api" {
		t.Errorf("the largest: %v", limited)
	}
	if res := must(s.heatmap(func(r *pb.SelectHeatmapRequest) { r.LabelSelector = `{service_name="nosuch"}` })); len(res.Series) != 0 {
		t.Errorf("nothing: %v", res)
	}
}

func counted(res *pb.SelectHeatmapResponse) (n int32) {
	for _, series := range res.Series {
		for _, slot := range series.Slots {
			for _, c := range slot.Counts {
				n += c
			}
		}
	}
	return n
}

// TestProfileHeatmap: exemplars of a heatmap of profiles name profiles that can be asked for.
func TestProfileHeatmap(t *testing.T) {
	s, ids := spanSite(t)
	res := must(s.heatmap(func(r *pb.SelectHeatmapRequest) {
		r.QueryType, r.ExemplarType = pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL, pb.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL
	}))
	if n := counted(res); n != 4 {
		t.Errorf("%d profiles, want 4", n)
	}
	for _, slot := range res.Series[0].Slots {
		for _, e := range slot.Exemplars {
			req := query(cpuType, "{}")
			req.ProfileIdSelector = []string{e.ProfileId}
			if f := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)).Flamegraph; f.Total != e.Value || !slices.Contains(ids, e.ProfileId) {
				t.Errorf("profile %s has %d, its exemplar %v", e.ProfileId, f.Total, e)
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*pb.SelectHeatmapRequest)
		code   connect.Code
	}{
		"spans of profiles": {func(r *pb.SelectHeatmapRequest) {
			r.QueryType, r.ExemplarType = pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL, pb.ExemplarType_EXEMPLAR_TYPE_SPAN
		}, connect.CodeInvalidArgument},
		"profiles of spans": {func(r *pb.SelectHeatmapRequest) { r.ExemplarType = pb.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL }, connect.CodeInvalidArgument},
		"parts of profiles": {func(r *pb.SelectHeatmapRequest) {
			r.QueryType, r.LabelSelector = pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL, `{span_id="s1"}`
		}, connect.CodeUnimplemented},
		"short steps": {func(r *pb.SelectHeatmapRequest) { r.Step = 1e-9 }, connect.CodeInvalidArgument},
		"many steps":  {func(r *pb.SelectHeatmapRequest) { r.Step = 0.001 }, connect.CodeInvalidArgument},
	} {
		if _, err := s.heatmap(test.change); connect.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
}

// TestExemplars: a point of a series has the largest profile or span of its step.
func TestExemplars(t *testing.T) {
	s, ids := spanSite(t)
	ask := func(change func(*pb.SelectSeriesRequest)) map[string]string {
		t.Helper()
		req := &pb.SelectSeriesRequest{ProfileTypeID: cpuType, LabelSelector: "{}", Start: begin - 10*minute, End: begin + 10*minute, Step: steps, GroupBy: []string{"service_name"}}
		change(req)
		got := map[string]string{}
		for _, series := range must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", req)).Series {
			for _, p := range series.Points {
				for _, e := range p.Exemplars {
					if e.Timestamp > p.Timestamp || e.Timestamp < p.Timestamp-steps*1000 {
						t.Errorf("exemplar %v at %d", e, p.Timestamp)
					}
					id := e.SpanId
					if e.ProfileId != "" {
						id = fmt.Sprint("profile ", slices.Index(ids, e.ProfileId))
					}
					if len(e.Labels) != 1 {
						t.Errorf("labels %v", e.Labels)
					}
					got[fmt.Sprint(series.Labels[0].Value, " ", p.Value, " in ", (p.Timestamp-begin)/1000/steps)] = fmt.Sprint(id, " ", e.Value, " ", e.Labels[0].Name, "=", e.Labels[0].Value)
				}
			}
		}
		return got
	}
	profiles := ask(func(r *pb.SelectSeriesRequest) { r.ExemplarType = pb.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL })
	spans := ask(func(r *pb.SelectSeriesRequest) { r.ExemplarType = pb.ExemplarType_EXEMPLAR_TYPE_SPAN })
	of := func(all map[string]string) (out []string) {
		for _, v := range all {
			out = append(out, v)
		}
		slices.Sort(out)
		return out
	}
	if got, want := of(profiles), []string{"profile 0 1120 pod=a", "profile 2 45 pod=a", "profile 3 30 pod=c"}; !slices.Equal(got, want) {
		t.Errorf("profiles: %q, want %q", got, want)
	}
	if got, want := of(spans), []string{"s1 100 pod=a", "s1 40 pod=a", "s5 30 pod=c"}; !slices.Equal(got, want) {
		t.Errorf("spans: %q, want %q", got, want)
	}
	// Only the selected samples count.
	some := ask(func(r *pb.SelectSeriesRequest) {
		r.ExemplarType, r.LabelSelector = pb.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL, `{span_id=~"s[24]"}`
	})
	if got, want := of(some), []string{"profile 0 20 pod=a", "profile 2 5 pod=a"}; !slices.Equal(got, want) {
		t.Errorf("some samples: %q, want %q", got, want)
	}
	if none := ask(func(r *pb.SelectSeriesRequest) { r.ExemplarType = pb.ExemplarType_EXEMPLAR_TYPE_NONE }); len(none) > 0 {
		t.Errorf("none: %v", none)
	}
}

// Series can be grouped by the name of their profiles.
func TestGroupByName(t *testing.T) {
	s := fleet(t)
	res := must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: begin, End: begin + 10*minute, Step: 60, GroupBy: []string{"__name__"}}))
	if len(res.Series) != 1 || len(res.Series[0].Labels) != 1 || res.Series[0].Labels[0].Name != "__name__" || res.Series[0].Labels[0].Value != "process_cpu" {
		t.Errorf("series %v", res.Series)
	}
}
