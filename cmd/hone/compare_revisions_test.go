package main

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/git/gittest"
)

func TestRevisionsText(t *testing.T) {
	commits := map[string]string{
		"HEAD": "ccccccccccccccccc", "HEAD~": "bbbbbbbbbbbbbbbbb", "HEAD~2": "aaaaaaaaaaaaaaaaa",
		"main": "bbbbbbbbbbbbbbbbb", "feature": "ccccccccccccccccc", "origin/main": "aaaaaaaaaaaaaaaaa", "2024": "aaaaaaaaaaaaaaaaa",
	}
	for _, c := range []struct{ names, want string }{
		{"main", "main is a git revision; hone compare reads runs and files of results: to compare the current code with main, run hone bench -against main ./..."},
		{"HEAD~ HEAD", "HEAD~ and HEAD are git revisions; hone compare reads runs and files of results: to compare the current code with HEAD~, run hone bench -against HEAD~ ./..."},
		{"main feature", "run hone bench -against main ./..."}, // feature is checked out
		{"main..feature", "main and feature are git revisions;"},
		{"main...", "run hone bench -against main ./..."},
		{"old=main new=HEAD", "run hone bench -against main ./..."},
		{"latest origin/main", "origin/main is a git revision;"},
		{"main origin/main", "to compare origin/main with main, run git switch --detach origin/main && hone bench -against main ./..."},
		{"HEAD~2 HEAD~", "to compare HEAD~ with HEAD~2, run git switch --detach HEAD~ && hone bench -against aaaaaaaaaaaa ./..."},
		{"latest 2024 missing.txt", ""},
	} {
		got := revisionsText("compare", strings.Fields(c.names), func(ref string) string { return commits[ref] })
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("hone compare %s: %q, want %q", c.names, got, c.want)
		}
	}
}

// Both verbs explain revisions, and names that mean nothing keep their errors.
func TestCompareRevisions(t *testing.T) {
	dir := t.TempDir()
	gittest.Commit(t, dir, map[string]string{"go.mod": "module example.com/m\n", "hone.toml": "[[objective]]\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"3%\"\n"})
	gittest.Run(t, dir, "branch", "trunk")
	t.Chdir(dir)
	for _, c := range []struct{ args, want string }{
		{"compare trunk HEAD", "trunk and HEAD are git revisions; hone compare reads"},
		{"check trunk", "trunk is a git revision; hone check reads"},
		{"compare nothing", `no run "nothing"`},
		{"compare nothing.txt", "nothing.txt"},
	} {
		if o := hone(t, strings.Fields(c.args)...); o.code != exitFailure || !strings.Contains(o.stderr, c.want) {
			t.Errorf("hone %s: exit code %d, %s\nwant %s", c.args, o.code, o.stderr, c.want)
		}
	}
}
