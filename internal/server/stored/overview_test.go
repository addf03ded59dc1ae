package stored_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// at is the parameter to: some minutes after the first profile.
func at(minute int) string {
	return fmt.Sprint(servertest.Start.Add(time.Duration(minute) * time.Minute).UnixMilli())
}

func overviewOf(t *testing.T, l *servertest.Live, minute int, more string) api.Overview {
	t.Helper()
	return servertest.Decode[api.Overview](t, l.Get("/api/v1/overview?to="+at(minute)+more))
}

// heap and goroutines are profiles of one stack.
func heap(bytes int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "alloc_space", Unit: "bytes"}, profile.ValueType{Type: "inuse_space", Unit: "bytes"})
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function("main.main", "main.main", "main.go", 1), Line: 1})}, nil, 1<<40, bytes)
	return b.Profile()
}

func goroutines(n int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "goroutine", Unit: "count"})
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function("main.main", "main.main", "main.go", 1), Line: 1})}, nil, n)
	return b.Profile()
}

func TestOverview(t *testing.T) {
	l := servertest.NewLive(t, nil)
	const hour = 60
	now := 30 * hour
	cpu := func(service string, minute int, samples int64, instance, version string) {
		l.PutProfile(took(map[string]int64{"main.work": samples}), minute, 10*time.Second,
			"service", service, "kind", "cpu", "instance", instance, "version", version)
	}
	for i := range 3 { // three instances of half a core, and before two of a quarter
		cpu("shop", now-5, 500, fmt.Sprint("b", i), "v2")
		cpu("shop", now-10, 500, fmt.Sprint("b", i), "v2")
		l.PutProfile(heap(100<<20), now-5, 0, "service", "shop", "kind", "heap", "instance", fmt.Sprint("b", i), "version", "v2")
		l.PutProfile(goroutines(40), now-5, 0, "service", "shop", "kind", "goroutine", "instance", fmt.Sprint("b", i), "version", "v2")
	}
	for i := range 2 {
		cpu("shop", now-50, 250, fmt.Sprint("a", i), "v1")
		cpu("shop", now-20*hour, 250, fmt.Sprint("a", i), "v1")
		cpu("shop", now-29*hour, 250, fmt.Sprint("a", i), "v1")
	}
	cpu("small", now-3, 100, "x", "")
	cpu("gone", now-26*hour, 900, "x", "v1")
	l.PutProfile(took(map[string]int64{"main.work": 1}), now-4, 0, "service", "mutexes", "kind", "mutex")

	o := overviewOf(t, l, now, "")
	var names []string
	for _, s := range o.Services {
		names = append(names, s.Name)
	}
	if want := []string{"shop", "small", "mutexes", "gone"}; !slices.Equal(names, want) || o.Left != 0 {
		t.Fatalf("the services are %q, want %q; %d left", names, want, o.Left)
	}
	shop := o.Services[0]
	if shop.Instances != 3 || shop.Version != "v2" || shop.Previous != "v1" || shop.Versions != 2 || shop.Running != 1 {
		t.Errorf("shop is told as %+v", shop)
	}
	if want := servertest.Start.Add(time.Duration(now-10) * time.Minute).UnixMilli(); shop.Since != want {
		t.Errorf("v2 is told to run since %d, want %d", shop.Since, want)
	}
	if c := shop.CPU; c == nil || c.Now == nil || *c.Now != 1.5 || math.Abs(c.Mean-0.4) > 1e-9 {
		t.Errorf("CPU: %+v", c) // 5×250 and 6×500 samples of 10 ms in 10 profiles of 10 s
	}
	if o.Step != time.Hour.Milliseconds() || o.From%o.Step != 0 || len(shop.CPU.Values) != 24 {
		t.Fatalf("%d windows of %d ms from %d", len(shop.CPU.Values), o.Step, o.From)
	}
	for i, want := range map[int]any{23: 0.4375, 4: 0.25, 5: nil} {
		if shop.CPU.Values[i] != want {
			t.Errorf("CPU in window %d is %v, want %v: %v", i, shop.CPU.Values[i], want, shop.CPU.Values)
		}
	}
	if m, g := shop.Memory, shop.Goroutines; m == nil || m.Now == nil || *m.Now != 314600000 || g == nil || g.Now == nil || *g.Now != 120 {
		t.Errorf("memory %+v, goroutines %+v", m, g)
	}
	if m := o.Services[2]; m.CPU != nil || m.Instances != 0 || len(m.Kinds) != 1 || m.Version != "" || m.Since != 0 {
		t.Errorf("a service without those kinds is told as %+v", m)
	}
	if g := o.Services[3]; g.CPU != nil || g.Version != "v1" {
		t.Errorf("a service that ended is told as %+v", g)
	}
	if f := overviewOf(t, l, now, "&find=SMA"); len(f.Services) != 1 || f.Services[0].Name != "small" {
		t.Errorf("found %+v", f.Services)
	}
	if f := overviewOf(t, l, now, "&limit=1"); len(f.Services) != 1 || f.Services[0].Name != "shop" || f.Left != 3 {
		t.Errorf("of one service: %+v", f)
	}
}

// An overview asks for totals only, and as often for many services as for one.
func TestOverviewIsCheap(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for i := range 60 {
		l.PutProfile(took(map[string]int64{"main.work": 100}), 0, 10*time.Second, "service", fmt.Sprint("s", i), "kind", "cpu", "instance", "a")
	}
	totals := l.Store.Totals.Load()
	o := overviewOf(t, l, 5, "")
	if n := l.Store.Totals.Load() - totals; n > 10 || l.Store.Merges.Load() != 0 {
		t.Errorf("60 services took %d questions for totals and %d merges", n, l.Store.Merges.Load())
	}
	if len(o.Services) != 60 {
		t.Errorf("%d services", len(o.Services))
	}
	// What began some minutes ago is shown in windows shorter than an hour.
	if o.Step >= time.Hour.Milliseconds() {
		t.Errorf("windows of %d ms", o.Step)
	}
}

// A version that came back runs since the newer one ended.
func TestOverviewAfterRollback(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute, version := range []string{"v1", "v1", "v2", "v2", "v1", "v1"} {
		l.PutProfile(took(map[string]int64{"main.work": 100}), 60*minute, 10*time.Second, "service", "shop", "kind", "cpu", "version", version)
	}
	got := overviewOf(t, l, 5*60+5, "").Services[0]
	if want := servertest.Start.Add(3*time.Hour + 10*time.Second).UnixMilli(); got.Version != "v1" || got.Previous != "v2" || got.Since != want {
		t.Errorf("%+v, want v1 since %d", got, want)
	}
}

// Instances that a deployment replaced count until they missed some profiles.
func TestOverviewAfterDeployment(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for minute := range 50 {
		instance, version := "a", "v1"
		if minute >= 40 {
			instance, version = "b", "v2"
		}
		l.PutProfile(took(map[string]int64{"main.work": 500}), minute, 10*time.Second, "service", "shop", "kind", "cpu", "instance", instance, "version", version)
	}
	for minute, want := range map[int]int{39: 1, 42: 2, 50: 1} {
		got := overviewOf(t, l, minute, "").Services[0]
		if got.Instances != want || got.Running != want || *got.CPU.Now != 0.5*float64(want) {
			t.Errorf("at minute %d: %d instances, %d versions, %v cores; want %d", minute, got.Instances, got.Running, *got.CPU.Now, want)
		}
	}
}

// What began after the time that changes are compared until has a top function all the same.
func TestChangesOfYoungService(t *testing.T) {
	l := servertest.NewLive(t, nil)
	l.PutProfile(took(map[string]int64{"main.work": 500}), 3, 10*time.Second, "service", "shop", "kind", "cpu", "version", "v1")
	got := servertest.Decode[api.ServiceChanges](t, l.Get("/api/v1/changes?service=shop&to="+at(5)))
	if len(got.Top) == 0 || got.Top[0].Name != "main.work" || got.Version != nil || got.Yesterday != nil {
		t.Errorf("%+v", got)
	}
}

func TestOverviewErrors(t *testing.T) {
	l := servertest.NewLive(t, nil)
	if o := overviewOf(t, l, 5, ""); o.Services == nil || len(o.Services) != 0 {
		t.Errorf("an empty store: %+v", o)
	}
	l.Fill()
	for _, test := range []struct {
		target         string
		status         int
		param, message string
	}{
		{"/api/v1/overview?limit=1001", 400, "limit", "1001"},
		{"/api/v1/overview?to=x", 400, "to", "x"},
		{"/api/v1/overview?q=cpu", 400, "q", "unknown parameter"},
		{"/api/v1/changes", 400, "service", "missing"},
		{"/api/v1/changes?service=nosuch", 404, "", `"nosuch"`},
		{"/api/v1/changes?service=api&to=x", 400, "to", "x"},
	} {
		servertest.Fails(t, l.Do("GET", test.target, ""), test.status, test.param, test.message)
	}
}

// TestChanges checks that a start page calls a change what other views do.
func TestChanges(t *testing.T) {
	type instance struct{ before, after int64 } // samples of main.work per profile
	for _, tt := range []struct {
		name      string
		rest      int64
		instances []instance
		changed   bool
	}{
		{"many samples", 5000, []instance{{1000, 2000}}, true},
		{"few samples", 50, []instance{{10, 12}}, false},
		{"instances that differ", 5000, []instance{{700, 900}, {1300, 1500}, {1000, 1200}}, false},
		{"instances that are alike", 5000, []instance{{990, 2000}, {1010, 1990}, {1000, 2010}}, true},
		{"no change", 5000, []instance{{1000, 1000}, {1010, 1010}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := servertest.NewLive(t, nil)
			const day, deployed, now = 24 * 60, 30 * 60, 34 * 60
			for i, in := range tt.instances {
				for _, minute := range []int{deployed - day + 5, deployed - day + 65, now - day - 20, now - day - 5, deployed, deployed + 65, now - 20, now - 5} {
					version, samples := "v1", in.before
					if minute >= deployed {
						version, samples = "v2", in.after
					}
					l.PutProfile(took(map[string]int64{"main.work": samples, "main.rest": tt.rest}), minute, 30*time.Second,
						"service", "shop", "kind", "cpu", "version", version, "instance", fmt.Sprint(i))
				}
			}
			target := "/api/v1/changes?service=shop&to=" + at(now)
			got := servertest.Decode[api.ServiceChanges](t, l.Get(target))
			if got.Kind != "cpu" || len(got.Top) == 0 || got.Top[0].Name != "main.rest" {
				t.Errorf("%+v", got)
			}
			for what, c := range map[string]*api.ServiceComparison{"version": got.Version, "yesterday": got.Yesterday} {
				if c == nil {
					t.Errorf("nothing is compared with the last %s", what)
					continue
				}
				i := slices.IndexFunc(c.Functions, func(f api.FunctionChange) bool { return f.Name == "main.work" })
				if (i >= 0) != tt.changed || i >= 0 && (c.Functions[i].Sure <= 0 || c.Functions[i].Before >= c.Functions[i].After) {
					t.Errorf("since the last %s: %+v", what, c)
				}
				// The share of main.rest falls; its cost stays.
				for _, f := range c.Functions {
					if (f.Name == "main.work") != (f.Cost > 0) || f.Cost < 0 {
						t.Errorf("since the last %s, the cost of %s changed by %d", what, f.Name, f.Cost)
					}
				}
				if several := len(tt.instances) > 1; several != (c.Instances > 1) {
					t.Errorf("%d instances", c.Instances)
				}
				if len(tt.instances) == 1 && len(c.Totals) != 0 {
					t.Errorf("one instance can't tell how much totals vary: %+v", c.Totals)
				}
				// The ids open the same comparison.
				l.Get("/api/v1/report/diff?profile=" + url.QueryEscape(c.Profile) + "&base=" + url.QueryEscape(c.Base))
			}
			merges := l.Store.Merges.Load()
			l.Get(target)
			if n := l.Store.Merges.Load() - merges; n != 0 {
				t.Errorf("the same question again took %d merges", n)
			}
		})
	}
}

// TestChangesPerRequest has a version with half the load and functions whose shares both change:
// per request one costs twice as much, and the other as much as before.
func TestChangesPerRequest(t *testing.T) {
	l := servertest.NewLive(t, nil)
	const day, deployed, now = 24 * 60, 30 * 60, 34 * 60
	for i := range int64(3) {
		for _, minute := range []int{deployed - day + 5, deployed - day + 65, now - day - 20, now - day - 5, deployed, deployed + 65, now - 20, now - 5} {
			version, work, rest, requests := "v1", int64(1000), int64(4000), int64(6000)
			if minute >= deployed {
				version, work, rest, requests = "v2", 1000, 2000, 3000
			}
			labels := []string{"service", "shop", "version", version, "instance", fmt.Sprint(i), "kind"}
			l.PutProfile(took(map[string]int64{"main.work": work + 5*i, "main.rest": rest + 5*i}), minute, 30*time.Second, append(labels, "cpu")...)
			l.PutProfile(requested(map[string]int64{"/": requests}), minute, time.Minute, append(labels, "requests")...)
		}
	}
	got := servertest.Decode[api.ServiceChanges](t, l.Get("/api/v1/changes?service=shop&to="+at(now)))
	for what, c := range map[string]*api.ServiceComparison{"version": got.Version, "yesterday": got.Yesterday} {
		if c == nil || !c.PerRequest || c.Unit != "nanoseconds" || len(c.Functions) != 1 || c.Functions[0].Name != "main.work" || c.Functions[0].Cost != 1 {
			t.Errorf("since the last %s: %+v", what, c)
			continue
		}
		if f := c.Functions[0]; math.Abs(f.After/f.Before-2) > 0.01 || math.Abs(f.Before-1e7*1005/3000) > 1e4 {
			t.Errorf("since the last %s: %+v", what, f)
		}
		if what == "version" { // work costs twice as much per request, and is a third of the total
			if len(c.Totals) != 1 || !c.Totals[0].PerRequest || c.Totals[0].Kind != "cpu" || c.Totals[0].Sure <= 0 ||
				math.Abs(c.Totals[0].After/c.Totals[0].Before-1.2) > 0.01 {
				t.Errorf("the total since the last version: %+v", c.Totals)
			}
		}
		// The ids open the same comparison.
		d := servertest.Decode[map[string]any](t, l.Get("/api/v1/report/diff?profile="+url.QueryEscape(c.Profile)+"&base="+url.QueryEscape(c.Base)))
		if len(d) == 0 || !strings.Contains(c.Profile, "per=request") || !strings.Contains(c.Base, "per=request") {
			t.Errorf("since the last %s: %s, %s", what, c.Profile, c.Base)
		}
	}
	h := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="shop"}`, 0, now).Encode()))
	if len(h.Versions) != 2 || !h.Versions[0].Counted || !h.Versions[1].Counted {
		t.Errorf("versions %+v", h.Versions)
	}
	// A history per request has the same costs, and says whether they changed.
	per := servertest.Decode[api.History](t, l.Get("/api/v1/history?"+servertest.Between(`cpu{service="shop"}`, 0, now, "per", "request", "rank", "change").Encode()))
	if len(per.Versions) != 2 || len(per.Functions) == 0 || len(per.Requests) != len(per.Time) || h.Requests != nil || h.Versions[0].Requests != 0 {
		t.Fatalf("%+v", per)
	}
	f := per.Functions[slices.IndexFunc(per.Functions, func(f api.FunctionHistory) bool { return f.Name == "main.work" })]
	before, after := float64(f.Versions.Flat[0])/per.Versions[0].Requests, float64(f.Versions.Flat[1])/per.Versions[1].Requests
	if math.Abs(after/before-2) > 0.01 || math.Abs(before-1e7*1005/3000) > 1e4 {
		t.Errorf("main.work costs %g and %g ns per request", before, after)
	}
	// An instance takes as long as before, with half the load.
	i := slices.IndexFunc(h.Functions, func(f api.FunctionHistory) bool { return f.Name == "main.work" })
	if f.Change == nil || f.Change.Cost != 1 || h.Functions[i].Change.Cost != 0 {
		t.Errorf("its change is %+v per request, and %+v per second", f.Change, h.Functions[i].Change)
	}
	if per.Requests[0] <= 0 {
		t.Errorf("requests of windows: %v", per.Requests)
	}
}

// Totals are judged by instances: those of a day ago used half as much.
func TestChangesOfTotals(t *testing.T) {
	l := servertest.NewLive(t, nil)
	const day, now = 24 * 60, 30 * 60
	for i := range int64(3) {
		for _, minute := range []int{now - day - 70, now - day - 15, now - 70, now - 15} {
			twice := int64(1)
			if minute > now-day {
				twice = 2
			}
			labels := []string{"service", "shop", "instance", fmt.Sprint(i), "version", "v1", "kind"}
			l.PutProfile(took(map[string]int64{"main.work": twice * (1000 + 5*i)}), minute, 30*time.Second, append(labels, "cpu")...)
			l.PutProfile(goroutines(100+i), minute, 0, append(labels, "goroutine")...)
		}
	}
	got := servertest.Decode[api.ServiceChanges](t, l.Get("/api/v1/changes?service=shop&to="+at(now)))
	if got.Version != nil {
		t.Errorf("the first version is compared with an earlier one: %+v", got.Version)
	}
	if y := got.Yesterday; y == nil || len(y.Totals) != 1 || y.Totals[0].Kind != "cpu" || math.Abs(y.Totals[0].After-2*y.Totals[0].Before) > 1e-3 || y.Totals[0].Sure <= 0 {
		t.Errorf("%+v", y)
	}
}
