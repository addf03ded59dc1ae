package regress

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func entry(id, function, version string, since int64) Regression {
	return Regression{ID: id, Service: "s", Kind: "cpu", Function: function, Version: version, Since: since}
}

// states lists what a file has, latest first.
func states(t *testing.T, s *State) string {
	all, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		about := " " + e.Reason
		if e.At != 0 {
			about += " " + strconv.FormatInt(e.At, 10)
		}
		out = append(out, strings.TrimRight(e.ID+" "+e.State+" "+e.By+about, " "))
	}
	return strings.TrimSpace(strings.Join(out, ", "))
}

// TestState opens the file again after each step.
func TestState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "regressions.json")
	open := func() *State { return NewState(file, func(line string) { t.Error(line) }) }
	for _, step := range []struct {
		name string
		do   func(s *State) error
		want string
	}{
		{"nothing", func(*State) error { return nil }, ""},
		{"found", func(s *State) error {
			_, err := s.record("v2", 100, []Regression{entry("1", "f", "v2", 50)})
			return err
		}, "1 open"},
		{"again", func(s *State) error {
			_, err := s.record("v2", 200, []Regression{entry("1", "f", "v2", 50)})
			return err
		}, "1 open"},
		{"as a drift", func(s *State) error {
			_, err := s.record("", day, []Regression{entry("2", "f", "", day/2)})
			return err
		}, "1 open"},
		{"another", func(s *State) error {
			_, err := s.record("v3", 300, []Regression{entry("3", "g", "v3", 250)})
			return err
		}, "3 open, 1 open"},
		{"taken back while open", func(s *State) error { _, err := s.Unacknowledge("1"); return err }, "3 open, 1 open"},
		{"acknowledged by mistake", func(s *State) error {
			_, err := s.Acknowledge("1", Acknowledgement{"bob", "load test", 350})
			return err
		}, "3 open, 1 acknowledged bob load test 350"},
		{"taken back", func(s *State) error { _, err := s.Unacknowledge("1"); return err }, "3 open, 1 open"},
		{"acknowledged", func(s *State) error {
			_, err := s.Acknowledge("1", Acknowledgement{By: "ann"})
			return err
		}, "3 open, 1 acknowledged ann"},
		{"by someone else", func(s *State) error {
			_, err := s.Acknowledge("1", Acknowledgement{"bob", "known", 360})
			return err
		}, "3 open, 1 acknowledged ann"},
		{"found while acknowledged", func(s *State) error {
			_, err := s.record("v2", 400, []Regression{entry("1", "f", "v2", 50)})
			return err
		}, "3 open, 1 acknowledged ann"},
		{"resolved", func(s *State) error { return errors.Join(s.load(), s.resolve("1", 500)) }, "3 open, 1 resolved ann"},
		{"back", func(s *State) error {
			_, err := s.record("v2", 600, []Regression{entry("1", "f", "v2", 50)})
			return err
		}, "3 open, 1 open ann"},
		{"expired", func(s *State) error {
			_, err := s.record("x", 600+keepResolved, nil)
			return errors.Join(s.resolve("1", 600), err, func() error { _, err := s.record("x", 601+keepResolved, nil); return err }())
		}, "3 open"},
	} {
		if err := step.do(open()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := states(t, open()); got != step.want {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
	s := open()
	if at, err := s.compared("v3"); err != nil || at != 0 {
		t.Errorf("a comparison of long ago is remembered: %d, %v", at, err)
	}
	if _, err := s.Acknowledge("9", Acknowledgement{By: "ann"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown: %v", err)
	}
	if _, err := s.Unacknowledge("9"); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown: %v", err)
	}
}

// TestOneChange has looks at one version that name a function, then its caller with it as a
// cause, and then the function again: it is one regression. Another function is another one,
// and a caller that grew only because of it isn't a cause.
func TestOneChange(t *testing.T) {
	s := NewState("", nil)
	of := func(id, function, version string, causes ...Cause) Regression {
		r := entry(id, function, version, 50)
		r.Causes = append([]Cause{{Function: function}}, causes...)
		return r
	}
	for _, step := range []struct {
		found []Regression
		want  string
	}{
		{[]Regression{of("1", "callee", "v2", Cause{Function: "caller", Caller: true})}, "callee 1"},
		{[]Regression{of("2", "caller", "v2", Cause{Function: "callee"})}, "caller 1"},
		{[]Regression{of("2", "caller", "v2", Cause{Function: "callee"})}, "caller 1"},
		{[]Regression{of("1", "callee", "v2", Cause{Function: "caller", Caller: true}), of("3", "other", "v2")}, "other 3, callee 1"},
		{[]Regression{of("4", "caller", "v3", Cause{Function: "callee"})}, "caller 4, other 3, callee 1"},
	} {
		if _, err := s.record("v", 100, step.found); err != nil {
			t.Fatal(err)
		}
		all, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range all {
			got = append(got, e.Function+" "+e.ID)
		}
		if text := strings.Join(got, ", "); text != step.want {
			t.Errorf("got %q, want %q", text, step.want)
		}
	}
}

// TestWatched compares versions and drifts, and asks what was looked at.
func TestWatched(t *testing.T) {
	s := NewState("", nil)
	for name, until := range map[string]int64{"shop\x00cpu": 100, "shop\x00cpu\x00v2": 300, "shop\x00heap": 200, "resolved": 400, "": 500} {
		if _, err := s.record(name, until, nil); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Watched()
	slices.SortFunc(got, func(a, b Watched) int { return strings.Compare(a.Kind, b.Kind) })
	if want := []Watched{{"shop", "cpu", 300}, {"shop", "heap", 200}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestStateDamaged checks that a damaged file doesn't stop the watch, and that the file of
// a newer hone stays.
func TestStateDamaged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "regressions.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	logged := ""
	if got := states(t, NewState(file, func(line string) { logged = line })); got != "" || !strings.Contains(logged, "moved to") {
		t.Errorf("got %q, logged %q", got, logged)
	}
	newer := `{"version": 2}`
	if err := os.WriteFile(file, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewState(file, nil)
	if _, err := s.record("v2", 100, nil); err == nil {
		t.Error("a newer file was replaced")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != newer {
		t.Errorf("got %q, %v", data, err)
	}
}

// TestOpened checks that a regression that comes back is opened again, and keeps the time when
// it was first found.
func TestOpened(t *testing.T) {
	s := NewState("", nil)
	for _, step := range []struct {
		found, resolved int64 // only one is set
		opened          int64
	}{{found: 100, opened: 100}, {found: 200, opened: 100}, {resolved: 300, opened: 100}, {found: 400, opened: 400}, {found: 500, opened: 400}} {
		r := entry("1", "f", "v2", 50)
		r.Found = step.found
		var err error
		if step.resolved > 0 {
			err = s.resolve("1", step.resolved)
		} else {
			_, err = s.record("v2", step.found, []Regression{r})
		}
		all, lerr := s.List()
		if err := errors.Join(err, lerr); err != nil || len(all) != 1 || all[0].Opened != step.opened || all[0].Found != 100 {
			t.Errorf("%+v: got %+v, %v", step, all, err)
		}
	}
}
