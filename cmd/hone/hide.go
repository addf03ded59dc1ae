package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
)

// hideRuns keeps .hone, the default folder of runs, out of git's status. Otherwise runs
// would be changes of the working tree, which -against measures. When it creates the
// folder, it says so, and how to list it in the user's .gitignore, which is not ours to
// change.
func hideRuns(a *app, store string) error {
	dir := filepath.Dir(store)
	if filepath.Base(dir) != ".hone" {
		return nil
	}
	_, err := os.Lstat(dir)
	made := os.IsNotExist(err)
	if err := experiment.HideStore(store); err != nil {
		return err
	}
	if module := filepath.Dir(dir); made && unignored(module) {
		a.warn("hone: runs are kept in " + dir + ", where a .gitignore file hides them from git. If you prefer an entry in your own .gitignore: echo .hone/ >>" + filepath.Join(module, ".gitignore"))
	}
	return nil
}

// unignored reports whether a folder is in a git repository, and no .gitignore file from
// there up names .hone.
func unignored(dir string) bool {
	for {
		text, _ := infile.ReadFile(context.Background(), filepath.Join(dir, ".gitignore"), 1<<20)
		for line := range strings.Lines(string(text)) {
			if strings.Trim(strings.TrimSpace(line), "/") == ".hone" {
				return false
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
