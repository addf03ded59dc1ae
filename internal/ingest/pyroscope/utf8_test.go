package pyroscope

import (
	"slices"
	"testing"

	pb "github.com/hone-go/hone/internal/ingest/pyroscope/pyroscopepb"
)

// TestLabelNamesOfAnyText: Grafana finds labels like http/route, selects by them with quotes,
// and groups by them.
func TestLabelNamesOfAnyText(t *testing.T) {
	s := newSite(t)
	s.put("cpu.wordcount-v1.pb.gz", begin, "service", "wc", "kind", "cpu", "http/route", "/a", "größe", "1")
	s.put("cpu.wordcount-v2.pb.gz", begin, "service", "wc", "kind", "cpu", "http/route", "/b")
	names, err := call[pb.LabelNamesRequest, pb.LabelNamesResponse](s, "LabelNames", &pb.LabelNamesRequest{Start: begin - minute, End: begin + minute})
	if err != nil || !slices.Contains(names.Names, "http/route") || !slices.Contains(names.Names, "größe") {
		t.Fatalf("names %v, %v", names, err)
	}
	values, err := call[pb.LabelValuesRequest, pb.LabelValuesResponse](s, "LabelValues", &pb.LabelValuesRequest{Name: "http/route", Matchers: []string{`{"größe"="1"}`}, Start: begin - minute, End: begin + minute})
	if err != nil || !slices.Equal(values.Names, []string{"/a"}) {
		t.Errorf("values %v, %v", values, err)
	}
	both, err := call[pb.SelectSeriesRequest, pb.SelectSeriesResponse](s, "SelectSeries", &pb.SelectSeriesRequest{ProfileTypeID: cpuType, LabelSelector: `{"http/route"=~"/.*"}`,
		GroupBy: []string{"http/route"}, Start: begin - minute, End: begin + minute, Step: 60})
	if err != nil || len(both.Series) != 2 || both.Series[0].Labels[0].Name != "http/route" {
		t.Errorf("series %v, %v", both, err)
	}
}
