package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEntryBenchmarks(t *testing.T) {
	root := t.TempDir()
	dir := closeRun(t, writeRun(t, root, time.Now()))
	names := func() ([]string, error) {
		entries, err := List(t.Context(), root)
		if err != nil || len(entries) != 1 {
			t.Fatal(entries, err)
		}
		return entries[0].Benchmarks(t.Context())
	}
	if got, err := names(); err != nil || !slices.Equal(got, []string{"Parse/n=10-2"}) {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Remove(filepath.Join(dir, "head.txt")); err != nil {
		t.Fatal(err)
	}
	if got, err := names(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a complete run without its file: %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, infoFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := names(); err == nil {
		t.Errorf("of a corrupt run: %q", got)
	}
}

func TestLooks(t *testing.T) {
	dir := closeRun(t, writeRun(t, t.TempDir(), time.Now())) // six pairs
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		want    []Look
	}{
		{"hone bench -against HEAD~", OneLook(6)},
		{"hone bench -against HEAD~ -count 12", OneLook(12)},
		{"hone bench --count=7", OneLook(7)},
		{"hone bench -count", OneLook(6)},
		{"hone bench count 9", OneLook(6)},
	} {
		r.Command = strings.Fields(c.command)
		if got := r.Looks(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.command, got, c.want)
		}
	}
	part := part{Measure, Head}
	r.Command = nil
	r.results[part] = append(r.results[part], r.results[part]...) // twelve
	if got := r.Looks(); !slices.Equal(got, DefaultLooks) {
		t.Errorf("of twelve: %v", got)
	}
	r.Info.Looks = BudgetLooks
	if got := r.Looks(); !slices.Equal(got, BudgetLooks) {
		t.Errorf("of a run that says it: %v", got)
	}
}
