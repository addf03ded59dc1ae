package regress_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
)

const (
	minute = int64(time.Minute)
	hour   = int64(time.Hour)
	// now is when the tests take place.
	now = 20_000 * 24 * hour
)

func openDisk(t *testing.T) store.Store {
	st, err := disk.Open(t.TempDir(), disk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// TestSums checks costs with and without callees, calls, and recursion.
func TestSums(t *testing.T) {
	st := openDisk(t)
	stacks := regresstest.Stacks{"main;f": 10e6, "main;f;g;f": 40e6, "main;g": 100e6}
	for _, version := range []string{"v1", "v2"} {
		if err := regresstest.Fill(t.Context(), st, "s", version, now, now+2*minute, stacks); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		sel  regress.Selection
		want string
	}{
		{regress.Selection{Service: "s", Kind: "cpu", From: now, To: now + hour, Edges: true}, `
			"" v1 60s: f 300 300, g 600 840, main 0 900, f>g 240, main>f 300, main>g 600
			"" v2 60s: f 300 300, g 600 840, main 0 900, f>g 240, main>f 300, main>g 600`},
		{regress.Selection{Service: "s", Kind: "cpu", From: now, To: now + minute, ByInstance: true}, `
			"i0" v1 10s: f 50 50, g 100 140, main 0 150
			"i0" v2 10s: f 50 50, g 100 140, main 0 150
			"i1" v1 10s: f 50 50, g 100 140, main 0 150
			"i1" v2 10s: f 50 50, g 100 140, main 0 150
			"i2" v1 10s: f 50 50, g 100 140, main 0 150
			"i2" v2 10s: f 50 50, g 100 140, main 0 150`},
		{regress.Selection{Service: "other", Kind: "cpu", From: now, To: now + hour}, ""},
		{regress.Selection{Service: "s", Kind: "threadcreate", From: now, To: now + hour}, ""},
	} {
		frames := regress.NewFrames()
		for _, name := range []string{"f", "g", "main"} {
			frames.Number(name)
		}
		sums, err := regress.FromStore(st, regress.DefaultLimits(), nil).Sums(t.Context(), test.sel, frames)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range sums {
			line := fmt.Sprintf("%q %s %gs:", s.Instance, s.Version, s.Seconds)
			for f, name := range frames.Names {
				line += fmt.Sprintf(" %s %g %g,", name, s.Own[f]/1e6, s.Cum[f]/1e6)
			}
			for _, e := range []regress.Edge{{Caller: 0, Callee: 1}, {Caller: 1, Callee: 0}, {Caller: 2, Callee: 0}, {Caller: 2, Callee: 1}} {
				if v, ok := s.Edges[e]; ok {
					line += fmt.Sprintf(" %s>%s %g,", frames.Names[e.Caller], frames.Names[e.Callee], v/1e6)
				}
			}
			if s.Event != 1e7 || s.Type != "cpu" || s.Unit != "nanoseconds" {
				t.Errorf("an event is %g %s %s", s.Event, s.Type, s.Unit)
			}
			got = append(got, strings.TrimSuffix(line, ","))
		}
		want := strings.ReplaceAll(strings.TrimSpace(test.want), "\t", "")
		if strings.Join(got, "\n") != want {
			t.Errorf("%+v: got\n%s\nwant\n%s", test.sel, strings.Join(got, "\n"), want)
		}
	}
}

// TestLimits checks that the most expensive functions are kept, and as many instances as
// allowed, and that a note says so.
func TestLimits(t *testing.T) {
	st := openDisk(t)
	if err := regresstest.Fill(t.Context(), st, "s", "v1", now, now+2*minute, regresstest.Stacks{"main;a": 10e6, "main;b": 20e6, "main;big": 900e6, "main;c": 30e6}); err != nil {
		t.Fatal(err)
	}
	var notes []string
	src := regress.FromStore(st, regress.Limits{Functions: 2, Instances: 1}, func(note string) { notes = append(notes, note) })
	for range 2 {
		frames := regress.NewFrames()
		sums, err := src.Sums(t.Context(), regress.Selection{Service: "s", Kind: "cpu", From: now, To: now + hour, ByInstance: true, Edges: true}, frames)
		if err != nil || len(sums) != 1 {
			t.Fatalf("got %+v, %v", sums, err)
		}
		s := sums[0]
		if len(frames.Names) != 3 || frames.Names[0] != "main" || frames.Names[1] != "big" || s.Own[1] != 2*900e6 || s.Own[2] != 2*60e6 || len(s.Edges) != 1 {
			t.Errorf("got %q and %+v", frames.Names, s)
		}
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "more than 1 instances") || !strings.Contains(notes[1], "more than 2 functions") {
		t.Errorf("got notes %q", notes)
	}
}
