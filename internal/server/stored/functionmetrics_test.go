package stored_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/server/servertest"
)

// metricsOf sets a server's function metrics.
func metricsOf(t *testing.T, c *servertest.Config, rules ...fnmetrics.RuleConfig) {
	t.Helper()
	plan, err := fnmetrics.Compile(fnmetrics.Config{Budget: 1, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	c.Continuous.Functions = fnmetrics.NewWatch(fnmetrics.Options{Store: c.Continuous.Store, Log: func(line string) { t.Error(line) }})
	c.Continuous.Functions.Apply(plan)
}

// jsonShare is a rule about the profiles of servertest.
var jsonShare = fnmetrics.RuleConfig{
	Name: "json", Help: "JSON.", Select: "cpu", Packages: "encoding/json", Value: "share", Callees: true, By: []string{"service", "version"},
}

// TestScrape checks that scrapes show the last interval without reading profiles.
func TestScrape(t *testing.T) {
	l := servertest.NewLive(t, func(c *servertest.Config) { metricsOf(t, c, jsonShare) })
	now := time.Now()
	l.Put(servertest.CPU1, int(now.Truncate(time.Minute).Sub(servertest.Start).Minutes())-2, 10*time.Second, "service", "api", "kind", "cpu", "version", "v1")
	l.Config.Continuous.Functions.Tick(t.Context(), now)
	merges, totals := l.Store.Merges.Load(), l.Store.Totals.Load()
	text := l.Get("/metrics/profiles")
	if !strings.Contains(text, "# HELP json_ratio JSON.\n# TYPE json_ratio gauge\njson_ratio{service=\"api\",version=\"v1\"} 0.") {
		t.Errorf("got\n%s", text)
	}
	open := l.Do("GET", "/metrics/profiles", "", servertest.Header("Accept", "application/openmetrics-text; version=1.0.0"))
	text = servertest.Body(t, open)
	if !strings.HasPrefix(open.Header.Get("Content-Type"), "application/openmetrics-text; version=1.0.0") || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("got %s\n%s", open.Header.Get("Content-Type"), text)
	}
	if l.Store.Merges.Load() != merges || l.Store.Totals.Load() != totals {
		t.Error("a scrape reads the store")
	}
	list := servertest.Decode[api.FunctionMetrics](t, l.Get("/api/v1/function-metrics"))
	if len(list.Metrics) != 1 || list.Metrics[0].Unit != "ratio" || list.Metrics[0].Packages != "encoding/json" || list.Metrics[0].Interval != 60_000 {
		t.Errorf("got %+v", list)
	}
}

// TestNoRules checks that a server without rules says so.
func TestNoRules(t *testing.T) {
	l := servertest.NewLive(t, nil)
	servertest.Fails(t, l.Do("GET", "/metrics/profiles", ""), http.StatusNotFound, "", "no function metrics are configured")
	servertest.Fails(t, l.Do("GET", "/api/v1/function-metrics/json", ""), http.StatusNotFound, "", `unknown function metric "json"`)
	if text := l.Get("/api/v1/function-metrics"); strings.TrimSpace(text) != `{"metrics":[]}` {
		t.Errorf("got %s", text)
	}
}

// TestMetricHistory checks the values of a rule over time, and that windows that stay as they
// are aren't read again.
func TestMetricHistory(t *testing.T) {
	l := servertest.NewLive(t, func(c *servertest.Config) { metricsOf(t, c, jsonShare) })
	l.Fill()
	q := servertest.Between("", 0, 10, "step", "1m")
	q.Del("q")
	h := servertest.Decode[api.FunctionMetricHistory](t, l.Get("/api/v1/function-metrics/json?"+q.Encode()))
	if h.Unit != "ratio" || len(h.Time) != 4 || len(h.Series) != 3 || h.Step != 60_000 || h.Left != 0 {
		t.Fatalf("got %+v", h)
	}
	first := h.Series[0]
	if first.Labels["version"] != "v1" || *first.Values[0] < 0.5 || *first.Values[0] != *first.Values[1] || first.Values[2] != nil {
		t.Errorf("got %+v", first)
	}
	if web := h.Series[2]; *web.Values[3] != 0 || web.Labels["service"] != "web" {
		t.Errorf("got %+v", web)
	}
	merges := l.Store.Merges.Load()
	if merges != 4 {
		t.Errorf("%d merges for four windows", merges)
	}
	l.Put(servertest.CPU1, 3, 10*time.Second, "service", "web", "kind", "cpu", "version", "v7")
	l.Get("/api/v1/function-metrics/json?" + q.Encode())
	if n := l.Store.Merges.Load() - merges; n != 1 {
		t.Errorf("%d merges after one window changed, want 1", n)
	}
	q.Set("limit", "1")
	if h := servertest.Decode[api.FunctionMetricHistory](t, l.Get("/api/v1/function-metrics/json?"+q.Encode())); h.Left != 2 || len(h.Series) != 1 {
		t.Errorf("got %d series, %d left", len(h.Series), h.Left)
	}
	servertest.Fails(t, l.Do("GET", "/api/v1/function-metrics/json?limit=0", ""), http.StatusBadRequest, "limit", "invalid limit")
}
