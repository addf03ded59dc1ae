package pgo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-go/hone/profile"
)

// TestReader: an input is named after what the user gave, in a way that means the same on
// another machine.
func TestReader(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var loaded, skipped []string
	noProfile := errors.New("name one of its profiles")
	r := &Reader{
		Runs:    t.TempDir(),
		Skipped: func(sentences []string) { skipped = append(skipped, sentences...) },
		Load: func(_ context.Context, file string) (*profile.Profile, error) {
			loaded = append(loaded, file)
			return new(profile.Profile), nil
		},
		Profile: func(_ context.Context, source string) (*RunProfile, error) {
			switch source {
			case "latest:Parse/cpu":
				return &RunProfile{"20260101:Parse/cpu", "runs/parse.pb.gz", []string{"one is skipped"}}, nil
			case "ambiguous":
				return nil, noProfile
			}
			return nil, nil
		},
	}
	sources := []string{file, "http://host:6060/debug/pprof/profile", "latest:Parse/cpu", "-"}
	inputs, err := r.Inputs(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, in := range inputs {
		names = append(names, in.Source)
	}
	if want := []string{"cpu.pb.gz", sources[1], "20260101:Parse/cpu", "-"}; !slices.Equal(names, want) {
		t.Errorf("sources %q, want %q", names, want)
	}
	if want := []string{file, sources[1], "runs/parse.pb.gz", "-"}; !slices.Equal(loaded, want) {
		t.Errorf("read %q, want %q", loaded, want)
	}
	if want := []string{"one is skipped"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	if _, err := r.Inputs(t.Context(), []string{"ambiguous"}); !errors.Is(err, noProfile) {
		t.Error(err)
	}
}

func TestUses(t *testing.T) {
	dir := t.TempDir()
	m := Module{Dir: dir, Main: filepath.Join(dir, "cmd")}
	for file, want := range map[string]bool{
		filepath.Join(m.Main, FileName):    true,
		filepath.Join(m.Main, "other.pgo"): false,
		filepath.Join(dir, FileName):       false,
	} {
		if got := m.Uses(file); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}
