package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTour walks all of it: every command of the tour ends as it says.
func TestTour(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a minute")
	}
	t.Setenv("HONE_TEST_HONE", "1")
	dir := filepath.Join(t.TempDir(), "copy")
	o := hone(t, "tour", "-y", "-dir", dir)
	if o.code != 0 {
		t.Fatalf("%+v", o)
	}
	wantLines(t, o.stdout, `^── 1 of 10: The program`, `func greetCompile\(`, `^FAIL no garbage visitors InUse\S*: 3\d allocs/op`, `^regexp-per-call-\w+ `,
		`regexp\.compile \(gone\)$`, `^InUse\S* +allocs/op +4.000 → 0.000 +-4.000 +exact +better, confirmed$`, `^ ok  no garbage`, `^\(exit code 3\)$`, `^  answered  \d+ requests in`, `^  a request costs .* of CPU time`, `^That is the loop`)
	if _, err := os.Stat(filepath.Join(dir, "hone.toml")); err != nil {
		t.Errorf("-dir does not keep the copy: %v", err)
	}
	if o := hone(t, "tour", "-y", "-dir", dir); o.code != exitFailure || !strings.Contains(o.stderr, "exists") {
		t.Errorf("a folder that is there: %+v", o)
	}
}

func TestTourErrors(t *testing.T) {
	hone(t, "tour", "x").failsWith(t, exitUsage, `unexpected argument "x"`)
	t.Setenv("PATH", t.TempDir())
	hone(t, "tour", "-y").failsWith(t, exitFailure, "the tour needs the go command")
}
