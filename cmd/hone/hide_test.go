package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHideRuns: the folder of runs is hidden from git, and the .gitignore of the user
// is left alone; how to change it is said once.
func TestHideRuns(t *testing.T) {
	for name, test := range map[string]struct {
		ignore string // of the repository; "-": there is none
		said   bool
	}{
		"said": {"bin/\n", true}, "known": {"bin/\n/.hone/\n", false}, "no repository": {"-", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			module := filepath.Join(root, "module")
			if err := os.MkdirAll(module, 0o777); err != nil {
				t.Fatal(err)
			}
			if test.ignore != "-" {
				if err := os.Mkdir(filepath.Join(root, ".git"), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(test.ignore), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var stderr bytes.Buffer
			a := &app{stderr: &stderr}
			for range 2 {
				if err := hideRuns(a, filepath.Join(module, ".hone", "runs")); err != nil {
					t.Fatal(err)
				}
			}
			if n := strings.Count(stderr.String(), "echo .hone/ >>"); (n == 1) != test.said || n > 1 {
				t.Errorf("said %d times: %s", n, &stderr)
			}
			if text, err := os.ReadFile(filepath.Join(module, ".hone", ".gitignore")); err != nil || string(text) != "*\n" {
				t.Errorf("%q, %v", text, err)
			}
			if text, err := os.ReadFile(filepath.Join(root, ".gitignore")); err == nil && string(text) != test.ignore {
				t.Errorf("the user's .gitignore is %q", text)
			}
			if _, err := os.Stat(filepath.Join(module, ".gitignore")); err == nil {
				t.Error("a .gitignore was made")
			}
		})
	}
	other := filepath.Join(t.TempDir(), "runs")
	if err := hideRuns((&app{}), other); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a folder elsewhere was made")
	}
}
