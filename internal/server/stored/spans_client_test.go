package stored_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/server/servertest"
)

func TestMain(m *testing.M) { ingesttest.Main(m) }

// TestRealSpans checks the flame graphs of spans of a real program with otel-profiling-go and
// Pyroscope's agent.
func TestRealSpans(t *testing.T) {
	l := servertest.NewLive(t, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = servertest.Host
		l.ServeHTTP(w, r)
	}))
	defer server.Close()
	agent := ingesttest.StartAgent(t, "spans", nil, "-addr", server.URL, "-name", "shop")
	for end := time.Now().Add(time.Minute); !strings.Contains(agent.Output(), "\nsent\n"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program has sent nothing for a minute")
		}
	}
	// The samples of a child belong to the span that began in the process.
	functions := map[string][]string{"cart": {"main.cart", "main.price"}, "home": {"main.home"}, "old": {"main.old"}}
	traces, seen := map[string]string{}, 0
	for _, line := range strings.Split(agent.Output(), "\n") {
		f := strings.Fields(line)
		if len(f) != 3 || functions[f[0]] == nil {
			continue
		}
		seen++
		traces[f[1]] = f[2]
		text := l.Get("/api/v1/report/top?format=text&trim=false&profile=" + servertest.Sel(map[string][]string{"q": {`cpu{service="shop"}`}, "span": {f[1]}}))
		for name, of := range functions {
			for _, function := range of {
				if strings.Contains(text, function) != (name == f[0]) {
					t.Errorf("the span of %s, and %s:\n%s", f[0], function, text)
				}
			}
		}
	}
	if seen != 3 {
		t.Fatalf("%d spans, want 3", seen)
	}
	v := servertest.Decode[api.Exemplars](t, l.Get(`/api/v1/exemplars?step=2s&from=-5m&q=cpu{service="shop"}`))
	found := 0
	for _, e := range v.Exemplars {
		if s := e.Span; s != nil {
			found++
			if trace, ok := traces[s.ID]; !ok || s.Trace != strings.Trim(trace, "-") {
				t.Errorf("the exemplar %+v is of no span of the program", s)
			}
		}
	}
	if found == 0 {
		t.Errorf("no exemplar has a span: %+v", v.Exemplars)
	}
}
