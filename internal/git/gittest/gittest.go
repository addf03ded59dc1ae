// Package gittest makes files and repositories for tests.
package gittest

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Write makes files, and folders for them. Names are relative to dir.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Folder makes a new folder with files, and returns its path, which has no symbolic links.
func Folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	Write(t, dir, files)
	return dir
}

// Run runs git in a folder, and returns what it prints.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Commit makes the files, and a commit of them; the repository, too, if need be.
func Commit(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	Write(t, dir, files)
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		Run(t, dir, "init", "-q")
	}
	Run(t, dir, "add", "-A")
	Run(t, dir, "commit", "-q", "-m", "more")
}
