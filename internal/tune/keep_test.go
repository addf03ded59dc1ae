package tune

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hone-go/hone/internal/capture"
)

// TestKilledLeavesNothing: the next run removes what a killed one left, and never what a
// running one holds.
func TestKilledLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	held, remove, err := capture.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(os.Getenv("TMPDIR"), "hone-bench-left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := module(t, map[string]string{
		"go.mod": goMod, "m.go": slow, "m_test.go": tests, ".hone-fix-1": "left", ".hone-fix-2": "held",
	})
	if err := os.WriteFile(filepath.Join(left, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, ".hone-fix-2"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	release, err := capture.HoldFile(f)
	if err != nil {
		t.Fatal(err)
	}
	trial := tuner(t, dir)
	trial.CheckOnly, trial.Dirty = true, true
	if _, err := trial.Try(t.Context(), finding(dir, slow, fast), nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{filepath.Join(dir, ".hone-fix-1"): false, filepath.Join(dir, ".hone-fix-2"): true, left: false, held: true} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v, want it there %v", name, err, want)
		}
	}
	release()
	if err := remove(); err != nil {
		t.Error(err)
	}
}

// A file that another hone has swept is not the one that gets its name when it is locked: that is
// empty, and must not take the place of the user's source.
func TestHoldSweptFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file can't be removed")
	}
	f, err := os.CreateTemp(t.TempDir(), ".hone-fix-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	capture.SweepFiles(f.Name())
	if release, err := capture.HoldFile(f); err == nil {
		release()
		t.Error("another file was taken for it")
	}
	if _, err := os.Stat(f.Name()); err == nil {
		t.Error("an empty file has its name")
	}
}
