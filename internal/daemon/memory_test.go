package daemon

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// TestMemoryLimit checks that the limit follows from the settings, and that the
// user's has the last word.
func TestMemoryLimit(t *testing.T) {
	c := DefaultConfig("")
	before := c.memoryLimit()
	if before < int64(c.Server.InFlight)+int64(c.Queries.Cache) {
		t.Errorf("the limit is %d", before)
	}
	c.Server.InFlight += 1 << 20
	if got := c.memoryLimit(); got != before+1<<20 {
		t.Errorf("with a megabyte more to be sent at a time it is %d, not %d", got, before+1<<20)
	}
	// What is in use decides, up to that. While requests are few, their room is that of
	// what isn't counted.
	for _, test := range []struct{ caches, stored, requests, want int64 }{
		{0, 0, 0, 176 << 20}, {0, 40 << 20, 90 << 20, 176 << 20}, {0, 0, 300 << 20, 380 << 20}, {0, 248 << 20, 300 << 20, 580 << 20},
		{400 << 20, 0, 0, 676 << 20}, {400 << 20, 0, 100 << 20, 680 << 20}, {0, 0, 1 << 40, c.memoryLimit()},
	} {
		if got := c.memoryLimitFor(test.caches, test.stored, test.requests); got != test.want {
			t.Errorf("with %d bytes in caches, %d in the store and %d in requests it is %d, want %d", test.caches, test.stored, test.requests, got, test.want)
		}
	}
	kept := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(kept)
	for set, want := range map[string]int64{"1GiB": kept, "": c.memoryLimit()} {
		debug.SetMemoryLimit(kept)
		c.limitMemory(func(name string) string {
			if name != "GOMEMLIMIT" {
				t.Errorf("asks for %s", name)
			}
			return set
		})
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("with GOMEMLIMIT=%q it is %d, want %d", set, got, want)
		}
	}
}

// A selection whose merged profile takes more memory than one question may is refused with 413, as a
// profile and in reports, and a smaller one is answered. Afterwards no memory is taken.
func TestMergeTooLarge(t *testing.T) {
	const depth, leaves, records = 4000, 100, 10
	h := newHostileServer(t, hostile.Plain)
	h.memory, h.metrics = ingest.NewMemory(24<<20), prometheus.NewRegistry()
	if err := h.assemble(t.Context(), hostileReach); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.markers.Close)
	labels, err := store.NewLabels(store.Label{Name: store.LabelService, Value: "deep"}, store.Label{Name: store.LabelKind, Value: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now().Add(-time.Hour).Truncate(time.Minute)
	for n := range records {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		location := func(i int) uint32 {
			return b.Location(uint64(i), 0, profile.Line{Function: b.Function("main.deep", "", "", int64(i))})
		}
		stack := make([]uint32, depth)
		for i := range stack {
			stack[i] = location(i)
		}
		for leaf := range leaves {
			stack[0] = location(depth + n*leaves + leaf)
			b.Sample(stack, nil, 1)
		}
		r := store.Record{Labels: labels, Time: start.Add(time.Duration(n) * time.Minute).UnixNano(), Duration: 1e9, Profile: b.Profile()}
		r.ID[0] = byte(n + 1)
		if err := h.store.Put(t.Context(), []store.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(route string, from, to time.Time) (int, string) {
		v := url.Values{"q": {`{service="deep"}`}, "from": {fmt.Sprint(from.UnixMilli())}, "to": {fmt.Sprint(to.UnixMilli())}}
		target := route + v.Encode()
		if strings.HasSuffix(route, "profile=") {
			target = route + url.QueryEscape("sel:"+v.Encode())
		}
		w := h.do("GET", target, "", "*/*")
		return w.Code, w.Body.String()
	}
	for _, route := range []string{"/api/v1/pprof?", "/api/v1/report/top?profile=", "/api/v1/report/flame?profile=", "/api/v1/report/proto?profile="} {
		for _, c := range []struct{ minutes, want int }{{records, http.StatusRequestEntityTooLarge}, {1, http.StatusOK}} {
			code, body := ask(route, start, start.Add(time.Duration(c.minutes)*time.Minute))
			if code != c.want || c.want != http.StatusOK && !strings.Contains(body, "memory") {
				t.Errorf("%s of %d minutes: %d, want %d: %.300q", route, c.minutes, code, c.want, body)
			}
		}
	}
	for begun := time.Now(); h.memory.Used() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%d bytes are still taken", h.memory.Used())
		}
	}
}
