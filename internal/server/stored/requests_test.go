package stored_test

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// requested is a profile of requests as the agent sends it.
func requested(counts map[string]int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "requests", Unit: "count"})
	for endpoint, n := range counts {
		at := b.Location(0, 0, profile.Line{Function: b.Function(endpoint, endpoint, "", 0)})
		b.Sample([]uint32{at}, []profile.Label{{Key: b.String("endpoint"), Str: b.String(endpoint)}}, n)
	}
	return b.Profile()
}

// worked is a CPU profile of 10 ms a sample, in which endpoints took so many samples.
func worked(samples map[string]int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for endpoint, n := range samples {
		at := b.Location(0, 0, profile.Line{Function: b.Function("main.serve", "main.serve", "main.go", 1)})
		var labels []profile.Label
		if endpoint != "" {
			labels = []profile.Label{{Key: b.String("endpoint"), Str: b.String(endpoint)}}
		}
		b.Sample([]uint32{at}, labels, n, n*1e7)
	}
	return b.Profile()
}

// busyShop puts in twenty minutes of two versions. A request takes 20 ms of CPU, and
// 30 ms from minute 10 on; then there are three times as many. Each minute has a profile
// of 10 s, and counts all requests.
func busyShop(l *servertest.Live) {
	for minute := range 20 {
		version, cart, each := "v1", int64(600), int64(2)
		if minute >= 10 {
			version, cart, each = "v2", 1800, 3
		}
		// Of a sixth of the requests, in 10 ms. A quarter of the requests are for /health,
		// which cost nothing, and a tenth of the cost is none of a request.
		labels := []string{"service", "shop", "version", version, "instance", "a"}
		work := map[string]int64{"GET /cart/{id}": cart / 6 * each * 9 / 10, "": cart / 6 * each / 10}
		l.PutProfile(worked(work), minute, 10*time.Second, append([]string{"kind", "cpu"}, labels...)...)
		l.PutProfile(requested(map[string]int64{"GET /cart/{id}": cart * 3 / 4, "/health": cart / 4}), minute, time.Minute, append([]string{"kind", "requests"}, labels...)...)
	}
	l.Put(servertest.Heap, 5, 0, "service", "shop", "kind", "heap", "version", "v1", "instance", "a")
	l.PutProfile(took(map[string]int64{"main.work": 100}), 5, 10*time.Second, "service", "other", "kind", "cpu", "instance", "b")
}

// refused returns what a request is refused with.
func refused(t *testing.T, l *servertest.Live, target string) string {
	t.Helper()
	resp := l.Do("GET", target, "")
	if resp.StatusCode != 400 {
		t.Errorf("%s: %s", target, resp.Status)
	}
	return servertest.Body(t, resp)
}

func near(got any, want float64) bool {
	x, ok := got.(float64)
	return ok && math.Abs(x-want) < 1e-6*want
}

// TestSeriesPerRequest checks that more load costs as much per request, and worse code more.
func TestSeriesPerRequest(t *testing.T) {
	l := servertest.NewLive(t, nil)
	busyShop(l)
	v := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(`cpu{service="shop"}`, 0, 20, "per", "request", "by", "version,kind").Encode()))
	if len(v.Series) != 2 || v.Step != 300_000 || len(v.Warnings) != 0 {
		t.Fatalf("%+v, want two versions in windows of five minutes", v)
	}
	for i, want := range []float64{20e6, 30e6} {
		s := v.Series[i]
		if !near(s.Total.Value, want) || len(s.Value) != 2 || !near(s.Value[0], want) || !near(s.Value[1], want) {
			t.Errorf("version %d costs %v, over time %v; want %v", i+1, s.Total.Value, s.Value, want)
		}
	}
}

func TestReportPerRequest(t *testing.T) {
	l := servertest.NewLive(t, nil)
	busyShop(l)
	top := func(q string, from, to int, more ...string) string {
		return l.Get("/api/v1/report/top?format=text&profile=" + servertest.Sel(servertest.Between(q, from, to, append(more, "per", "request")...)))
	}
	for _, c := range []struct{ text, want string }{
		{top(`cpu{service="shop"}`, 0, 10), "20ms"},
		{top(`cpu{service="shop"}`, 10, 20), "30ms"},
		{top(`{kind=~"cpu|mutex", service="shop", version="v2"}`, 0, 20), "30ms"},
		{top(`cpu{service="shop"}`, 0, 20, "except", "1790000000000-1790000000001"), "27.50ms"}, // of four requests, three cost 30 ms
	} {
		if !strings.Contains(c.text, c.want) || !strings.Contains(c.text, "main.serve") {
			t.Errorf("want %s, have\n%s", c.want, c.text)
		}
	}
	// Another version counts its own requests.
	both := l.Get("/api/v1/report/diff?format=text&profile=" + servertest.Sel(servertest.Between(`cpu{version="v2"}`, 0, 20, "per", "request")) +
		"&base=" + servertest.Sel(servertest.Between(`cpu{version="v1"}`, 0, 20, "per", "request")))
	if !strings.Contains(both, "20ms") || !strings.Contains(both, "30ms") {
		t.Errorf("the difference is\n%s", both)
	}
}

func TestPerRequestRefused(t *testing.T) {
	l := servertest.NewLive(t, nil)
	busyShop(l)
	for _, c := range []struct{ path, says string }{
		{"report/top?profile=" + servertest.Sel(servertest.Between(`cpu{service="other"}`, 0, 20, "per", "request")), "no requests of these processes were counted"},
		{"report/top?profile=" + servertest.Sel(servertest.Between(`heap{service="shop"}`, 0, 20, "per", "request")), "no values per second or per request"},
		{"series?" + servertest.Between("cpu", 0, 20, "per", "request", "top", "0.1").Encode(), "can't be used with top or id"},
		{"heat?" + servertest.Between("cpu", 0, 20, "per", "request").Encode(), "can't be per request"},
		{"series?" + url.Values{"per": {"requests"}}.Encode(), "use sum, profile, second or request"},
	} {
		if text := refused(t, l, "/api/v1/"+c.path); !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, want %q", c.path, text, c.says)
		}
	}
	v := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+servertest.Between(`cpu{service="other"}`, 0, 20, "per", "request").Encode()))
	if len(v.Series) != 1 || v.Series[0].Total.Value != nil || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "no requests were counted") {
		t.Errorf("a service without counts has %+v", v)
	}
}

// TestFewCount checks that a service of which few processes count their requests has no cost
// per request: it would be too high.
func TestFewCount(t *testing.T) {
	l := servertest.NewLive(t, nil)
	for _, instance := range []string{"a", "b", "c", "d"} {
		l.PutProfile(took(map[string]int64{"main.work": 100}), 0, 30*time.Second, "service", "shop", "kind", "cpu", "instance", instance)
	}
	l.PutProfile(requested(map[string]int64{"/": 60}), 0, 30*time.Second, "service", "shop", "kind", "requests", "instance", "a")
	sel := servertest.Sel(servertest.Between("cpu", 0, 1, "per", "request"))
	if text := refused(t, l, "/api/v1/report/top?profile="+sel); !strings.Contains(text, "no requests of these processes were counted") {
		t.Errorf("one of four counts, and the answer is %s", text)
	}
	only := servertest.Sel(servertest.Between(`cpu{instance="a"}`, 0, 1, "per", "request"))
	if text := l.Get("/api/v1/report/top?format=text&profile=" + only); !strings.Contains(text, "16.67ms") {
		t.Errorf("the one that counts has\n%s", text)
	}
}

// TestUnevenProfiles checks that the cost of a request doesn't depend on when profiles are
// frequent. By day, there are ten times as many requests, and a profile in an hour. At night,
// a profile in a minute. A request takes 20 ms.
func TestUnevenProfiles(t *testing.T) {
	l := servertest.NewLive(t, nil)
	labels := []string{"service", "shop", "version", "v1", "instance", "a"}
	for minute := 0; minute < 240; minute += 15 {
		load := int64(600) // requests a minute
		if minute >= 120 {
			load = 60
		}
		l.PutProfile(requested(map[string]int64{"/": load * 15}), minute, 15*time.Minute, append([]string{"kind", "requests"}, labels...)...)
		for m := minute; m < minute+15; m++ {
			if m >= 120 || m%60 == 0 {
				l.PutProfile(worked(map[string]int64{"/": load / 6 * 2}), m, 10*time.Second, append([]string{"kind", "cpu"}, labels...)...)
			}
		}
	}
	sel := servertest.Between("cpu", 0, 240, "per", "request")
	if text := l.Get("/api/v1/report/top?format=text&profile=" + servertest.Sel(sel)); !strings.Contains(text, "20ms") {
		t.Errorf("a request costs\n%s", text)
	}
	for _, points := range []string{"1", "20"} {
		sel.Set("points", points)
		if v := servertest.Decode[api.OverTime](t, l.Get("/api/v1/series?"+sel.Encode())); !near(v.Series[0].Total.Value, 20e6) {
			t.Errorf("with %s windows, a request costs %v", points, v.Series[0].Total.Value)
		}
	}
}
