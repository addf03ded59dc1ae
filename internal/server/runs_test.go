package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-go/hone/profile"
)

// fakeRuns answers with what it is asked, so that a test sees it.
type fakeRuns struct{ loads atomic.Int32 }

func (*fakeRuns) List(context.Context) (any, error) {
	return map[string]any{"runs": []string{"a"}}, nil
}

func (*fakeRuns) Run(_ context.Context, name string) (any, error) {
	switch name {
	case "missing":
		return nil, fmt.Errorf("no run %s: %w", name, fs.ErrNotExist)
	case "broken":
		return nil, errors.New("run.json:1: no JSON")
	}
	return map[string]string{"id": name}, nil
}

func (*fakeRuns) Compare(_ context.Context, names []string, format string) ([]byte, error) {
	return []byte(format + ": " + strings.Join(names, " ")), nil
}

func (*fakeRuns) Trend(_ context.Context, of TrendQuery) (any, error) { return of, nil }

func (f *fakeRuns) Profile(_ context.Context, name string) (Source, error) {
	id, rest, _ := strings.Cut(name, ":")
	if id != "a" {
		return Source{}, fmt.Errorf("no run %s: %w", id, fs.ErrNotExist)
	}
	rest = strings.TrimPrefix(rest, "Benchmark") // another way to name the same
	return Source{ID: id + ":" + rest, Name: id + ":" + rest, Load: func(context.Context) (*profile.Profile, error) {
		f.loads.Add(1)
		return &profile.Profile{SampleTypes: []profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}, Values: [][]int64{{}}, Strings: []string{""}}, nil
	}}, nil
}

func runsServer(t *testing.T, runs Runs) *Server {
	t.Helper()
	s, err := New(t.Context(), Config{Hosts: []string{"localhost"}, Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func askRuns(s *Server, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestRuns(t *testing.T) {
	s := runsServer(t, &fakeRuns{})
	for _, test := range []struct {
		path   string
		status int
		body   string // contained
		header string // of the content type, or the disposition
	}{
		{"/api/v1/runs", 200, `{"runs":["a"]}`, "application/json"},
		{"/api/v1/runs/20261121-1", 200, `{"id":"20261121-1"}`, "application/json"},
		{"/api/v1/runs/missing", 404, "no run missing", ""},
		{"/api/v1/runs/broken", 422, "no JSON", ""},
		{"/api/v1/runs/a?x=1", 400, `"param":"x"`, ""},
		{"/api/v1/runs/compare?run=a&run=b", 200, "json: a b", "application/json"},
		{"/api/v1/runs/compare?run=a&format=csv", 200, "csv: a", "text/csv"},
		{"/api/v1/runs/compare?run=a&run=b&format=markdown&download=1", 200, "markdown: a b", "a-b.md"},
		{"/api/v1/runs/compare?run=a&format=html", 200, "html: a", "a.html"}, // always a file
		{"/api/v1/runs/compare", 400, `"param":"run"`, ""},
		{"/api/v1/runs/compare?run=a&format=pdf", 400, `"param":"format"`, ""},
		{"/api/v1/runs/compare?run=a" + strings.Repeat("&run=b", 20), 400, "21 runs", ""},
		{"/api/v1/runs/trend?unit=sec/op", 200, `"Unit":"sec/op","Limit":200`, "application/json"},
		{"/api/v1/runs/trend?limit=0", 400, `"param":"limit"`, ""},
		{"/api/v1/runs/trend?unit=a&unit=b", 400, `"param":"unit"`, ""},
	} {
		w := askRuns(s, test.path)
		headers := w.Header().Get("Content-Type") + w.Header().Get("Content-Disposition")
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || !strings.Contains(headers, test.header) {
			t.Errorf("%s: %d %s %s, want %d %s %s", test.path, w.Code, headers, w.Body, test.status, test.header, test.body)
		}
	}
}

func TestNoRuns(t *testing.T) {
	s := runsServer(t, nil)
	for _, path := range []string{"/api/v1/runs", "/api/v1/runs/a", "/api/v1/runs/compare?run=a", "/api/v1/runs/trend"} {
		if w := askRuns(s, path); w.Code != 404 || !strings.Contains(w.Body.String(), "hone bench") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := askRuns(s, "/api/v1/profiles"); strings.Contains(w.Body.String(), `"runs"`) {
		t.Errorf("there are no runs, but: %s", w.Body)
	}
}

// A profile of a run is found by its name, which stays its id, and is loaded once.
func TestProfileOfRun(t *testing.T) {
	runs := &fakeRuns{}
	s := runsServer(t, runs)
	for range 2 {
		for _, id := range []string{"a:Parse%2Fcpu", "a:BenchmarkParse%2Fcpu"} {
			w := askRuns(s, "/api/v1/profiles/"+id)
			var info struct{ Profile struct{ ID string } }
			if err := json.Unmarshal(w.Body.Bytes(), &info); err != nil || info.Profile.ID != "a:Parse/cpu" {
				t.Fatalf("%s: %d %s", id, w.Code, w.Body)
			}
		}
	}
	if n := runs.loads.Load(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
	if w := askRuns(s, "/api/v1/profiles"); !strings.Contains(w.Body.String(), `"runs":true`) || strings.Count(w.Body.String(), `"a:Parse/cpu"`) != 2 { // id and name
		t.Errorf("list: %s", w.Body)
	}
	for _, id := range []string{"b:Parse%2Fcpu", "Parse"} {
		if w := askRuns(s, "/api/v1/profiles/"+id); w.Code != 404 {
			t.Errorf("%s: %d %s", id, w.Code, w.Body)
		}
	}
}

// Of profiles found by name only so many are kept; an older one is loaded again.
func TestProfilesOfRunsMakeRoom(t *testing.T) {
	runs := &fakeRuns{}
	s := runsServer(t, runs)
	for i := range maxNamed + 1 {
		askRuns(s, fmt.Sprintf("/api/v1/profiles/a:P%d", i))
	}
	if w := askRuns(s, "/api/v1/profiles/a:P0"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if n := runs.loads.Load(); n != maxNamed+2 {
		t.Errorf("loaded %d times, want %d", n, maxNamed+2)
	}
	if n := len(s.profiles.list()); n != maxNamed {
		t.Errorf("%d profiles are kept, want %d", n, maxNamed)
	}
}
