package stored_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
)

func gridOf(t *testing.T, l *servertest.Live, query string) (report.Grid, int) {
	t.Helper()
	a := servertest.Decode[struct {
		Report report.Grid
		Rows   int
	}](t, l.Get("/api/v1/report/grid?"+query))
	return a.Report, a.Rows
}

// TestGridOfStore checks that the values of a service's labels are ordered by what a second
// of them costs, that only a page of them is read, and that a cell's id opens its part.
func TestGridOfStore(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for i := range 30 {
		for minute := range 1 + i%3 { // how long one ran doesn't matter
			l.PutProfile(took(map[string]int64{"main.work": int64(10 * (i + 1)), "main.rest": 5}), minute, 30*time.Second,
				"service", "shop", "kind", "cpu", "version", "v1", "instance", fmt.Sprintf("host%02d", i))
		}
	}
	sel := "profile=" + servertest.Sel(servertest.Between(`cpu{service="shop"}`, 0, 10, "per", "second"))
	g, rows := gridOf(t, l, sel)
	if g.By != "instance" || rows != 30 || len(g.Cells) != 24 || len(g.Labels) != 1 || g.Labels[0].Values != 30 {
		t.Fatalf("%d of %d cells by %q of %+v", len(g.Cells), rows, g.By, g.Labels)
	}
	for i, c := range g.Cells {
		want := fmt.Sprintf("host%02d", 29-i)
		if c.Value != want || c.Functions[0].Name != "main.work" || i > 0 && c.Sum.Value > g.Cells[i-1].Sum.Value {
			t.Errorf("cell %d is %s: %+v, want %s", i, c.Value, c.Sum, want)
		}
	}
	first := g.Cells[0]
	if first.Sum.Value != g.Most || first.Profiles != 3 || first.Sum.Text == "" {
		t.Errorf("the first cell is %+v, the most is %d", first, g.Most)
	}
	top := servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?profile="+url.QueryEscape(first.Profile[0]))).Report
	if top.Total.Text != first.Sum.Text {
		t.Errorf("the part has %s, its cell %s", top.Total.Text, first.Sum.Text)
	}

	found, rows := gridOf(t, l, sel+"&by=instance&find=host0&limit=4&offset=2")
	if rows != 10 || len(found.Cells) != 4 || found.Cells[0].Value != "host07" || found.Most != g.Most {
		t.Errorf("found %d: %+v", rows, found.Cells)
	}
	servertest.Fails(t, l.Do("GET", "/api/v1/report/grid?"+sel+"&by=nosuch", ""), 400, "by", "unknown label")
}
