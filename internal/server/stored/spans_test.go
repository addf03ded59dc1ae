package stored_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/profile"
)

// A tracedSpan is what a profile has of a span.
type tracedSpan struct {
	id, name, trace string
	function        string
	samples         int64
}

// traced is a CPU profile of spans, with labels as otel-profiling-go sets them.
func traced(spans ...tracedSpan) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	main := b.Location(0, 0, profile.Line{Function: b.Function("main.main", "main.main", "main.go", 1), Line: 1})
	label := func(key, value string) profile.Label { return profile.Label{Key: b.String(key), Str: b.String(value)} }
	for _, s := range spans {
		var labels []profile.Label
		switch {
		case s.trace != "":
			labels = []profile.Label{label("span_id", s.id), label("span_name", s.name), label("trace_id", s.trace)}
		case s.id != "": // as before version 0.5
			labels = []profile.Label{label("profile_id", s.id)}
		}
		at := b.Location(0, 0, profile.Line{Function: b.Function(s.function, s.function, "main.go", 10), Line: 10})
		b.Sample([]uint32{at, main}, labels, s.samples, s.samples*1e7)
	}
	return b.Profile()
}

const (
	spanA, spanB, spanC = "00000000000000aa", "00000000000000bb", "00000000000000cc"
	traceA              = "0000000000000000000000000000000a"
)

// tracedShop puts in three minutes. Span A goes from the first into the second.
func tracedShop(l *servertest.Live) {
	at := func(minute int, spans ...tracedSpan) {
		l.PutProfile(traced(spans...), minute, 10*time.Second, "service", "shop", "kind", "cpu", "version", "v1", "instance", "i")
	}
	at(0, tracedSpan{spanA, "GET /cart", traceA, "main.cart", 30}, tracedSpan{spanB, "GET /", traceA, "main.home", 10}, tracedSpan{"", "", "", "main.idle", 5})
	at(1, tracedSpan{spanA, "GET /cart", traceA, "main.price", 4}, tracedSpan{spanC, "", "", "main.old", 50})
	at(2, tracedSpan{"", "", "", "main.idle", 7})
}

// TestSpan checks that a selection of a span has its samples, in whatever profile they are.
func TestSpan(t *testing.T) {
	l := servertest.NewLive(t, nil)
	tracedShop(l)
	for _, c := range []struct{ span, want string }{
		{spanA, "main.cart 300 main.price 40"},
		{strings.ToUpper(spanB), "main.home 100"},
		{spanC, "main.old 500"},
	} {
		id := servertest.Sel(servertest.Between(`cpu{service="shop"}`, 0, 3, "span", c.span))
		var got []string
		for _, line := range strings.Split(l.Get("/api/v1/report/top?format=text&unit=ms&trim=false&profile="+id), "\n") {
			if f := strings.Fields(line); len(f) == 6 && strings.HasPrefix(f[5], "main.") && f[0] != "0" {
				got = append(got, f[5]+" "+strings.TrimSuffix(f[0], "ms"))
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("span %s: %s, want %s", c.span, text, c.want)
		}
		if flame := l.Get("/api/v1/report/flame?profile=" + id); !strings.Contains(flame, strings.Fields(c.want)[0]) || strings.Contains(flame, "main.idle") {
			t.Errorf("the flame graph of span %s is %s", c.span, flame)
		}
	}
	info := servertest.Decode[struct{ Profile api.Info }](t, l.Get("/api/v1/profiles/"+servertest.Sel(servertest.Between(`cpu{service="shop"}`, 0, 3, "span", spanA)))).Profile
	if info.Selection.Span != spanA || !strings.Contains(info.Name, "in span "+spanA) {
		t.Errorf("%+v, %+v", info, info.Selection)
	}
	// All spans share a merge.
	merges := l.Store.Merges.Load()
	l.Get("/api/v1/report/top?profile=" + servertest.Sel(servertest.Between(`cpu{service="shop"}`, 0, 3, "span", spanA, "sample_type", "")))
	if n := l.Store.Merges.Load() - merges; n != 0 {
		t.Errorf("another report takes %d merges", n)
	}
}

func TestSpanRefused(t *testing.T) {
	l := servertest.NewLive(t, nil)
	tracedShop(l)
	for _, c := range []struct {
		more   []string
		status int
		says   string
	}{
		{[]string{"span", "00000000000000dd"}, 404, "are in the span 00000000000000dd"},
		{[]string{"span", "xyz"}, 400, "use 16 hexadecimal digits"},
		{[]string{"span", spanA + spanA}, 400, "use 16 hexadecimal digits"},
		{[]string{"span", spanA, "per", "second"}, 400, "can't be used with top"},
		{[]string{"span", spanA, "top", "0.5"}, 400, "can't be used with top"},
	} {
		resp := l.Do("GET", "/api/v1/report/top?profile="+servertest.Sel(servertest.Between("cpu", 0, 3, c.more...)), "")
		if text := servertest.Body(t, resp); resp.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%v: %s %s, want %d with %q", c.more, resp.Status, text, c.status, c.says)
		}
	}
}

// TestExemplars checks that each window has its most expensive profile and span.
func TestExemplars(t *testing.T) {
	l := servertest.NewLive(t, nil)
	tracedShop(l)
	l.PutProfile(traced(tracedSpan{spanB, "GET /", traceA, "main.home", 60}), 1, 20*time.Second, "service", "shop", "kind", "cpu", "version", "v2", "instance", "long")
	v := servertest.Decode[api.Exemplars](t, l.Get("/api/v1/exemplars?"+servertest.Between(`cpu{service="shop"}`, 0, 3, "step", "1m").Encode()))
	var got []string
	for _, e := range v.Exemplars {
		line := fmt.Sprintf("%d %s %d", (e.Time-v.From)/60_000, e.Labels["version"], e.Value/1e6)
		if e.Span != nil {
			line += fmt.Sprintf(" %s %q %.3s %d", e.Span.ID[14:], e.Span.Name, e.Span.Trace, e.Span.Value/1e6)
		}
		got = append(got, line)
	}
	// The long profile has more samples, but fewer per second.
	want := []string{`0 v1 450 aa "GET /cart" 000 300`, `1 v1 540 cc ""  500`, `2 v1 70`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The links lead to the profile and the span's part of it.
	first := v.Exemplars[0]
	for id, has := range map[string]string{first.Profile: "main.idle", first.Span.Profile: "main.cart"} {
		resp := l.Do("GET", "/api/v1/report/top?trim=false&format=text&profile="+strings.ReplaceAll(strings.ReplaceAll(id, "%", "%25"), "&", "%26"), "")
		if text := servertest.Body(t, resp); resp.StatusCode != http.StatusOK || !strings.Contains(text, has) || strings.Contains(text, "main.price") {
			t.Errorf("%s: %s %s", id, resp.Status, text)
		}
	}
}
