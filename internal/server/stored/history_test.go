package stored_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// TestHistory checks that a function's history has the figures of top.
func TestHistory(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.Fill()
	var h api.History
	for _, options := range []string{"&mine=true", ""} {
		h = servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="api"}`, 0, 10, "step", "2m", "limit", "3").Encode()+options))
		if len(h.Time) != 2 || len(h.Functions) != 3 || h.Total[0] != 2*servertest.ValueOf(t, servertest.CPU1) || h.Total[1] != servertest.ValueOf(t, servertest.CPU2) {
			t.Fatalf("%+v", h)
		}
		for i, window := range []url.Values{servertest.Between(`cpu{service="api"}`, 0, 2), servertest.Between(`cpu{service="api"}`, 2, 4)} {
			rows := map[string]report.TopRow{}
			for _, row := range servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?trim=false"+options+"&profile="+servertest.Sel(window))).Report.Rows {
				rows[row.Name] = row
			}
			for _, f := range h.Functions {
				if f.Flat[i] != rows[f.Name].Flat.Value || f.Cum[i] != rows[f.Name].Cum.Value {
					t.Errorf("%s%s in window %d: %d, %d, and top says %v, %v", f.Name, options, i, f.Flat[i], f.Cum[i], rows[f.Name].Flat, rows[f.Name].Cum)
				}
			}
		}
	}
	merges := l.Store.Merges.Load()
	l.Get("/api/v1/history?" + servertest.Between(`cpu{service="api"}`, 0, 10, "step", "2m", "limit", "50", "order", "cum").Encode())
	if n := l.Store.Merges.Load() - merges; n != 0 {
		t.Errorf("the same windows again took %d merges", n)
	}
	named := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="api"}`, 0, 10).Encode()+"&function=nosuch&function="+url.QueryEscape(h.Functions[0].Name)))
	if len(named.Functions) != 2 || named.Functions[0].Name != h.Functions[0].Name || servertest.Sum(named.Functions[1].Cum) != 0 {
		t.Errorf("named functions: %+v", named.Functions)
	}
	empty := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`{service="nosuch"}`, 0, 10).Encode()))
	if len(empty.Time) != 0 || empty.Functions == nil {
		t.Errorf("no profiles: %+v", empty)
	}
}

// took is a CPU profile in which functions took so many samples.
func took(samples map[string]int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	main := b.Location(0, 0, profile.Line{Function: b.Function("main.main", "main.main", "main.go", 1), Line: 1})
	for name, n := range samples {
		f := b.Function(name, name, "main.go", 10)
		b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: f, Line: 10}), main}, nil, n, n*1e7)
	}
	p := b.Profile()
	p.PeriodType, p.Period = profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1e7
	return p
}

// release puts in three versions of a service: the second one has main.slow, which
// the third one has mended, and main.new is the third one's. main.rare moves by chance.
func release(l *servertest.Live) {
	for minute := range 9 {
		version, samples := "v1", map[string]int64{"main.work": 100, "main.rare": 1}
		switch {
		case minute >= 6:
			version, samples = "v3", map[string]int64{"main.work": 90, "main.slow": 2, "main.new": 10}
		case minute >= 3:
			version, samples = "v2", map[string]int64{"main.work": 100, "main.slow": 100, "main.rare": 2}
		}
		l.PutProfile(took(samples), minute, 10*time.Second, "service", "shop", "kind", "cpu", "version", version)
	}
}

func historyOf(t *testing.T, l *servertest.Live, q string, more ...string) api.History {
	t.Helper()
	return servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(q, 0, 10, append([]string{"step", "1m"}, more...)...).Encode()))
}

func names(h api.History) (all []string) {
	for _, f := range h.Functions {
		all = append(all, f.Name)
	}
	return all
}

// TestHistoryVersions checks that a history tells which version changed what, and
// when, with the figures that the versions have by themselves.
func TestHistoryVersions(t *testing.T) {
	l := servertest.NewLive(t, nil)
	release(l)
	at := func(minute int) int64 { return servertest.Start.Add(time.Duration(minute) * time.Minute).UnixMilli() }
	h := historyOf(t, l, `cpu{service="shop"}`, "rank", "change")
	if got := names(h); !slices.Equal(got, []string{"main.slow", "main.work", "main.new", "main.rare"}) {
		t.Errorf("ranked by change: %v", got)
	}
	var versions []string
	for _, v := range h.Versions {
		versions = append(versions, fmt.Sprintf("%s %d %d", v.Version, v.First-at(0), v.Profiles))
		top := servertest.Decode[struct{ Report report.Top }](t, l.Get("/api/v1/report/top?trim=false&profile="+url.QueryEscape(v.Profile))).Report
		if top.Total.Value != v.Total {
			t.Errorf("%s: top of %s has a total of %d, not %d", v.Version, v.Profile, top.Total.Value, v.Total)
		}
		for _, row := range top.Rows {
			i := slices.Index(names(h), row.Name)
			if i < 0 {
				continue // main.main, which takes nothing itself
			}
			j := slices.IndexFunc(h.Versions, func(other api.HistoryVersion) bool { return other.Version == v.Version })
			if got := h.Functions[i].Versions; got.Flat[j] != row.Flat.Value || got.Cum[j] != row.Cum.Value {
				t.Errorf("%s in %s: %d, %d, and top says %v, %v", row.Name, v.Version, got.Flat[j], got.Cum[j], row.Flat, row.Cum)
			}
		}
	}
	if want := []string{"v1 0 3", "v2 180000 3", "v3 360000 3"}; !slices.Equal(versions, want) || h.Left != 0 {
		t.Errorf("versions %v, want %v", versions, want)
	}
	first := map[string]api.FirstSeen{}
	change := map[string]string{}
	for _, f := range h.Functions {
		first[f.Name] = *f.First
		change[f.Name] = fmt.Sprintf("%s at %d: %.1f to %.1f, sure %v, cost %d", f.Change.Version, (f.Change.Time-at(0))/60_000, f.Change.Before, f.Change.After, math.Abs(f.Change.Sure) > 0, f.Change.Cost)
	}
	for name, want := range map[string]api.FirstSeen{
		"main.work": {Time: at(0), Version: "v1"}, // which came then
		"main.slow": {Time: at(3), Version: "v2"},
		"main.new":  {Time: at(6), Version: "v3"},
	} {
		if first[name] != want {
			t.Errorf("%s was seen first %+v, want %+v", name, first[name], want)
		}
	}
	for name, want := range map[string]string{
		"main.work": "v2 at 3: 99.0 to 49.5, sure true, cost 0", // another function costs more
		"main.slow": "v2 at 3: 0.0 to 49.5, sure true, cost 1",
		"main.new":  "v3 at 6: 0.0 to 9.8, sure true, cost 1",
		"main.rare": "v3 at 6: 1.0 to 0.0, sure false, cost 0",
	} {
		if change[name] != want {
			t.Errorf("%s: %s, want %s", name, change[name], want)
		}
	}
	later := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="shop"}`, 4, 10, "step", "1h", "rank", "first").Encode()))
	for _, f := range later.Functions {
		if want := f.Name != "main.new"; f.First.Start != want {
			t.Errorf("%s in a window that v3 came in: %+v, want start %v", f.Name, f.First, want)
		}
	}
	if got := names(historyOf(t, l, `cpu{service="shop"}`, "rank", "first", "limit", "2")); !slices.Equal(got, []string{"main.new", "main.slow"}) {
		t.Errorf("ranked by when they came: %v", got)
	}
	if got := names(historyOf(t, l, `cpu{service="shop"}`, "limit", "1", "with", "main.rare")); !slices.Equal(got, []string{"main.work", "main.rare"}) {
		t.Errorf("with one that ranks lower: %v", got)
	}
	merges := l.Store.Merges.Load()
	historyOf(t, l, `cpu{service="shop"}`, "rank", "first", "order", "cum")
	if n := l.Store.Merges.Load() - merges; n != 0 {
		t.Errorf("the same versions again took %d merges", n)
	}
}

// TestHistoryOfOneVersion checks that without versions the ends of the time are
// compared, and that nothing is where there is nothing to compare.
func TestHistoryOfOneVersion(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 6 {
		l.PutProfile(took(map[string]int64{"main.work": 100, "main.grows": int64(20 * minute)}), minute, 10*time.Second, "service", "shop", "kind", "cpu")
	}
	h := historyOf(t, l, `cpu{service="shop"}`, "rank", "change", "limit", "1")
	if len(h.Versions) != 0 || len(h.Functions) != 1 {
		t.Fatalf("%+v", h)
	}
	c := h.Functions[0].Change // of two windows each: 20 of 220 samples, and 180 of 380
	if c == nil || c.Version != "" || c.Time != servertest.Start.Add(4*time.Minute).UnixMilli() || math.Abs(c.Before-100*20/220.) > 0.01 || math.Abs(c.After-100*180/380.) > 0.01 {
		t.Errorf("%+v", c)
	}
	one := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="shop"}`, 0, 1, "rank", "change").Encode()))
	if len(one.Functions) == 0 || one.Functions[0].Change != nil || !one.Functions[0].First.Start {
		t.Errorf("of one window: %+v", one.Functions)
	}
}
