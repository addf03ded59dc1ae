package tune

import (
	"os"
	"path/filepath"
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
	release, err := capture.HoldFile(filepath.Join(dir, ".hone-fix-2"))
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
