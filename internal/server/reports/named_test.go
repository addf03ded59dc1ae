package reports_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/servertest"
)

// A profile of a run is found by its name, which stays its id, and is loaded once.
func TestProfileOfRun(t *testing.T) {
	runs := &servertest.Runs{}
	s := servertest.NewRuns(t, runs)
	for range 2 {
		for _, id := range []string{"a:Parse%2Fcpu", "a:BenchmarkParse%2Fcpu"} {
			w := servertest.Ask(s, "/api/v1/profiles/"+id)
			var info struct{ Profile struct{ ID string } }
			if err := json.Unmarshal(w.Body.Bytes(), &info); err != nil || info.Profile.ID != "a:Parse/cpu" {
				t.Fatalf("%s: %d %s", id, w.Code, w.Body)
			}
		}
	}
	if n := runs.Loads.Load(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
	if w := servertest.Ask(s, "/api/v1/profiles"); !strings.Contains(w.Body.String(), `"runs":true`) || strings.Count(w.Body.String(), `"a:Parse/cpu"`) != 2 { // id and name
		t.Errorf("list: %s", w.Body)
	}
	for _, id := range []string{"b:Parse%2Fcpu", "Parse"} {
		if w := servertest.Ask(s, "/api/v1/profiles/"+id); w.Code != 404 {
			t.Errorf("%s: %d %s", id, w.Code, w.Body)
		}
	}
}

// Of profiles found by name only so many are kept; an older one is loaded again.
func TestProfilesOfRunsMakeRoom(t *testing.T) {
	runs := &servertest.Runs{}
	s := servertest.NewRuns(t, runs)
	for i := range reports.MaxNamed + 1 {
		servertest.Ask(s, fmt.Sprintf("/api/v1/profiles/a:P%d", i))
	}
	if w := servertest.Ask(s, "/api/v1/profiles/a:P0"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if n := runs.Loads.Load(); n != reports.MaxNamed+2 {
		t.Errorf("loaded %d times, want %d", n, reports.MaxNamed+2)
	}
	if n := s.Reports.Listed(); n != reports.MaxNamed {
		t.Errorf("%d profiles are kept, want %d", n, reports.MaxNamed)
	}
}
