package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/bench/history"
)

// TestFacts checks that each commit and each wrong patch is complete.
func TestFacts(t *testing.T) {
	facts, err := readLines[fact]("commits.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	edits, err := readLines[edit]("wrong.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(facts) < 30 || len(edits) < 20 {
		t.Errorf("%d commits and %d wrong patches", len(facts), len(edits))
	}
	known := make(map[string]bool)
	for _, f := range facts {
		if f.Repo == "" || len(f.Commit) != 40 || len(f.Parent) != 40 || f.Bench == "" || f.BenchPkg == "" || f.Time <= 0 || known[f.ID] {
			t.Errorf("%+v", f)
		}
		known[f.ID] = true
	}
	for _, e := range edits {
		if !known[e.Fact] || e.On != parentTag && e.On != authorTag || e.File == "" || e.Note == "" || len(e.Replace) == 0 || known[e.ID] {
			t.Errorf("%+v", e)
		}
		known[e.ID] = true
	}
}

// TestApply edits a state of a repository, and refuses a text that isn't there once.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	name := filepath.Join(dir, "m.go")
	if err := history.Git(ctx, dir, "init", "-q"); err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{parentTag, authorTag} {
		if err := os.WriteFile(name, []byte("package m // "+tag+" a a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := commit(ctx, dir, tag); err != nil {
			t.Fatal(err)
		}
	}
	r := &repository{dir: dir, module: dir}
	if err := r.apply(ctx, &edit{On: parentTag, File: "m.go", Replace: [][2]string{{"package m", "package n"}}}, "wrong"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "package n // parent a a\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := r.apply(ctx, &edit{On: parentTag, File: "m.go", Replace: [][2]string{{"a a", "b"}, {"a", "b"}}}, "wrong"); err == nil {
		t.Error("a text that is there twice is replaced")
	}
}
