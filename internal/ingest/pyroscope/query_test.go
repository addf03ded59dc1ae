package pyroscope

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest/ingesttest"
	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

const (
	cpuType   = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
	spaceType = "memory:alloc_space:bytes:space:bytes"
	inuseType = "memory:inuse_space:bytes:space:bytes"

	begin  = int64(1_700_000_000_000) // ms since 1970
	minute = int64(60_000)            // ms
)

// A site is a store with the query side on it.
type site struct {
	t     *testing.T
	store store.Store
	url   string
	n     int
}

func newSite(t *testing.T) *site {
	t.Helper()
	return siteOn(t, storetest.NewModel())
}

func siteOn(t *testing.T, st store.Store) *site {
	t.Helper()
	mux := http.NewServeMux()
	MountQueries(mux, st, nil)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &site{t, st, server.URL, 0}
}

// put keeps a profile of the testdata and returns it. at is in ms since 1970.
func (s *site) put(file string, at int64, pairs ...string) *profile.Profile {
	s.t.Helper()
	p, err := profile.DecodeBytes(ingesttest.Profile(s.t, file), profile.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.n++
	var id store.ID
	binary.BigEndian.PutUint64(id[8:], uint64(s.n))
	if err := s.store.Put(context.Background(), []store.Record{{ID: id, Labels: labels(s.t, pairs...), Time: at * 1e6, Duration: 10e9, Profile: p}}); err != nil {
		s.t.Fatal(err)
	}
	return p
}

func call[Req, Res any](s *site, method string, req *Req, options ...connect.ClientOption) (*Res, error) {
	client := connect.NewClient[Req, Res](http.DefaultClient, s.url+querierService+method, options...)
	res, err := client.CallUnary(context.Background(), connect.NewRequest(req))
	if err != nil {
		return nil, err
	}
	return res.Msg, nil
}

func must[Res any](res *Res, err error) *Res {
	if err != nil {
		panic(err)
	}
	return res
}

// fleet is a site with two services, two versions of one of them, and profiles
// of several kinds.
func fleet(t *testing.T) *site {
	s := newSite(t)
	s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu", "version", "v1", "instance", "a")
	s.put("cpu.wordcount-v1-again.pb.gz", begin+minute, "service", "wc", "kind", "cpu", "version", "v1", "instance", "b")
	s.put("cpu.wordcount-v2.pb.gz", begin+2*minute, "service", "wc", "kind", "cpu", "version", "v2", "instance", "a")
	s.put("cpu.labels.pb.gz", begin+minute, "service", "api", "kind", "cpu", "instance", "c", "team", "core")
	s.put("allocs.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "heap", "instance", "a")
	s.put("allocs.templates.pb.gz", begin, "service", "api", "kind", "heap", "instance", "c")
	s.put("allocs.json-decode.pb.gz", begin, "service", "api", "kind", "allocs", "instance", "c")
	s.put("block.accounts.pb.gz", begin, "service", "api", "kind", "block", "instance", "c")
	return s
}

func query(typeID, selector string) *pb.SelectMergeStacktracesRequest {
	return &pb.SelectMergeStacktracesRequest{ProfileTypeID: typeID, LabelSelector: selector, Start: begin - minute, End: begin + 10*minute}
}

// stacks returns the values of a profile's stacks of functions, root first.
func stacks(p *profile.Profile, sampleType string, filter func(sample int) bool) map[string]int64 {
	t, err := p.SampleIndex(sampleType)
	if err != nil {
		panic(err)
	}
	out := map[string]int64{}
	for s := range p.NumSamples() {
		if filter != nil && !filter(s) {
			continue
		}
		var path strings.Builder
		for _, l := range slices.Backward(p.Stack(s)) {
			for _, line := range slices.Backward(p.LocationLines(l)) {
				path.WriteString(";" + p.FunctionName(line.Function))
			}
		}
		if v := p.Values[t][s]; v != 0 {
			out[path.String()] += v
		}
	}
	return out
}

func addUp(all ...map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for _, m := range all {
		for k, v := range m {
			out[k] += v
		}
	}
	return out
}

// unfold reads the bars of a flame graph back: the own value of each stack. side
// is 0, or 1 for the right side of a comparison.
func unfold(t *testing.T, names []string, levels []*pb.Level, ints, side int) map[string]int64 {
	t.Helper()
	type bar struct {
		from, to int64
		path     string
	}
	out := map[string]int64{}
	var above []bar
	for depth, level := range levels {
		var bars []bar
		at := int64(0)
		for i := 0; i < len(level.Values); i += ints {
			v := level.Values[i : i+ints]
			from := at + v[3*side]
			to := from + v[3*side+1]
			at = to
			if from == to {
				continue // it is on the other side alone
			}
			path := ""
			if depth > 0 {
				parent := slices.IndexFunc(above, func(b bar) bool { return from >= b.from && to <= b.to })
				if parent < 0 {
					t.Fatalf("level %d: no bar above [%d, %d)", depth, from, to)
				}
				path = above[parent].path + ";" + names[v[ints-1]]
			}
			bars = append(bars, bar{from, to, path})
			if self := v[3*side+2]; self != 0 {
				out[path] += self
			}
		}
		above = bars
	}
	return out
}

func sum(m map[string]int64) (total int64) {
	for _, v := range m {
		total += v
	}
	return total
}

func TestProfileTypes(t *testing.T) {
	s := fleet(t)
	res := must(call[pb.ProfileTypesRequest, pb.ProfileTypesResponse](s, "ProfileTypes", &pb.ProfileTypesRequest{Start: begin - minute, End: begin + minute}))
	var got []string
	for _, p := range res.ProfileTypes {
		got = append(got, p.ID)
		if want := strings.Join([]string{p.Name, p.SampleType, p.SampleUnit, p.PeriodType, p.PeriodUnit}, ":"); p.ID != want {
			t.Errorf("%s consists of %s", p.ID, want)
		}
	}
	for _, want := range []string{cpuType, "process_cpu:samples:count:cpu:nanoseconds", spaceType, inuseType, "block:contentions:count:contentions:count", "block:delay:nanoseconds:contentions:count"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	if len(got) != 8 || !slices.IsSorted(got) {
		t.Errorf("profile types %q", got)
	}
	// The health check of an empty server.
	if res, err := call[pb.ProfileTypesRequest, pb.ProfileTypesResponse](newSite(t), "ProfileTypes", &pb.ProfileTypesRequest{}, connect.WithProtoJSON()); err != nil || len(res.ProfileTypes) != 0 {
		t.Errorf("empty: %v, %v", res, err)
	}
}

func TestLabels(t *testing.T) {
	s := fleet(t)
	names := must(call[pb.LabelNamesRequest, pb.LabelNamesResponse](s, "LabelNames", &pb.LabelNamesRequest{})).Names
	if want := []string{"__name__", "__period_type__", "__period_unit__", "__profile_type__", "__service_name__", "__type__", "__unit__", "instance", "service_name", "team", "version"}; !reflect.DeepEqual(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	for _, test := range []struct {
		name     string
		matchers []string
		want     []string
	}{
		{"service_name", nil, []string{"api", "wc"}},
		{"service", nil, []string{"api", "wc"}},
		{"version", []string{`{service_name="wc"}`}, []string{"v1", "v2"}},
		{"instance", []string{`{service_name="wc"}`, `{team="core"}`}, []string{"a", "b", "c"}},
		{"instance", []string{`{__profile_type__="` + spaceType + `"}`}, []string{"a", "c"}},
		{"__name__", []string{`{service_name="wc"}`}, []string{"memory", "process_cpu"}},
		{"__type__", []string{`{__name__="block"}`}, []string{"contentions", "delay"}},
		{"__unit__", []string{`{__name__="block"}`}, []string{"count", "nanoseconds"}},
		{"__period_type__", []string{`{__name__="process_cpu"}`}, []string{"cpu"}},
		{"__name__", []string{`{__period_unit__="bytes"}`}, []string{"memory"}},
		{"__service_name__", nil, []string{"api", "wc"}},
		{"version", []string{`{__service_name__="wc"}`}, []string{"v1", "v2"}},
		{"service_name", []string{`{__name__="nosuch"}`}, nil},
		{"nosuch", nil, nil},
	} {
		got := must(call[pb.LabelValuesRequest, pb.LabelValuesResponse](s, "LabelValues", &pb.LabelValuesRequest{Name: test.name, Matchers: test.matchers})).Names
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s of %q: %q, want %q", test.name, test.matchers, got, test.want)
		}
	}
}

func TestSeries(t *testing.T) {
	s := fleet(t)
	res := must(call[pb.SeriesRequest, pb.SeriesResponse](s, "Series", &pb.SeriesRequest{LabelNames: []string{"service_name", "__name__"}}))
	var got []string
	for _, set := range res.LabelsSet {
		var text string
		for _, l := range set.Labels {
			text += l.Name + "=" + l.Value + " "
		}
		got = append(got, text)
	}
	slices.Sort(got)
	want := []string{"__name__=block service_name=api ", "__name__=memory service_name=api ", "__name__=memory service_name=wc ",
		"__name__=process_cpu service_name=api ", "__name__=process_cpu service_name=wc "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	res = must(call[pb.SeriesRequest, pb.SeriesResponse](s, "Series", &pb.SeriesRequest{Matchers: []string{`{service_name="wc"}`}, LabelNames: []string{"__profile_type__"}}))
	if len(res.LabelsSet) != 6 { // samples and cpu, and four of the heap
		t.Errorf("%d profile types of a service: %v", len(res.LabelsSet), res.LabelsSet)
	}
	if res = must(call[pb.SeriesRequest, pb.SeriesResponse](s, "Series", &pb.SeriesRequest{})); len(res.LabelsSet) != 3*2+2+4+4+2 {
		t.Errorf("%d series: %v", len(res.LabelsSet), res.LabelsSet)
	}
}

// TestFlameGraph: bars are what the samples of all selected profiles add up to.
func TestFlameGraph(t *testing.T) {
	s := newSite(t)
	wc1 := s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu", "version", "v1")
	wc2 := s.put("cpu.wordcount-v2.pb.gz", begin+minute, "service", "wc", "kind", "cpu", "version", "v2")
	lab := s.put("cpu.labels.pb.gz", begin, "service", "api", "kind", "cpu")
	heap := s.put("allocs.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "heap")
	apiHeap := s.put("allocs.templates.pb.gz", begin, "service", "api", "kind", "heap")
	apiAllocs := s.put("allocs.json-decode.pb.gz", begin, "service", "api", "kind", "allocs")
	key, value := sampleLabel(t, lab)
	for name, test := range map[string]struct {
		req  *pb.SelectMergeStacktracesRequest
		want map[string]int64
	}{
		"one service":     {query(cpuType, `{service_name="wc"}`), addUp(stacks(wc1, "cpu", nil), stacks(wc2, "cpu", nil))},
		"all":             {query(cpuType, `{}`), addUp(stacks(wc1, "cpu", nil), stacks(wc2, "cpu", nil), stacks(lab, "cpu", nil))},
		"no selector":     {query("process_cpu:samples:count:cpu:nanoseconds", ``), addUp(stacks(wc1, "samples", nil), stacks(wc2, "samples", nil), stacks(lab, "samples", nil))},
		"pattern":         {query(cpuType, `{service_name=~"w.*", version!="v1"}`), stacks(wc2, "cpu", nil)},
		"nothing":         {query(cpuType, `{service_name="nosuch"}`), map[string]int64{}},
		"memory in use":   {query(inuseType, `{}`), addUp(stacks(heap, "inuse_space", nil), stacks(apiHeap, "inuse_space", nil))},
		"allocated":       {query(spaceType, `{}`), addUp(stacks(heap, "alloc_space", nil), stacks(apiAllocs, "alloc_space", nil))},
		"of one service":  {query(spaceType, `{service_name="wc"}`), stacks(heap, "alloc_space", nil)},
		"label of sample": {query(cpuType, fmt.Sprintf(`{service_name="api", %s=%q}`, key, value)), stacks(lab, "cpu", func(i int) bool { return lab.HasLabel(i, key, value) })},
	} {
		t.Run(name, func(t *testing.T) {
			for _, options := range [][]connect.ClientOption{nil, {connect.WithProtoJSON()}} {
				test.req.MaxNodes = new(int64)
				*test.req.MaxNodes = mostNodes
				f := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", test.req, options...)).Flamegraph
				got := unfold(t, f.Names, f.Levels, 4, 0)
				if !reflect.DeepEqual(got, test.want) {
					t.Errorf("%d stacks of %d, want %d of %d", len(got), sum(got), len(test.want), sum(test.want))
				}
				if f.Total != sum(test.want) || f.Names[0] != "total" || f.Levels[0].Values[1] != f.Total {
					t.Errorf("total %d, want %d", f.Total, sum(test.want))
				}
			}
		})
	}
	// Few nodes: the others are folded, and nothing is lost.
	req := query(cpuType, "{}")
	req.MaxNodes = new(int64)
	*req.MaxNodes = 10
	f := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)).Flamegraph
	if got := unfold(t, f.Names, f.Levels, 4, 0); sum(got) != f.Total || !slices.Contains(f.Names, other) || len(f.Names) > 13 {
		t.Errorf("ten nodes: %d of %d, names %q", sum(got), f.Total, f.Names)
	}
}

func sampleLabel(t *testing.T, p *profile.Profile) (key, value string) {
	for i := range p.NumSamples() {
		for _, l := range p.SampleLabelSet(i) {
			if !l.Numeric {
				return p.Strings[l.Key], p.Strings[l.Str]
			}
		}
	}
	t.Fatal("the profile has no labels")
	return "", ""
}

func TestCallSite(t *testing.T) {
	s := newSite(t)
	p := s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu")
	all := stacks(p, "cpu", nil)
	const root = ";runtime.main;main.main"
	want := map[string]int64{}
	for path, v := range all {
		if path == root || strings.HasPrefix(path, root+";") {
			want[path] += v
		}
	}
	if len(want) == 0 || len(want) == len(all) {
		t.Fatalf("%d of %d stacks begin with main", len(want), len(all))
	}
	req := query(cpuType, "{}")
	req.StackTraceSelector = &pb.StackTraceSelector{CallSite: []*pb.CallSite{{Name: "runtime.main"}, {Name: "main.main"}}}
	f := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)).Flamegraph
	if got := unfold(t, f.Names, f.Levels, 4, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("%d stacks of %d, want %d of %d", len(got), sum(got), len(want), sum(want))
	}
	series := must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: begin, End: begin + minute, Step: 60, StackTraceSelector: req.StackTraceSelector}))
	if len(series.Series) != 1 || series.Series[0].Points[0].Value != float64(sum(want)) {
		t.Errorf("series %v, want %d", series, sum(want))
	}
}

func TestSpans(t *testing.T) {
	s := newSite(t)
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	main := b.Location(0, 0, profile.Line{Function: b.Function("main.main", "", "", 0)})
	work := b.Location(0, 0, profile.Line{Function: b.Function("main.work", "", "", 0)})
	span := func(id string) []profile.Label { return []profile.Label{{Key: b.String("span_id"), Str: b.String(id)}} }
	b.Sample([]uint32{work, main}, span("aa"), 1, 10)
	b.Sample([]uint32{work, main}, span("bb"), 2, 20)
	b.Sample([]uint32{main}, nil, 4, 40)
	if err := s.store.Put(context.Background(), []store.Record{{ID: store.ID{1}, Labels: labels(t, "service", "a", "kind", "cpu"), Time: begin * 1e6, Profile: b.Profile()}}); err != nil {
		t.Fatal(err)
	}
	f := must(call[pb.SelectMergeSpanProfileRequest, pb.SelectMergeSpanProfileResponse](s, "SelectMergeSpanProfile", &pb.SelectMergeSpanProfileRequest{
		ProfileTypeID: cpuType, Start: begin, End: begin + minute, SpanSelector: []string{"bb", "cc"}})).Flamegraph
	if got, want := unfold(t, f.Names, f.Levels, 4, 0), map[string]int64{";main.main;main.work": 20}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	tree := must(call[pb.SelectMergeSpanProfileRequest, pb.SelectMergeSpanProfileResponse](s, "SelectMergeSpanProfile", &pb.SelectMergeSpanProfileRequest{
		ProfileTypeID: cpuType, Start: begin, End: begin + minute, SpanSelector: []string{"aa", "bb"}, Format: pb.ProfileFormat_PROFILE_FORMAT_TREE})).Tree
	if got, want := readTree(t, tree), map[string]int64{";main.main;main.work": 30}; !reflect.DeepEqual(got, want) {
		t.Errorf("tree: %v, want %v", got, want)
	}
}

func TestDiff(t *testing.T) {
	s := newSite(t)
	wc1 := s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu", "version", "v1")
	wc2 := s.put("cpu.wordcount-v2.pb.gz", begin, "service", "wc", "kind", "cpu", "version", "v2")
	left, right := stacks(wc1, "cpu", nil), stacks(wc2, "cpu", nil)
	req := &pb.DiffRequest{Left: query(cpuType, `{version="v1"}`), Right: query(cpuType, `{version="v2"}`)}
	f := must(call[pb.DiffRequest, pb.DiffResponse](s, "Diff", req)).Flamegraph
	if f.LeftTicks != sum(left) || f.RightTicks != sum(right) || f.Total != sum(left)+sum(right) {
		t.Errorf("totals %d, %d, %d; want %d, %d", f.LeftTicks, f.RightTicks, f.Total, sum(left), sum(right))
	}
	if got := unfold(t, f.Names, f.Levels, 7, 0); !reflect.DeepEqual(got, left) {
		t.Errorf("left: %d stacks of %d, want %d of %d", len(got), sum(got), len(left), sum(left))
	}
	if got := unfold(t, f.Names, f.Levels, 7, 1); !reflect.DeepEqual(got, right) {
		t.Errorf("right: %d stacks of %d, want %d of %d", len(got), sum(got), len(right), sum(right))
	}
}

func TestMergeProfile(t *testing.T) {
	s := fleet(t)
	req := &pb.SelectMergeProfileRequest{ProfileTypeID: cpuType, LabelSelector: `{service_name="wc"}`, Start: begin, End: begin + 10*minute}
	want := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", query(cpuType, `{service_name="wc"}`))).Flamegraph.Total
	for name, option := range map[string]connect.ClientOption{"protobuf": connect.WithClientOptions(), "JSON": connect.WithProtoJSON(), "gRPC-Web": connect.WithGRPCWeb()} {
		p := must(call[pb.SelectMergeProfileRequest, pb.Profile](s, "SelectMergeProfile", req, option))
		var total int64
		for _, sample := range p.Sample {
			total += sample.Value[0]
		}
		if total != want || len(p.SampleType) != 1 || p.StringTable[p.SampleType[0].Type] != "cpu" {
			t.Errorf("%s: total %d, want %d; types %v", name, total, want, p.SampleType)
		}
	}
	pgo := must(call[pb.SelectMergeProfileRequest, pb.Profile](s, "SelectMergeProfile", &pb.SelectMergeProfileRequest{ProfileTypeID: cpuType, Start: begin, End: begin + 10*minute,
		StackTraceSelector: &pb.StackTraceSelector{GoPgo: &pb.GoPGO{KeepLocations: 3}}}))
	for _, sample := range pgo.Sample {
		if len(sample.LocationId) > 3 {
			t.Errorf("%d locations are kept", len(sample.LocationId))
		}
	}
	format := query(cpuType, `{service_name="wc"}`)
	format.Format = pb.ProfileFormat_PROFILE_FORMAT_PPROF
	if res := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", format)); len(res.GetPprof().GetProfile().GetSample()) == 0 {
		t.Error("no profile in the pprof format")
	}
}

func TestProfileID(t *testing.T) {
	s := fleet(t)
	req := query(cpuType, "{}")
	req.ProfileIdSelector = []string{"00000000-0000-0000-0000-000000000003"}
	third, err := profile.DecodeBytes(ingesttest.Profile(t, "cpu.wordcount-v2.pb.gz"), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)).Flamegraph
	if want := sum(stacks(third, "cpu", nil)); f.Total != want {
		t.Errorf("total %d, want %d", f.Total, want)
	}
}

func TestSelectSeries(t *testing.T) {
	s := newSite(t)
	sums := map[string]float64{}
	for i, file := range []string{"cpu.wordcount-v1.pb.gz", "cpu.wordcount-v2.pb.gz", "cpu.labels.pb.gz", "cpu.wordcount-v1-again.pb.gz"} {
		service := []string{"wc", "wc", "api", "wc"}[i]
		at := begin - begin%minute + []int64{0, minute + 1, 1, 2}[i]
		sums[fmt.Sprint(service, at/minute)] += float64(ingesttest.ValueSums(s.put(file, at, "service", service, "kind", "cpu"))["cpu/nanoseconds"])
	}
	start := begin - begin%minute
	req := &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: start, End: start + 2*minute, Step: 60, GroupBy: []string{"service_name"}}
	got := map[string]float64{}
	res := must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", req))
	for _, series := range res.Series {
		if len(series.Labels) != 1 || series.Labels[0].Name != "service_name" {
			t.Fatalf("labels %v", series.Labels)
		}
		for _, p := range series.Points { // at the end of their minute
			got[fmt.Sprint(series.Labels[0].Value, p.Timestamp/minute-1)] += p.Value
		}
	}
	if !maps.Equal(got, sums) {
		t.Errorf("%v, want %v", got, sums)
	}
	average := pb.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE
	req.Aggregation, req.Limit = &average, new(int64)
	*req.Limit = 1
	res = must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", req))
	if len(res.Series) != 1 || res.Series[0].Labels[0].Value != "wc" || res.Series[0].Points[0].Value != sums[fmt.Sprint("wc", start/minute)]/2 {
		t.Errorf("the largest, averaged: %v, want half of %v", res, sums)
	}
}

func TestHeatmap(t *testing.T) {
	s := fleet(t)
	res := must(call[pb.SelectHeatmapRequest, pb.SelectHeatmapResponse](s, "SelectHeatmap", &pb.SelectHeatmapRequest{ProfileTypeID: cpuType, LabelSelector: `{service_name="wc"}`,
		Start: begin, End: begin + 10*minute, Step: 3600, QueryType: pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL}))
	n := int32(0)
	for _, series := range res.Series {
		for _, slot := range series.Slots {
			if len(slot.YMin) != len(slot.Counts) || !slices.IsSorted(slot.YMin) {
				t.Errorf("slot %v", slot)
			}
			for _, c := range slot.Counts {
				n += c
			}
		}
	}
	if n != 3 {
		t.Errorf("%d profiles in the heatmap, want 3", n)
	}
}

func TestStats(t *testing.T) {
	stats := must(call[pb.GetProfileStatsRequest, pb.GetProfileStatsResponse](fleet(t), "GetProfileStats", &pb.GetProfileStatsRequest{}))
	const day = 24 * 60 * minute
	if !stats.DataIngested || stats.OldestProfileTime > begin || stats.OldestProfileTime < begin-day || stats.NewestProfileTime != begin+2*minute+10_000 {
		t.Errorf("%v", stats)
	}
	if stats := must(call[pb.GetProfileStatsRequest, pb.GetProfileStatsResponse](newSite(t), "GetProfileStats", &pb.GetProfileStatsRequest{})); stats.DataIngested {
		t.Errorf("empty: %v", stats)
	}
}

func TestQueryRefused(t *testing.T) {
	s := fleet(t)
	for name, test := range map[string]struct {
		change func(*pb.SelectMergeStacktracesRequest)
		code   connect.Code
	}{
		"no type":      {func(r *pb.SelectMergeStacktracesRequest) { r.ProfileTypeID = "" }, connect.CodeInvalidArgument},
		"bad type":     {func(r *pb.SelectMergeStacktracesRequest) { r.ProfileTypeID = "cpu" }, connect.CodeInvalidArgument},
		"bad selector": {func(r *pb.SelectMergeStacktracesRequest) { r.LabelSelector = "{a=" }, connect.CodeInvalidArgument},
		"bad pattern":  {func(r *pb.SelectMergeStacktracesRequest) { r.LabelSelector = `{a=~"("}` }, connect.CodeInvalidArgument},
		"backwards":    {func(r *pb.SelectMergeStacktracesRequest) { r.End = r.Start - 1 }, connect.CodeInvalidArgument},
		"ns":           {func(r *pb.SelectMergeStacktracesRequest) { r.End = begin * 1e6 }, connect.CodeInvalidArgument},
		"bad ID":       {func(r *pb.SelectMergeStacktracesRequest) { r.ProfileIdSelector = []string{"x"} }, connect.CodeInvalidArgument},
		"format":       {func(r *pb.SelectMergeStacktracesRequest) { r.Format = 99 }, connect.CodeUnimplemented},
	} {
		req := query(cpuType, "{}")
		test.change(req)
		if _, err := call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req); connect.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %v", name, err, test.code)
		}
	}
	for _, step := range []float64{0, -1, 1e-4, 1e12} {
		if _, err := call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: begin, End: begin + minute, Step: step}); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("step %v: %v", step, err)
		}
	}
	if _, err := call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "Nosuch", &pb.SelectSeriesRequest{}); connect.CodeOf(err) != connect.CodeUnimplemented {
		t.Errorf("a call that hone doesn't know: %v", err)
	}
	many := slices.Repeat([]string{"a"}, maxNames+1)
	selectors := slices.Repeat([]string{"{}"}, maxSelectors+1)
	ofSeries := &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: begin, End: begin + minute, Step: 60, GroupBy: many}
	for name, err := range map[string]error{
		"many labels of series":   errOf(call[pb.SeriesRequest, pb.SeriesResponse](s, "Series", &pb.SeriesRequest{LabelNames: many})),
		"many selectors":          errOf(call[pb.SeriesRequest, pb.SeriesResponse](s, "Series", &pb.SeriesRequest{Matchers: selectors})),
		"many selectors of names": errOf(call[pb.LabelNamesRequest, pb.LabelNamesResponse](s, "LabelNames", &pb.LabelNamesRequest{Matchers: selectors})),
		"many groups":             errOf(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", ofSeries)),
		"many groups of a heatmap": errOf(call[pb.SelectHeatmapRequest, pb.SelectHeatmapResponse](s, "SelectHeatmap",
			&pb.SelectHeatmapRequest{ProfileTypeID: cpuType, Start: begin, End: begin + minute, Step: 60, GroupBy: many})),
	} {
		if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), "the limit is") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.store.Close()
	if _, err := call[pb.ProfileTypesRequest, pb.ProfileTypesResponse](s, "ProfileTypes", &pb.ProfileTypesRequest{}); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("closed: %v", err)
	}
}

func TestRender(t *testing.T) {
	s := fleet(t)
	get := func(path string, v any) int {
		t.Helper()
		resp, err := http.Get(s.url + "/pyroscope/" + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return resp.StatusCode
	}
	levels := func(r *rendered) (out []*pb.Level) {
		for _, l := range r.Flamebearer.Levels {
			out = append(out, &pb.Level{Values: l})
		}
		return out
	}
	span := fmt.Sprintf("from=%d&until=%d", begin, (begin+10*minute)/1000)
	want := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", query(cpuType, `{service_name="wc"}`))).Flamegraph
	var r rendered
	if status := get("render?query="+url.QueryEscape(cpuType+`{service_name="wc"}`)+"&format=json&"+span, &r); status != 200 {
		t.Fatalf("render: %d", status)
	}
	if got, want := unfold(t, r.Flamebearer.Names, levels(&r), 4, 0), unfold(t, want.Names, want.Levels, 4, 0); !reflect.DeepEqual(got, want) || r.Flamebearer.NumTicks != sum(want) {
		t.Errorf("render: %d stacks of %d, want %d of %d", len(got), r.Flamebearer.NumTicks, len(want), sum(want))
	}
	var total int64
	for _, v := range r.Timeline.Samples {
		total += v
	}
	if total != want.Total || r.Metadata != (metadata{"single", "", 1e9, "samples", "cpu"}) {
		t.Errorf("timeline %d, want %d; %+v", total, want.Total, r.Metadata)
	}
	side := func(prefix, version string) string {
		return prefix + "Query=" + url.QueryEscape(cpuType+`{version="`+version+`"}`) + "&" + strings.ReplaceAll(strings.ReplaceAll(span, "from", prefix+"From"), "until", prefix+"Until")
	}
	var d rendered
	if status := get("render-diff?"+side("left", "v1")+"&"+side("right", "v2"), &d); status != 200 {
		t.Fatalf("render-diff: %d", status)
	}
	left, right := unfold(t, d.Flamebearer.Names, levels(&d), 7, 0), unfold(t, d.Flamebearer.Names, levels(&d), 7, 1)
	if sum(left) != *d.LeftTicks || sum(right) != *d.RightTicks || *d.LeftTicks+*d.RightTicks != want.Total || d.Metadata.Format != "double" {
		t.Errorf("render-diff: %d and %d of %d", sum(left), sum(right), want.Total)
	}
	r = rendered{}
	if get("render?groupBy=version&query="+url.QueryEscape(cpuType+"{}")+"&"+span, &r); len(r.Groups) != 3 || r.Groups["*"] == nil {
		t.Errorf("groups %v", r.Groups)
	}
	var inGroups int64
	for _, g := range r.Groups {
		for _, v := range g.Samples {
			inGroups += v
		}
	}
	if inGroups != r.Flamebearer.NumTicks {
		t.Errorf("groups have %d, want %d", inGroups, r.Flamebearer.NumTicks)
	}
	pair := "render?query=" + url.QueryEscape(cpuType+`{}`) + fmt.Sprintf("&from=%d&until=%d", begin+minute, begin+minute+1000) // of two services
	var all, average rendered
	get(pair, &all)
	get(pair+"&aggregation=avg", &average)
	if a, b := all.Timeline.Samples, average.Timeline.Samples; len(a) != 1 || len(b) != 1 || b[0] == 0 || a[0]/2 != b[0] {
		t.Errorf("sums %v, averages %v", a, b)
	}
	if text := getText(t, s.url+"/pyroscope/render?format=dot&query="+url.QueryEscape(cpuType+"{}")+"&"+span); !strings.HasPrefix(text, "digraph ") {
		t.Errorf("dot: %.300s", text)
	}
	if text := getText(t, s.url+"/pyroscope/render?format=dot&query="+url.QueryEscape(cpuType+`{version="v9"}`)+"&"+span); text != "" {
		t.Errorf("dot of nothing: %.300s", text)
	}
	var names []string
	if get(`labels?query={team="core"}`, &names); !reflect.DeepEqual(names, []string{"__name__", "__period_type__", "__period_unit__", "__profile_type__", "__service_name__", "__type__", "__unit__", "instance", "service_name", "team"}) {
		t.Errorf("labels: %q", names)
	}
	var values []string
	if get("label-values?label=service_name", &values); !reflect.DeepEqual(values, []string{"api", "wc"}) {
		t.Errorf("label-values: %q", values)
	}
	var e map[string]string
	for path, status := range map[string]int{"render": 400, "render?query=x": 400, "render?query=" + cpuType + "&from=soon": 400, "render?query=" + cpuType + "&format=dot&max-nodes=x": 400,
		"render-diff?leftQuery=" + cpuType: 400, "label-values": 400, "render?%zz": 400} {
		if got := get(path, &e); got != status || e["message"] == "" {
			t.Errorf("%s: %d %v, want %d", path, got, e, status)
		}
	}
}

func getText(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%s: %s %s, %v", url, resp.Status, resp.Header.Get("Content-Type"), err)
	}
	return string(text)
}

// TestSideOf: from and until are two times, also when they are written alike.
func TestSideOf(t *testing.T) {
	now := time.UnixMilli(begin)
	for _, test := range []struct {
		from, until string
		start, end  int64 // ms since 1970
	}{
		{"", "", begin - 3_600_000, begin},
		{"now-5m", "", begin - 5*minute, begin},
		{"now", "now", begin, begin},
		{"1600000000", "1600000000", 1_600_000_000_000, 1_600_000_000_000},
	} {
		req, err := sideOf(url.Values{"query": {cpuType}, "from": {test.from}, "until": {test.until}}, "query", "from", "until", now)
		if err != nil || req.GetStart() != test.start || req.GetEnd() != test.end {
			t.Errorf("from %q until %q: %d to %d, %v; want %d to %d", test.from, test.until, req.GetStart(), req.GetEnd(), err, test.start, test.end)
		}
	}
}

// readable is a store that shows those of one name nothing.
type readable struct {
	store.Store
	name string
}

type nameKey struct{}

func (r readable) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if ctx.Value(nameKey{}) == r.name {
		return nil, nil
	}
	return r.Store.Series(ctx, q)
}

// TestTypesOfAScope asks for the types of profiles as someone who may see them,
// and then as someone who may not.
func TestTypesOfAScope(t *testing.T) {
	s := newSite(t)
	s.put("cpu.wordcount-v1.pb.gz", begin, "service", "api", "kind", "cpu")
	q := newQuerier(readable{s.store, "guest"}, func(ctx context.Context) string { return ctx.Value(nameKey{}).(string) })
	for name, want := range map[string]bool{"owner": true, "guest": false} {
		for range 2 {
			types, err := q.typesOf(context.WithValue(t.Context(), nameKey{}, name), "cpu")
			if err != nil || len(types) > 0 != want {
				t.Errorf("%s sees %v, %v", name, types, err)
			}
		}
	}
}

func FuzzSelection(f *testing.F) {
	f.Add(cpuType, `{service_name="wc", team=~"c.*"}`, begin, begin+minute)
	f.Add(spaceType, `{__profile_type__=~".*"}`, int64(0), int64(0))
	f.Add("a:b:::", "cpu", int64(-1), int64(1))
	f.Add(":::::", "{", int64(1)<<62, int64(1)<<62)
	st := storetest.NewModel()
	f.Fuzz(func(t *testing.T, typeID, selector string, start, end int64) {
		q := newQuerier(st, nil)
		s, err := q.selection(context.Background(), typeID, selector, start, end)
		if err != nil {
			if c := queryError(err).Code(); c != connect.CodeInvalidArgument {
				t.Errorf("%v", err)
			}
			return
		}
		if _, err := q.merge(context.Background(), s); err != nil {
			t.Errorf("merge: %v", err)
		}
	})
}

// TestProfileTypeIDs: an id names its type whatever is in the texts, and is text itself.
func TestProfileTypeIDs(t *testing.T) {
	for _, text := range []string{"", "cpu", "a:b", "a{b}", "100%", "%3A", "%zz%", "\xff:\xed\xa0\x80", "µ\ufffd", "%", "a%4"} {
		of := profileType{"process_cpu", profile.ValueType{Type: "x" + text, Unit: text}, profile.ValueType{Type: text, Unit: text}}
		id := of.String()
		if got, err := parseProfileType(id); err != nil || got != of || !utf8.ValidString(id) || strings.Contains(id, "{") {
			t.Errorf("%q is %q: %v, %v", text, id, got, err)
		}
	}
	if got, err := parseProfileType("memory:a_b%:count:space:bytes:delta"); err != nil || got.sample != (profile.ValueType{Type: "a_b%", Unit: "count"}) {
		t.Errorf("%v, %v", got, err)
	}
}
