package pyroscope

import (
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/profile"
)

// A filter of frames selects whole stacks, by all of its conditions.
func TestFrameFilter(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	at := map[string]uint32{}
	for i, name := range []string{"main", "parse", "sort", "runtime.gc"} {
		at[name] = b.Location(uint64(i+1), 0, profile.Line{Function: b.Function(name, "", "", 0)})
	}
	// sort is inlined into parse here.
	both := b.Location(99, 0, profile.Line{Function: b.Function("sort", "", "", 0)}, profile.Line{Function: b.Function("parse", "", "", 0)})
	b.Sample([]uint32{at["parse"], at["main"]}, nil, 1)
	b.Sample([]uint32{at["sort"], at["parse"], at["main"]}, nil, 2)
	b.Sample([]uint32{at["sort"], at["main"]}, nil, 4)
	b.Sample([]uint32{at["runtime.gc"], at["parse"], at["main"]}, nil, 8)
	b.Sample([]uint32{both, at["main"]}, nil, 16)
	b.Sample(nil, nil, 32)
	p := b.Profile()
	for name, test := range map[string]struct {
		filter *pb.StackFrameFilter
		want   int64
	}{
		"include":          {&pb.StackFrameFilter{IncludeFunctionNames: []string{"parse"}}, 1 + 2 + 8 + 16},
		"twice":            {&pb.StackFrameFilter{IncludeFunctionNames: []string{"parse", "parse"}}, 1 + 2 + 8 + 16},
		"all of them":      {&pb.StackFrameFilter{IncludeFunctionNames: []string{"parse", "sort"}}, 2 + 16},
		"unknown":          {&pb.StackFrameFilter{IncludeFunctionNames: []string{"pars"}}, 0},
		"exclude":          {&pb.StackFrameFilter{ExcludeFunctionNames: []string{"sort"}}, 1 + 8},
		"both":             {&pb.StackFrameFilter{IncludeFunctionNames: []string{"parse"}, ExcludeFunctionNames: []string{"runtime.gc"}}, 1 + 2 + 16},
		"pattern":          {&pb.StackFrameFilter{IncludeFunctionNameRegexes: []string{"^par"}}, 1 + 2 + 8 + 16},
		"part of a name":   {&pb.StackFrameFilter{ExcludeFunctionNameRegexes: []string{"time[.]"}}, 1 + 2 + 4 + 16},
		"name and pattern": {&pb.StackFrameFilter{IncludeFunctionNames: []string{"sort"}, IncludeFunctionNameRegexes: []string{"p.rse", "^main$"}}, 2 + 16},
	} {
		f, err := newFrameFilter(test.filter)
		if err != nil {
			t.Fatal(err)
		}
		s := &selection{frames: f}
		var got int64
		for _, v := range s.filter(p).Values[0] {
			got += v
		}
		if got != test.want || !s.filtered() {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if f, err := newFrameFilter(&pb.StackFrameFilter{}); f != nil || err != nil {
		t.Errorf("without conditions: %v, %v", f, err)
	}
}

// The filter works in all calls that have it, and hostile ones are errors.
func TestFrameFilterOfCalls(t *testing.T) {
	s := fleet(t)
	all := must(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", query(cpuType, "{}"))).Flamegraph
	var want int64
	for path, v := range unfold(t, all.Names, all.Levels, 4, 0) {
		if slices.Contains(strings.Split(path, ";"), "runtime.main") {
			want += v
		}
	}
	if want == 0 || want == all.Total {
		t.Fatalf("%d of %d have main", want, all.Total)
	}
	ask := func(f *pb.StackFrameFilter) (total int64, err error) {
		req := query(cpuType, "{}")
		req.StackTraceSelector = &pb.StackTraceSelector{FrameFilter: f}
		res, err := call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)
		return res.GetFlamegraph().GetTotal(), err
	}
	filter := &pb.StackFrameFilter{IncludeFunctionNames: []string{"runtime.main"}}
	if got, err := ask(filter); got != want || err != nil {
		t.Errorf("flame graph: %d, %v; want %d", got, err, want)
	}
	series := must(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, Start: begin - minute, End: begin + 10*minute,
		Step: 3600, StackTraceSelector: &pb.StackTraceSelector{FrameFilter: filter}})).Series
	var total float64
	for _, p := range series[0].Points {
		total += p.Value
	}
	if total != float64(want) {
		t.Errorf("series: %v, want %d", total, want)
	}
	p := must(call[pb.SelectMergeProfileRequest, pb.Profile](s, "SelectMergeProfile", &pb.SelectMergeProfileRequest{ProfileTypeID: cpuType, Start: begin - minute, End: begin + 10*minute,
		StackTraceSelector: &pb.StackTraceSelector{FrameFilter: filter}}))
	if got := sumOf(p); got != want {
		t.Errorf("profile: %d, want %d", got, want)
	}
	for name, bad := range map[string]*pb.StackFrameFilter{
		"no pattern":    {IncludeFunctionNameRegexes: []string{"["}},
		"too expensive": {ExcludeFunctionNameRegexes: []string{"((a{100}){100}){100}"}},
		"many patterns": {ExcludeFunctionNameRegexes: slices.Repeat([]string{"a"}, maxFramePatterns+1)},
		"many names":    {IncludeFunctionNames: slices.Repeat([]string{"a"}, maxFrameNames+1)},
	} {
		if _, err := ask(bad); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), "frameFilter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sumOf returns the sum of the first values of a profile's samples.
func sumOf(p *pb.Profile) (total int64) {
	for _, sample := range p.GetSample() {
		total += sample.Value[0]
	}
	return total
}
