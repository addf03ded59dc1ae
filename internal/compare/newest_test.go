package compare

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// TestNewest: latest is the newest run even if it has no results, and other names stay.
func TestNewest(t *testing.T) {
	root := t.TempDir()
	run, err := experiment.Create(root, experiment.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "latest")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"latest": run.Dir(), "latest:base": run.Dir() + ":base", "": "", "new.txt": "new.txt", file: file, "latest.txt": "latest.txt",
	} {
		if got, _, err := Newest(t.Context(), root, name); got != want || err != nil {
			t.Errorf("%q: %q, want %q, %v", name, got, want, err)
		}
	}
	if got, _, err := Newest(t.Context(), root, "latest~1"); err == nil {
		t.Errorf("latest~1 of one run is %s", got)
	}
}

func TestUnreported(t *testing.T) {
	regression := func(name string) experiment.Comparison {
		return experiment.Comparison{Key: experiment.Key{Benchmark: name}}
	}
	c := &Checked{Outcomes: []objective.Outcome{
		{Key: experiment.Key{Benchmark: "Missed"}, Status: objective.Missed}, {Key: experiment.Key{Benchmark: "Met"}, Status: objective.Met},
	}}
	var left []string
	for _, r := range c.Unreported([]experiment.Comparison{regression("Missed"), regression("Met"), regression("None")}) {
		left = append(left, r.Key.Benchmark)
	}
	if want := []string{"Met", "None"}; !slices.Equal(left, want) {
		t.Errorf("%q, want %q", left, want)
	}
}
