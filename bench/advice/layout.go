package main

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

// folder returns where a case is laid out, and what to call when it is judged.
func (o *options) folder(c *testCase) (dir string, done func(), err error) {
	if o.keep == "" {
		dir, err = os.MkdirTemp("", "advice-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	dir = filepath.Join(o.keep, c.ID)
	return dir, func() {}, os.MkdirAll(dir, 0o777)
}

// layOut writes the revision that a case's commit changed, ready to be built.
func (o *options) layOut(ctx context.Context, c *testCase, dir string) error {
	repo, err := o.find(c.Repo)
	if err != nil {
		return err
	}
	if err := checkout(ctx, repo, cmp.Or(c.Parent, c.Commit), dir); err != nil {
		return err
	}
	if c.BenchFromCommit {
		if err := overlayTests(ctx, repo, c, dir); err != nil {
			return err
		}
	}
	return ensureModule(ctx, c, dir)
}

// ensureModule makes a case's folder a module, if its revision is older than these.
func ensureModule(ctx context.Context, c *testCase, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, moduleOf(dir, c.BenchPkg), "go.mod")); err == nil {
		return nil
	}
	return makeModule(ctx, cmp.Or(paths[c.Repo], "github.com/"+c.Repo), dir, requires[c.Repo]...)
}

// makeModule gives a folder what it takes to be built: a go.mod by a name, if it is older than
// modules, and what its packages and tests import, some in given versions.
func makeModule(ctx context.Context, name, dir string, versions ...string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		if out, err := run(ctx, dir, "go", "mod", "init", name); err != nil {
			return fmt.Errorf("go mod init: %s", out)
		}
		// What another tool has put below vendor would be taken for what go.mod requires.
		if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil {
			return err
		}
	}
	if len(versions) > 0 {
		if out, err := run(ctx, dir, "go", append([]string{"get"}, versions...)...); err != nil {
			return fmt.Errorf("go get: %s", firstLine(out))
		}
	}
	// With -e, a module that is gone matters only if the package to be profiled needs it.
	if out, err := run(ctx, dir, "go", "mod", "tidy", "-e"); err != nil {
		return fmt.Errorf("go mod tidy: %s", firstLine(out))
	}
	return nil
}

// advise lays out a case's revision and asks hone for advice on its benchmark.
func advise(ctx context.Context, o *options, c *testCase, dir string) ([]finding, error) {
	args := []string{"advise", "-json", "latest"}
	if !o.again {
		if err := o.layOut(ctx, c, dir); err != nil {
			return nil, err
		}
		pkg, err := filepath.Rel(moduleOf(dir, c.BenchPkg), filepath.Clean(c.BenchPkg))
		if err != nil {
			return nil, err
		}
		args = []string{"advise", "-json", "-vet=off", "-bench", c.Bench, "-profiletime", o.time, "./" + filepath.ToSlash(pkg)}
	}
	var report struct{ Findings []finding }
	err := ask(ctx, o, filepath.Join(dir, moduleOf(dir, c.BenchPkg)), &report, args...)
	return report.Findings, err
}

// find returns the git directory of a repository.
func (o *options) find(repo string) (string, error) {
	for _, name := range []string{strings.Replace(repo, "/", "+", 1) + "/repo", repo} {
		if _, err := os.Stat(filepath.Join(o.repos, name)); err == nil {
			return filepath.Join(o.repos, name), nil
		}
	}
	return "", fmt.Errorf("no repository %s in %s", repo, o.repos)
}

// checkout writes the files of a revision without touching the repository.
func checkout(ctx context.Context, repo, revision, dir string) error {
	index := filepath.Join(dir, ".index")
	defer os.Remove(index)
	for _, args := range [][]string{{"read-tree", revision}, {"checkout-index", "--all", "--force"}} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + repo, "--work-tree=" + dir}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		out, err := cmd.CombinedOutput()
		// A snapshot may lack large files, which are no source.
		if err != nil && !(args[0] == "checkout-index" && bytes.Contains(out, []byte("unable to read sha1 file"))) {
			return fmt.Errorf("git %s: %s", args[0], firstLine(out))
		}
	}
	return nil
}

// overlayTests puts the commit's tests over those of its parent.
func overlayTests(ctx context.Context, repo string, c *testCase, dir string) error {
	out, err := run(ctx, dir, "git", "--git-dir="+repo, "diff", "--name-only", "--diff-filter=d", c.Parent, c.Commit, "--", "*_test.go")
	if err != nil {
		return fmt.Errorf("git diff: %s", firstLine(out))
	}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := run(ctx, dir, "git", "--git-dir="+repo, "show", c.Commit+":"+name)
		if err != nil {
			return fmt.Errorf("git show: %s", firstLine(text))
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// moduleOf returns the folder of the module that a package is in.
func moduleOf(dir, pkg string) string {
	for at := filepath.Clean(pkg); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(dir, at, "go.mod")); err == nil || at == "." {
			return at
		}
	}
}
