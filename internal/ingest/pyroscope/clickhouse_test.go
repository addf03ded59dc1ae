package pyroscope

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/clickhouse/clickhousetest"
)

// TestClickHouse: what Grafana and profilecli ask is answered from ClickHouse as from other
// stores.
func TestClickHouse(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	server := clickhousetest.Single(t)
	c, err := clickhouse.ParseURL("clickhouse://" + server.Addr + "/" + server.Name(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := clickhouse.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	st, err := clickhouse.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	model := newSite(t)
	sites := []*site{model, siteOn(t, st)}
	for _, s := range sites {
		s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu", "version", "v1", "instance", "a")
		s.put("cpu.wordcount-v2.pb.gz", begin+2*minute, "service", "wc", "kind", "cpu", "version", "v2", "instance", "a")
		s.put("allocs.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "heap", "instance", "a")
		s.putSpans(begin, map[string]int64{"s1": 100}, "service", "api", "kind", "cpu", "pod", "a")
		s.putSpans(begin+10_000, map[string]int64{"s1": 40}, "service", "api", "kind", "cpu", "pod", "b")
	}
	for name, ask := range map[string]func(s *site) (proto.Message, error){
		"AnalyzeQuery": func(s *site) (proto.Message, error) {
			return call[pb.AnalyzeQueryRequest, pb.AnalyzeQueryResponse](s, "AnalyzeQuery", &pb.AnalyzeQueryRequest{Start: begin - minute, End: begin + 10*minute, Query: cpuType + `{service_name="wc"}`})
		},
		"heatmap of spans": func(s *site) (proto.Message, error) {
			return s.heatmap(func(r *pb.SelectHeatmapRequest) { r.LabelSelector = `{service_name="api"}` })
		},
		"heatmap of profiles": func(s *site) (proto.Message, error) {
			return s.heatmap(func(r *pb.SelectHeatmapRequest) { r.QueryType = pb.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL })
		},
		"exemplars": func(s *site) (proto.Message, error) {
			return call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, LabelSelector: "{}", GroupBy: []string{"service_name"},
				Start: begin - minute, End: begin + 10*minute, Step: 60, ExemplarType: pb.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL})
		},
	} {
		want, err := ask(sites[0])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := ask(sites[1])
		if err != nil || proto.Size(want) < 10 || !proto.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
		}
	}
	tree := func(s *site) map[string]int64 {
		req := query(cpuType, `{service_name="wc"}`)
		req.Format = pb.ProfileFormat_PROFILE_FORMAT_TREE
		res, err := call[pb.SelectMergeStacktracesRequest, pb.SelectMergeStacktracesResponse](s, "SelectMergeStacktraces", req)
		if err != nil {
			t.Fatal(err)
		}
		return readTree(t, res.Tree)
	}
	if got, want := tree(sites[1]), tree(sites[0]); len(want) < 10 || !reflect.DeepEqual(got, want) { // siblings may have another order
		t.Errorf("tree: got %v, want %v", got, want)
	}
}
