// Package history lays out revisions of public modules, also of those that are older than modules, so that they can be
// built: facts name a repository, a commit, its parent and a benchmark.
package history

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// EnsureModule makes the folder of a repository's revision a module around a package, if it is older than modules.
func EnsureModule(ctx context.Context, repo, pkg, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, ModuleOf(dir, pkg), "go.mod")); err == nil {
		return nil
	}
	return MakeModule(ctx, cmp.Or(paths[repo], "github.com/"+repo), dir, requires[repo]...)
}

// MakeModule gives a folder what it takes to be built: a go.mod by a name, if it is older than
// modules, and what its packages and tests import, some in given versions.
func MakeModule(ctx context.Context, name, dir string, versions ...string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if out, err := Run(ctx, dir, "go", "mod", "init", name); err != nil {
			return fmt.Errorf("go mod init: %s", out)
		}
		// What another tool has put below vendor would be taken for what go.mod requires.
		if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil {
			return err
		}
	}
	if len(versions) > 0 {
		if out, err := Run(ctx, dir, "go", append([]string{"get"}, versions...)...); err != nil {
			return fmt.Errorf("go get: %s", FirstLine(out))
		}
	}
	// With -e, a module that is gone matters only if the package to be profiled needs it.
	if out, err := Run(ctx, dir, "go", "mod", "tidy", "-e"); err != nil {
		return fmt.Errorf("go mod tidy: %s", FirstLine(out))
	}
	return nil
}

// Find returns the git directory of a repository, OWNER/NAME, below a folder, which has it as OWNER+NAME/repo or OWNER/NAME. The
// first one may be a clone with a work tree.
func Find(repos, repo string) (string, error) {
	flat := strings.Replace(repo, "/", "+", 1) + "/repo"
	for _, name := range []string{flat + "/.git", flat, repo} {
		if _, err := os.Stat(filepath.Join(repos, name)); err == nil {
			return filepath.Join(repos, name), nil
		}
	}
	return "", fmt.Errorf("no repository %s in %s", repo, repos)
}

// Checkout writes the files of a revision without touching the repository.
func Checkout(ctx context.Context, repo, revision, dir string) error {
	index := filepath.Join(dir, ".index")
	defer os.Remove(index)
	for _, args := range [][]string{{"read-tree", revision}, {"checkout-index", "--all", "--force"}} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + repo, "--work-tree=" + dir}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		out, err := cmd.CombinedOutput()
		// A snapshot may lack large files, which are no source.
		if err != nil && !(args[0] == "checkout-index" && bytes.Contains(out, []byte("unable to read sha1 file"))) {
			return fmt.Errorf("git %s: %s", args[0], FirstLine(out))
		}
	}
	return nil
}

// OverlayTests puts a commit's tests over those of its parent, which a folder has.
func OverlayTests(ctx context.Context, repo, parent, commit, dir string) error {
	out, err := Run(ctx, dir, "git", "--git-dir="+repo, "diff", "--name-only", "--diff-filter=d", parent, commit, "--", "*_test.go")
	if err != nil {
		return fmt.Errorf("git diff: %s", FirstLine(out))
	}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := Run(ctx, dir, "git", "--git-dir="+repo, "show", commit+":"+name)
		if err != nil {
			return fmt.Errorf("git show: %s", FirstLine(text))
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// ModuleOf returns the folder of the module that a package is in.
func ModuleOf(dir, pkg string) string {
	for at := filepath.Clean(pkg); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(dir, at, "go.mod")); err == nil || at == "." {
			return at
		}
	}
}
