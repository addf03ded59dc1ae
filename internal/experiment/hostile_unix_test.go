//go:build unix

package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHostileFiles puts what never ends, or is too large, in place of each file of a run. The
// error names the file, other runs are listed as before, and latest means one of them.
func TestHostileFiles(t *testing.T) {
	pipe := func(file string) error { return syscall.Mkfifo(file, 0o600) }
	endless := func(file string) error { return os.Symlink("/dev/zero", file) }
	large := func(file string) error {
		return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 80<<20))
	}
	for _, c := range []struct {
		name, file string
		put        func(file string) error
		want       string
	}{
		{"pipe", "run.json", pipe, " is a named pipe: expected a regular file"},
		{"device", "run.json", endless, " is a device: expected a regular file"},
		{"large", "run.json", large, " is too large: 80 MiB, the limit is 4 MiB"},
		{"values", "run.json", func(file string) error {
			return os.WriteFile(file, []byte(`{"warnings":["`+strings.Repeat(`","`, 300_000)+`"]}`), 0o600)
		}, ": has more than 200000 values"},
		{"pipe", "base.txt", pipe, " is a named pipe: expected a regular file"},
		{"device", "base.txt", endless, " is a device: expected a regular file"},
		{"large", "base.txt", large, " is too large: 80 MiB, the limit is 64 MiB"},
		{"pipe", "profile", pipe, " is a named pipe: expected a regular file"},
		{"device", "profile", endless, " is a device: expected a regular file"},
		{"large", "profile", large, ": offset "},
	} {
		t.Run(c.name+" "+c.file, func(t *testing.T) {
			root := t.TempDir()
			good := closeRun(t, writeRun(t, root, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))
			bad := closeRun(t, writeRun(t, root, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)))
			file := filepath.Join(bad, c.file)
			if c.file == "profile" {
				run, err := Open(t.Context(), bad)
				if err != nil {
					t.Fatal(err)
				}
				file = run.Profiles()[0].Path
			}
			if err := errors.Join(os.Remove(file), c.put(file)); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), bad)
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || !strings.HasPrefix(err.Error(), file+c.want) {
				t.Errorf("error %v\nwant  %s%s", err, file, c.want)
			}
			entries, err := List(t.Context(), root)
			if err != nil || len(entries) != 2 || entries[1].State != Complete {
				t.Fatalf("%+v, %v", entries, err)
			}
			if c.file == "run.json" && (entries[0].State != Corrupt || !strings.Contains(entries[0].Err.Error(), file)) {
				t.Errorf("listed as %+v", entries[0])
			}
			if c.file == "base.txt" {
				entries[0].Info.Base = nil // lists read that of the head
				os.Rename(file, filepath.Join(bad, "bench.txt"))
				if _, err := entries[0].Measured(t.Context()); err == nil {
					t.Error("its benchmarks were listed")
				}
				os.Rename(filepath.Join(bad, "bench.txt"), file)
			}
			run, err := Find(t.Context(), root, "latest", Need{"results", func(r *Run) bool { return len(r.Results(Measure, Head)) > 0 }})
			if err != nil || run.Dir != good {
				t.Fatalf("latest is %v, %v", run, err)
			}
			if len(run.Skipped) != 1 || !strings.Contains(run.Skipped[0], "latest skips run "+filepath.Base(bad)+": it is damaged: "+file) {
				t.Errorf("skipped %q", run.Skipped)
			}
		})
	}
}

// TestPartialRunLeavesOutPipes: nobody noted what a partial run has.
func TestPartialRunLeavesOutPipes(t *testing.T) {
	w := writeRun(t, t.TempDir(), time.Time{})
	run, err := Open(t.Context(), w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	n := len(run.Profiles())
	pipe := filepath.Join(filepath.Dir(run.Profiles()[0].Path), "mem.pb.gz")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if run, err = Open(t.Context(), w.Dir()); err != nil || len(run.Profiles()) != n || len(run.Problems) != 1 || !strings.Contains(run.Problems[0], pipe+" is not a regular file") {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	root := t.TempDir()
	dir := closeRun(t, writeRun(t, root, time.Time{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	if _, err := List(ctx, root); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
	if _, err := Find(ctx, root, "latest", Need{"results", func(*Run) bool { return true }}); !errors.Is(err, context.Canceled) {
		t.Errorf("Find: %v", err)
	}
}

// TestFindTakesWhatHas: latest and those before it are counted among the runs that have what
// is needed.
func TestFindTakesWhatHas(t *testing.T) {
	root := t.TempDir()
	ids := make([]string, 5)
	for i := range ids {
		w := writeRun(t, root, time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC))
		if i%2 == 1 {
			if err := w.Note("odd"); err != nil {
				t.Fatal(err)
			}
		}
		ids[i] = filepath.Base(closeRun(t, w))
	}
	odd := Need{"odd note", func(r *Run) bool { return len(r.Notes) > 0 }}
	for name, want := range map[string]string{"latest": ids[3], "latest~0": ids[3], "latest~1": ids[1], ids[4]: ids[4]} {
		run, err := Find(t.Context(), root, name, odd)
		if err != nil || run.ID != want {
			t.Errorf("%s: %v, %v; want %s", name, run, err, want)
		}
	}
	run, err := Find(t.Context(), root, "latest~1", odd)
	if err != nil || len(run.Skipped) != 2 || run.Skipped[1] != "latest~1 skips run "+ids[2]+": it has no odd note" {
		t.Errorf("%q, %v", run.Skipped, err)
	}
	for name, want := range map[string]string{"latest~2": "latest~2: only 2 runs in " + root + " have odd note", "2027": `no run "2027"`} {
		if _, err := Find(t.Context(), root, name, odd); !errors.As(err, new(*NoRunError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestListIsBounded: many large run.json files don't fill the memory; the newest are read.
func TestListIsBounded(t *testing.T) {
	root := t.TempDir()
	const runs = 20
	note := strings.Repeat("x", maxInfoFile-1000)
	for i := range runs {
		id := fmt.Sprintf("20261101-1200%02d-dead", i)
		if err := os.Mkdir(filepath.Join(root, id), 0o777); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{"schema": 1, "id": %q, "created": "2026-11-01T12:00:%02dZ", "state": "complete", "notes": [%q]}`, id, i, note)
		if err := os.WriteFile(filepath.Join(root, id, "run.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := List(t.Context(), root)
	if err != nil || len(entries) != runs {
		t.Fatalf("%d runs, %v", len(entries), err)
	}
	kept := 0
	for i, e := range entries {
		if e.Info != nil {
			kept += len(e.Info.Notes[0])
		}
		if unread := e.Err != nil; unread != (i > maxListed/maxInfoFile) || unread && !strings.Contains(e.Err.Error(), "hone runs rm") {
			t.Errorf("run %d, %s: %v", i, e.ID, e.Err)
		}
	}
	if kept > maxListed+2*maxInfoFile {
		t.Errorf("%d bytes are kept", kept)
	}
}
