package runs_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/server/servertest"
)

// hostileRun writes a run with bad in all of its texts.
func hostileRun(t *testing.T, root, id, bad string, ns float64) {
	t.Helper()
	dir := filepath.Join(root, id)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	about := strings.NewReplacer("BAD", string(quoted), "ID", id).Replace(`{"schema": 1, "id": "ID", "created": "2025-01-02T00:00:00Z", "state": "partial",
		"command": ["hone", BAD], "environment": {"cpu": BAD, "go": BAD}, "head": {"name": BAD, "commit": BAD}, "base": {"name": BAD}, "notes": [BAD],
		"warnings": [BAD], "failures": [{"package": BAD, "benchmark": BAD, "why": BAD}]}`)
	for name, text := range map[string]string{"run.json": about, "base.txt": hostile.Benchmarks(bad, ns), "head.txt": hostile.Benchmarks(bad, 2*ns)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostileRuns asks for all that is told of runs whose texts are syntax somewhere. The answers
// have the parts of those about plain texts.
func TestHostileRuns(t *testing.T) {
	const a, b = "20250102-000000-beef", "20250103-000000-beef"
	asks := map[string][]string{ // by route
		"GET /api/v1/runs":           {"/api/v1/runs"},
		"GET /api/v1/runs/{id}":      {"/api/v1/runs/" + a, "/api/v1/runs/BAD"},
		"GET /api/v1/runs/{id}/load": {"/api/v1/runs/BAD/load"},
		"GET /api/v1/runs/verdicts":  {"/api/v1/runs/verdicts", "/api/v1/runs/verdicts?limit=BAD", "/api/v1/runs/verdicts?BAD=1"},
		"GET /api/v1/runs/trend":     {"/api/v1/runs/trend", "/api/v1/runs/trend?benchmark=BAD&package=BAD&unit=BAD", "/api/v1/runs/trend?limit=BAD"},
		"GET /api/v1/runs/compare":   {"/api/v1/runs/compare?run=BAD", "/api/v1/runs/compare?run=" + a + "&format=BAD"},
	}
	forms := map[string]hostile.Form{"json": hostile.JSON, "csv": hostile.CSV, "text": hostile.Lines, "markdown": hostile.Markdown, "html": hostile.HTML}
	for format := range forms {
		asks["GET /api/v1/runs/compare"] = append(asks["GET /api/v1/runs/compare"],
			"/api/v1/runs/compare?download=1&run="+a+"&format="+format, "/api/v1/runs/compare?run="+a+"&run="+b+"&format="+format)
	}
	type shape struct {
		status int
		parts  []string
	}
	ask := func(bad string) map[string]shape {
		root := t.TempDir()
		hostileRun(t, root, a, bad, 500)
		hostileRun(t, root, b, bad, 900)
		kept, err := runs.Open(t.Context(), root, nil, func(context.Context) []objective.Objective { return nil }, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := servertest.NewSite(t, func(c *servertest.Config) { c.Runs = kept })
		for _, pattern := range s.Patterns() {
			if strings.Contains(pattern, " /api/v1/runs") && asks[pattern] == nil {
				t.Errorf("%s isn't asked about hostile runs: add it to asks", pattern)
			}
		}
		out := map[string]shape{}
		for _, targets := range asks {
			for _, target := range targets {
				w := servertest.Ask(s, strings.ReplaceAll(target, "BAD", strings.ReplaceAll(url.QueryEscape(bad), "+", "%20")))
				u, _ := url.Parse(target)
				form := hostile.JSON
				if f := forms[u.Query().Get("format")]; f != "" && w.Code == http.StatusOK {
					form = f
				}
				parts, err := hostile.Parts(form, w.Body.String())
				if err != nil {
					t.Errorf("%s of %.60q: %v", target, bad, err)
				}
				out[target] = shape{w.Code, parts}
			}
		}
		return out
	}
	want := ask(hostile.Plain)
	for target, plain := range want {
		if plain.status != http.StatusOK && !strings.Contains(target, "BAD") {
			t.Errorf("%s: status %d of plain texts", target, plain.status)
		}
	}
	for _, bad := range hostile.Texts {
		for target, got := range ask(bad) {
			if got.status != want[target].status || !slices.Equal(got.parts, want[target].parts) {
				t.Errorf("%s of %.60q: status %d and %d parts, want %d and %d", target, bad, got.status, len(got.parts), want[target].status, len(want[target].parts))
			}
		}
	}
}
