package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/profile"
)

// dropping writes a profile that asks to drop frames, and returns its file.
func dropping(t *testing.T, frames string) string {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	location := func(name string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, "", 0)})
	}
	b.Sample([]uint32{location("noise"), location("main.work")}, nil, 1000)
	p := b.Profile()
	p.DropFrames, p.KeepFrames = frames, "main.*"
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Encode(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAllFrames(t *testing.T) {
	file := dropping(t, "noise")
	if out := succeed(t, "pprof", "-top", file); strings.Contains(out, "noise") {
		t.Errorf("not dropped:\n%s", out)
	}
	if out := succeed(t, "pprof", "-top", "-all_frames", file); !strings.Contains(out, "noise") {
		t.Errorf("dropped:\n%s", out)
	}
	// Whoever reads what was written sees all frames, too.
	written := filepath.Join(t.TempDir(), "all.pb.gz")
	hone(t, "pprof", "-proto", "-output="+written, "-all_frames", file)
	data, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.DropFrames != "" || p.KeepFrames != "" {
		t.Errorf("drop_frames %q, keep_frames %q", p.DropFrames, p.KeepFrames)
	}
}

func TestUnparsableDropFrames(t *testing.T) {
	got := hone(t, "pprof", "-top", dropping(t, "(noise"))
	if got.code != 0 || !strings.Contains(got.stdout, "noise") {
		t.Errorf("exit code %d:\n%s", got.code, got.stdout)
	}
	if want := "the profile's drop_frames: "; !strings.Contains(got.stderr, want) || !strings.Contains(got.stderr, "no frames are dropped") {
		t.Errorf("standard error %q", got.stderr)
	}
}
