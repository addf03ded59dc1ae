package stored_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
)

// slowMinute puts in ten minutes of three instances, whose profiles take 10 s. In the sixth
// minute, instance b is busy.
func slowMinute(l *servertest.Live) {
	for minute := range 10 {
		for i, instance := range []string{"a", "b", "c"} {
			samples := map[string]int64{"main.work": 100 + int64(i)}
			if minute == 5 && instance == "b" {
				samples["main.slow"] = 400
			}
			l.PutProfile(took(samples), minute, 10*time.Second, "service", "shop", "kind", "cpu", "instance", instance)
		}
	}
}

func heatOf(t *testing.T, l *servertest.Live, more ...string) api.HeatMap {
	t.Helper()
	return servertest.Decode[api.HeatMap](t, l.Get("/api/v1/heat?"+servertest.Between("cpu", 0, 10, more...).Encode()))
}

// cellsOf prints the cells of a row.
func cellsOf(h api.HeatMap, row int) string {
	var all []string
	for i, r := range h.Row {
		if r == row {
			all = append(all, fmt.Sprintf("%d:%v", (h.Time[h.Column[i]]-h.From)/60_000, h.Value[i]))
		}
	}
	return strings.Join(all, " ")
}

// TestHeat checks that a heat map shows the instance and the minute that differ, and has the
// values of series.
func TestHeat(t *testing.T) {
	l := servertest.NewLive(t, nil)
	slowMinute(l)
	merges := l.Store.Merges.Load()

	h := heatOf(t, l, "step", "1m", "per", "second")
	if h.Label != "instance" || h.Unit != "nanoseconds" || h.Step != 60_000 || len(h.Time) != 10 || len(h.Row) != 30 || len(h.Warnings) != 0 {
		t.Fatalf("%+v", h)
	}
	var labels []string
	for _, r := range h.Rows {
		labels = append(labels, r.Label)
	}
	if !slices.Equal(labels, []string{"b", "c", "a"}) {
		t.Errorf("rows are %v, want the largest first", labels)
	}
	busy := "0:1.01e+08 1:1.01e+08 2:1.01e+08 3:1.01e+08 4:1.01e+08 5:5.01e+08 6:1.01e+08 7:1.01e+08 8:1.01e+08 9:1.01e+08"
	if got := cellsOf(h, 0); got != busy {
		t.Errorf("the busy instance has %s, want %s", got, busy)
	}
	series := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between("cpu", 0, 10, "step", "1m", "per", "second", "by", "instance").Encode()))
	for i, one := range series.Series {
		row := slices.IndexFunc(h.Rows, func(r api.HeatRow) bool { return r.Label == one.Labels["instance"] })
		if row < 0 || h.Rows[row].Value != one.Total.Value || h.Rows[row].Profiles != one.Total.Profiles {
			t.Errorf("series %d has the total %+v, and the heat map %+v", i, one.Total, h.Rows[max(row, 0)])
		}
	}

	// Ten minutes make columns of 5 s, most of which would have no profile.
	if usual := heatOf(t, l, "per", "second"); usual.Step != 60_000 || cellsOf(usual, 0) != busy {
		t.Errorf("without a step, columns are of %d ms: %s", usual.Step, cellsOf(usual, 0))
	}

	if one := heatOf(t, l, "limit", "1", "step", "1m"); len(one.Rows) != 1 || one.Left != 2 || len(one.Row) != 10 {
		t.Errorf("one row: %+v", one)
	}

	h = heatOf(t, l, "values", "1", "limit", "4", "step", "5m", "per", "second")
	if h.Label != "" || len(h.Rows) != 4 || h.Rows[0].Low != 0 || h.Rows[3].High != 5.01e8 {
		t.Fatalf("by value: %+v", h)
	}
	var counts []int64
	for _, r := range h.Rows {
		counts = append(counts, r.Profiles)
	}
	if want := []int64{29, 0, 0, 1}; !slices.Equal(counts, want) {
		t.Errorf("rows by value have %d profiles, want %d", counts, want)
	}
	if got := cellsOf(h, 3); got != "5:5.01e+08" {
		t.Errorf("the busy profile is at %s", got)
	}
	if n := l.Store.Merges.Load() - merges; n != 0 {
		t.Errorf("heat maps merged profiles %d times, which costs more than asking for totals", n)
	}
}

// TestHeatWarns checks what a heat map says of profiles that it leaves out.
func TestHeatWarns(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	l.PutProfile(took(map[string]int64{"main.work": 1}), 4, 0, "service", "shop", "kind", "cpu")
	if h := heatOf(t, l, "per", "second"); len(h.Warnings) != 1 || !strings.Contains(h.Warnings[0], "1 profiles have no duration") {
		t.Errorf("warnings: %q", h.Warnings)
	}
	if h := heatOf(t, l, "q", `cpu{service="nosuch"}`); h.Rows == nil || len(h.Time) != 0 {
		t.Errorf("no profiles: %+v", h)
	}
}
