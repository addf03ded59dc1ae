package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// A log that is damaged in its middle costs what can't be read of it, and no more:
// the rest is served at once, and what comes after the damage a little later.
func TestLogGap(t *testing.T) {
	sm := newSample(t)
	logs, err := filepath.Glob(filepath.Join(sm.dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(slices.Max(logs))
	before := contents(t, sm.dir)
	for _, how := range []string{"flipped", "missing"} {
		t.Run(how, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			copyDir(t, sm.dir, dir)
			path := filepath.Join(dir, name)
			data := []byte(before[name])
			// In the middle of one record, or of a block, which is of many.
			if how == "flipped" {
				data[2000] ^= 4
			} else {
				clear(data[chunkBlock/4 : chunkBlock/2])
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			damaged := contents(t, dir)
			// Nothing is thrown away by who only looks.
			if _, err := Open(dir, Options{PackAfter: -1}); !errors.Is(err, errRepair) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v", err)
			}
			wantKept(t, damaged, dir)
			s := open(t, dir, Options{Recover: true})
			dirs := recovered(t, s)
			if len(dirs) != 1 || dirs[0] != dir+".damaged" {
				t.Fatalf("moved to %q", dirs)
			}
			wantKept(t, damaged, dirs[0])
			r := s.Recoveries()[0]
			if !strings.Contains(r.Problem, name) || strings.Contains(r.Problem, "repair") || r.Lost == 0 && how == "missing" {
				t.Errorf("%+v", r)
			}
			n := sm.wantParts(t, s, func(rec store.Record) bool { return !sm.inLog[rec.ID] })
			inLog := 0
			for _, is := range sm.inLog {
				if is {
					inLog++
				}
			}
			if lost := len(sm.records) - n; lost == 0 || lost > map[string]int{"flipped": 1, "missing": inLog / 2}[how] {
				t.Errorf("%d profiles of %d in the log are lost", lost, inLog)
			}
			if aside := s.Stats().Aside; len(aside) > 0 {
				t.Errorf("set aside: %+v", aside)
			}
			closeStore(t, s)
			if p := verify(t, dir, nil); len(p) > 0 {
				t.Errorf("afterwards: %q", p)
			}
			// It is brought back once.
			s = open(t, dir, Options{Recover: true})
			if r := s.Recoveries(); len(r) > 0 {
				t.Errorf("again: %+v", r)
			}
			closeStore(t, s)
		})
	}
}

// A recovery goes on at the next start, whenever it was interrupted, and what comes in
// meanwhile is kept.
func TestRecoveryInterrupted(t *testing.T) {
	sm := newSample(t)
	manifests, err := filepath.Glob(filepath.Join(sm.dir, "MANIFEST-*"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "d")
	copyDir(t, sm.dir, dir)
	manifest := filepath.Join(dir, filepath.Base(manifests[0]))
	if err := os.Truncate(manifest, 100); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	since := time.Now().Truncate(time.Second)
	// Killed right after the move.
	o := Options{PackAfter: -1}
	o.fill()
	if err := moveAside(&o, dir, fmt.Errorf("the list of tables\nis damaged: %w", errRepair)); err != nil {
		t.Fatal(err)
	}
	fresh := record(t, 1_000_000, "api", "new", 7*24*time.Hour+8*time.Hour)
	s := open(t, dir, Options{Recover: true})
	aside := s.Stats().Aside
	put(t, s, fresh)
	closeStore(t, s) // most likely in the midst of it
	if len(aside) == 0 || !aside[0].Returning || aside[0].Since.Before(since) || !strings.Contains(aside[0].Problem, "the list of tables is damaged") {
		t.Errorf("set aside: %+v", aside)
	}
	s = open(t, dir, Options{Recover: true})
	dirs := recovered(t, s)
	if len(dirs) == 1 {
		wantKept(t, before, dirs[0])
	} else if _, err := os.Stat(dir + ".damaged"); err != nil {
		t.Error(err)
	}
	sm.records[fresh.ID] = fresh
	if n := sm.wantParts(t, s, func(store.Record) bool { return true }); n != len(sm.records) {
		t.Errorf("%d profiles of %d are there", n, len(sm.records))
	}
	if left, _ := filepath.Glob(dir + "*"); len(left) != 2 {
		t.Errorf("left are %q", left)
	}
	if aside := s.Stats().Aside; len(aside) > 0 {
		t.Errorf("set aside: %+v", aside)
	}
	closeStore(t, s)
}

// Where nobody knows how much is lost, nobody says that it is nothing.
func TestUnknownLoss(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	s := open(t, dir, Options{})
	put(t, s, records(t, 3)...)
	copyDir(t, dir, dir+"2")
	closeStore(t, s)
	dir += "2"
	// All of it is in one log, and not much longer than this.
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%q, %v", logs, err)
	}
	data, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-10] ^= 1
	clear(data[100:200])
	if err := os.WriteFile(logs[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := Verify(t.Context(), dir, nil, func(p string) { t.Log(p) })
	if err != nil || !found.Unsure || !strings.Contains(found.String(), "not known") {
		t.Errorf("%v (%+v), %v", found, found, err)
	}
	done, err := Repair(t.Context(), dir, Options{}, func(string) {})
	if err != nil || !done.Unsure || !strings.Contains(done.String(), "not known") && done.Lost == 0 {
		t.Errorf("%v (%+v), %v", done, done, err)
	}
	for v, want := range map[Verified]string{
		{Profiles: 5, Lost: 2}:               "profiles: 5; 2 of them can't be read",
		{Profiles: 5, Lost: 2, Unsure: true}: "profiles known of: 5; at least 2 of them can't be read",
		{Profiles: 5, Unsure: true}:          "profiles that can be read: 5; how many can't is not known",
	} {
		if v.String() != want {
			t.Errorf("got %v, want %s", v, want)
		}
	}
}
