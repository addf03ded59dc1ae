package runs_test

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/servertest"
)

func TestRuns(t *testing.T) {
	s := servertest.NewRuns(t, &servertest.Runs{})
	for _, test := range []struct {
		path   string
		status int
		body   string // contained
		header string // of the content type, or the disposition
	}{
		{"/api/v1/runs", 200, `{"dir":"a","runs":null}`, "application/json"},
		{"/api/v1/runs/20261121-1", 200, `{"id":"20261121-1",`, "application/json"},
		{"/api/v1/runs/missing", 404, "no run missing", ""},
		{"/api/v1/runs/broken", 422, "no JSON", ""},
		{"/api/v1/runs/a?x=1", 400, `"param":"x"`, ""},
		{"/api/v1/runs/a/load", 200, `{"id":"a"`, "application/json"},
		{"/api/v1/runs/missing/load", 404, "no run missing", ""},
		{"/api/v1/runs/a/load?x=1", 400, `"param":"x"`, ""},
		{"/api/v1/runs/compare?run=a&run=b", 200, "json: a b", "application/json"},
		{"/api/v1/runs/compare?run=a&format=csv", 200, "csv: a", "text/csv"},
		{"/api/v1/runs/compare?run=a&run=b&format=markdown&download=1", 200, "markdown: a b", "a-b.md"},
		{"/api/v1/runs/compare?run=a&format=html", 200, "html: a", "a.html"}, // always a file
		{"/api/v1/runs/compare", 400, `"param":"run"`, ""},
		{"/api/v1/runs/compare?run=a&format=pdf", 400, `"param":"format"`, ""},
		{"/api/v1/runs/compare?run=a" + strings.Repeat("&run=b", 20), 400, "too many runs: 21", ""},
		{"/api/v1/runs/trend?unit=sec/op", 200, `Unit:sec/op Limit:200`, "application/json"},
		{"/api/v1/runs/trend?limit=0", 400, `"param":"limit"`, ""},
		{"/api/v1/runs/trend?unit=a&unit=b", 400, `"param":"unit"`, ""},
		{"/api/v1/runs/verdicts", 200, `"summary":"50"`, "application/json"},
		{"/api/v1/runs/verdicts?limit=7", 200, `"summary":"7"`, ""},
		{"/api/v1/runs/verdicts?limit=-1", 400, `"param":"limit"`, ""},
	} {
		w := servertest.Ask(s, test.path)
		headers := w.Header().Get("Content-Type") + w.Header().Get("Content-Disposition")
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || !strings.Contains(headers, test.header) {
			t.Errorf("%s: %d %s %s, want %d %s %s", test.path, w.Code, headers, w.Body, test.status, test.header, test.body)
		}
	}
}

func TestNoRuns(t *testing.T) {
	s := servertest.NewRuns(t, nil)
	for _, path := range []string{"/api/v1/runs", "/api/v1/runs/a", "/api/v1/runs/a/load", "/api/v1/runs/compare?run=a", "/api/v1/runs/trend", "/api/v1/runs/verdicts"} {
		if w := servertest.Ask(s, path); w.Code != 404 || !strings.Contains(w.Body.String(), "hone bench") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := servertest.Ask(s, "/api/v1/profiles"); strings.Contains(w.Body.String(), `"runs"`) {
		t.Errorf("there are no runs, but: %s", w.Body)
	}
}
