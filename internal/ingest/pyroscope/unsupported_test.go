package pyroscope

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protowire"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/profile"
)

// What a request asks for and hone can't do is an error that names it, never an answer
// without it.
func TestUnsupported(t *testing.T) {
	s := fleet(t)
	unknown := protowire.AppendString(protowire.AppendTag(nil, 98, protowire.BytesType), "main")
	filtered := &pb.StackTraceSelector{}
	filtered.ProtoReflect().SetUnknown(unknown)
	const inSelector = "field 98 of querier.v1.StackTraceSelector"
	ofStacks, newer := query(cpuType, "{}"), query(cpuType, "{}")
	ofStacks.StackTraceSelector = filtered
	newer.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1))
	ofSeries := func(change func(*pb.SelectSeriesRequest)) *pb.SelectSeriesRequest {
		req := &pb.SelectSeriesRequest{ProfileTypeID: cpuType, LabelSelector: "{}", Start: begin, End: begin + minute, Step: 15}
		change(req)
		return req
	}
	for _, options := range [][]connect.ClientOption{nil, {connect.WithGRPC()}, {connect.WithGRPCWeb()}} {
		for _, test := range []struct {
			name string
			err  error
			want string
		}{
			{"condition on stacks", errOf(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", ofStacks, options...)), inSelector},
			{"field of a newer version", errOf(call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", newer, options...)), "field 99 of querier.v1.SelectMergeStacktracesRequest"},
			{"in a comparison", errOf(call[pb.DiffRequest, pb.DiffResponse](s, "Diff", &pb.DiffRequest{Left: query(cpuType, "{}"), Right: ofStacks}, options...)), inSelector},
			{"newer exemplars", errOf(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", ofSeries(func(r *pb.SelectSeriesRequest) {
				r.ExemplarType = 9
			}), options...)), "exemplarType"},
			{"condition on stacks of a series", errOf(call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", ofSeries(func(r *pb.SelectSeriesRequest) {
				r.StackTraceSelector = filtered
			}), options...)), inSelector},
			{"newer exemplars of a heatmap", errOf(call[pb.SelectHeatmapRequest, pb.SelectHeatmapResponse](s, "SelectHeatmap", &pb.SelectHeatmapRequest{
				ProfileTypeID: cpuType, LabelSelector: "{}", Start: begin, End: begin + minute, Step: 15, ExemplarType: 9,
			}, options...)), "exemplarType"},
			{"newer heatmap", errOf(call[pb.SelectHeatmapRequest, pb.SelectHeatmapResponse](s, "SelectHeatmap", &pb.SelectHeatmapRequest{
				ProfileTypeID: cpuType, LabelSelector: "{}", Start: begin, End: begin + minute, Step: 15, QueryType: 9,
			}, options...)), "heatmaps of the type"},
		} {
			if connect.CodeOf(test.err) != connect.CodeUnimplemented || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("%s: got %v, want unimplemented and %q", test.name, test.err, test.want)
			}
		}
		none := ofSeries(func(r *pb.SelectSeriesRequest) { r.ExemplarType = pb.ExemplarType_EXEMPLAR_TYPE_NONE })
		if _, err := call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", none, options...); err != nil {
			t.Errorf("no exemplars: %v", err)
		}
	}
	ask := func(method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const of = `{"profileTypeID": "` + cpuType + `", "labelSelector": "{}", "start": "1700000000000", "end": "1700000060000"`
	render := "/pyroscope/render?query=" + cpuType + "{}&from=1700000000&until=1700000600"
	for _, test := range []struct{ method, path, body, want string }{
		{"POST", querierService + "SelectMergeStacktraces", of + `, "stackTraceSelector": {"frameFilter": {"include": ["main"]}}}`, "include"},
		{"POST", querierService + "SelectSeries", of + `, "step": 15, "exemplarType": "EXEMPLAR_TYPE_OF_TOMORROW"}`, "exemplarType"},
		{"POST", querierService + "SelectSeries", of + `, "step": 15, "somethingElse": 1}`, "somethingElse"},
		{"GET", render + "&groupBy=version&groupBy=zone", "", "groupBy"},
		{"GET", render + "&aggregation=max", "", "aggregation"},
		{"GET", render + "&format=collapsed", "", "format"},
		{"GET", render + "&from=2", "", "from"},
		{"GET", "/pyroscope/label-values?label=service_name&from=1", "", "from"},
		{"GET", "/pyroscope/render-diff?leftQuery=" + cpuType + "&rightQuery=" + cpuType + "&format=html", "", "format"},
		{"GET", "/pyroscope/render-diff?leftQuery=" + cpuType + "&rightQuery=" + cpuType + "&format=dot", "", "format"},
		{"GET", "/pyroscope/labels?query={", "", "selector"},
	} {
		if status, text := ask(test.method, test.path, test.body); status/100 == 2 || !strings.Contains(text, test.want) {
			t.Errorf("%s %s %s: %d %.300s", test.method, test.path, test.body, status, text)
		}
	}
	if status, text := ask("GET", render+"&format=json&max-nodes=10", ""); status != http.StatusOK {
		t.Errorf("render: %d %.300s", status, text)
	}
	if status, text := ask("POST", querierService+"SelectMergeStacktraces", of+`, "maxNodes": "10"}`); status != http.StatusOK {
		t.Errorf("JSON: %d %.300s", status, text)
	}
}

func errOf[T any](_ T, err error) error { return err }

// For PGO leaves are functions: those of one function are added up whatever their line.
func TestWholeLeaves(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
	f, g := b.Function("f", "f", "f.go", 1), b.Function("g", "g", "g.go", 1)
	at := func(address uint64, function uint32, line int64) uint32 {
		return b.Location(address, 0, profile.Line{Function: function, Line: line})
	}
	caller := at(100, g, 7)
	b.Sample([]uint32{at(1, f, 1), caller}, nil, 1)
	b.Sample([]uint32{at(2, f, 2), caller}, nil, 2)
	b.Sample([]uint32{at(3, f, 2)}, nil, 4)
	b.Sample([]uint32{caller}, nil, 8)
	p := b.Profile()
	q := wholeLeaves(p)
	leaves := map[uint32]int64{}
	for s := range q.NumSamples() {
		stack := q.Stack(s)
		for _, line := range q.LocationLines(stack[0]) {
			if line.Line != 0 {
				t.Errorf("leaf of sample %d is at line %d", s, line.Line)
			}
		}
		if len(stack) == 2 && q.LocationLines(stack[1])[0].Line != 7 {
			t.Errorf("the caller of sample %d lost its line", s)
		}
		leaves[stack[0]] += q.Values[0][s]
	}
	if len(leaves) != 2 || !slices.Contains([]int64{7, 8}, leaves[q.Stack(0)[0]]) {
		t.Errorf("values by leaf: %v", leaves)
	}
	if !slices.Equal(slices.Sorted(slices.Values([]int64{3, 4, 8})), slices.Sorted(slices.Values(q.Values[0]))) {
		t.Errorf("values: %v", q.Values[0])
	}
}
