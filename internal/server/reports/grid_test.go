package reports_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// TestGrid checks the grid of a profile's labels against the table of labels, and the parts
// that its cells name against the profile with a label filter.
func TestGrid(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.labels.pb.gz")
	type answer[R any] struct {
		Report R
		Rows   int
	}
	grid := func(query string) answer[report.Grid] {
		return servertest.Decode[answer[report.Grid]](t, s.Get(s.Report("grid", query)))
	}
	tags := servertest.Decode[answer[report.Tags]](t, s.Get(s.Report("tags", ""))).Report
	g := grid("by=endpoint")
	for _, k := range tags.Keys {
		if k.Key != "endpoint" {
			continue
		}
		if g.Rows != len(k.Values) || len(g.Report.Cells) != len(k.Values) || g.Report.Most != k.Values[0].Sum.Value {
			t.Fatalf("%d cells, %d values: %+v", g.Rows, len(k.Values), g.Report.Most)
		}
		for i, v := range k.Values {
			if c := g.Report.Cells[i]; c.Value != v.Value || c.Sum != v.Sum {
				t.Errorf("cell %d is %+v, the table has %+v", i, c, v)
			}
		}
	}
	if len(g.Report.Labels) != len(tags.Keys) {
		t.Errorf("%d labels, want %d", len(g.Report.Labels), len(tags.Keys))
	}
	for _, c := range g.Report.Cells {
		var shares float64
		for _, f := range c.Functions {
			shares += f.Cost.Percent
		}
		if len(c.Functions) == 0 || len(c.Functions) > 5 || shares > 100.01 {
			t.Errorf("%s has the functions %+v", c.Value, c.Functions)
		}
		top := func(query string) report.Top {
			return servertest.Decode[answer[report.Top]](t, s.Get("/api/v1/report/top?"+query)).Report
		}
		part := top("profile=" + url.QueryEscape(c.Profile[0]))
		filtered := top("profile=" + s.IDs[0] + "&tagfocus=" + url.QueryEscape("endpoint=^"+c.Value+"$"))
		if len(part.Rows) == 0 || len(part.Rows) != len(filtered.Rows) || part.Total.Value != c.Sum.Value {
			t.Errorf("the part of %s has %d rows and %s, with a filter %d", c.Value, len(part.Rows), part.Total.Text, len(filtered.Rows))
		}
	}
	if one := grid("by=endpoint&limit=1&offset=1&functions=2").Report; len(one.Cells) != 1 || one.Cells[0].Value != g.Report.Cells[1].Value ||
		len(one.Cells[0].Functions) != 2 || one.Most != g.Report.Most {
		t.Errorf("the second page is %+v", one)
	}
	cells := g.Report.Cells
	diff := servertest.Decode[answer[report.Diff]](t, s.Get("/api/v1/report/diff?profile="+url.QueryEscape(cells[0].Profile[0])+
		"&base="+url.QueryEscape(cells[1].Profile[0]))).Report
	if diff.HeadTotal != cells[0].Sum.Value || diff.BaseTotal != cells[1].Sum.Value {
		t.Errorf("two parts compare %d with %d", diff.HeadTotal, diff.BaseTotal)
	}
}

// TestGridOfVersions: a label of samples with one value says less than two versions.
func TestGridOfVersions(t *testing.T) {
	live := servertest.NewLive(t, nil)
	for i, version := range []string{"v1", "v2"} {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		at := b.Location(0x2000, b.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x100000, File: "shop"}), profile.Line{Function: b.Function("main.f", "main.f", "f.go", 1), Line: 1})
		b.Sample([]uint32{at}, []profile.Label{{Key: b.String("endpoint"), Str: b.String("GET /")}}, 1e9)
		live.PutProfile(b.Profile(), i, time.Second, "service", "shop", "kind", "cpu", "version", version)
	}
	g := servertest.Decode[struct{ Report report.Grid }](t, live.Get("/api/v1/report/grid?profile="+servertest.Sel(servertest.Between(`{service="shop"}`, 0, 9)))).Report
	if g.By != "version" || len(g.Cells) != 2 {
		t.Errorf("by %s, %d cells", g.By, len(g.Cells))
	}
}

func TestGridErrors(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.labels.pb.gz")
	for _, tt := range []struct {
		target, message string
		status          int
		param           string
	}{
		{s.Report("grid", "limit=0"), "use 1 to 100", 400, "limit"},
		{s.Report("grid", "limit=101"), "use 1 to 100", 400, "limit"},
		{s.Report("grid", "functions=51"), "use 0 to 50", 400, "functions"},
		{s.Report("grid", "find=("), "missing closing", 400, "find"},
		{s.Report("grid", "by=nosuch"), "unknown label", 400, "by"},
		{"/api/v1/report/top?profile=part%3Alabel%3Dx", "needs a profile", 400, "profile"},
		{"/api/v1/report/top?profile=part%3Aprofile%3Dnosuch%26label%3Dx", "no profile nosuch", 404, "profile"},
		{"/api/v1/report/top?profile=part%3A" + strings.Repeat("x", 33<<10), "longer than", 400, "profile"},
	} {
		servertest.Fails(t, s.Do("GET", tt.target, ""), tt.status, tt.param, tt.message)
	}
}
