package advisor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/tune"
)

// TestOfRun: there is advice on what was measured, and not on its base; benchmarks of the
// same name in two packages are two subjects.
func TestOfRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../cmd/hone/testdata/runs/20261121-093000-00bb")); err != nil {
		t.Fatal(err)
	}
	profiles := filepath.Join(dir, "profiles")
	hash := filepath.Join(profiles, "example.com%2Fwords@Hash-2")
	if err := os.CopyFS(filepath.Join(profiles, "example.com%2Fother@Hash-2"), os.DirFS(hash)); err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	subjects, benchmarks := OfRun(run)
	if len(subjects) == 0 || len(subjects) > len(run.Profiles()) {
		t.Fatalf("subjects %+v of profiles %+v", subjects, run.Profiles())
	}
	for _, s := range subjects {
		if b := benchmarks[s.Name]; b != (tune.Benchmark{Package: s.Package, Benchmark: s.Benchmark}) || s.Side == experiment.Base {
			t.Errorf("%s is %+v, of %+v", s.Name, b, s.ProfileFile)
		}
	}
	if len(benchmarks) != 3 {
		t.Errorf("benchmarks %v", benchmarks)
	}
}
