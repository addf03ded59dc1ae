package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/hone-go/hone/bench/history"
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
	repo, err := history.Find(o.repos, c.Repo)
	if err != nil {
		return err
	}
	if err := history.Checkout(ctx, repo, cmp.Or(c.Parent, c.Commit), dir); err != nil {
		return err
	}
	if c.BenchFromCommit {
		if err := history.OverlayTests(ctx, repo, c.Parent, c.Commit, dir); err != nil {
			return err
		}
	}
	return history.EnsureModule(ctx, c.Repo, c.BenchPkg, dir)
}

// advise lays out a case's revision and asks hone for advice on its benchmark.
func advise(ctx context.Context, o *options, c *testCase, dir string) ([]finding, error) {
	args := []string{"advise", "-json", "latest"}
	if !o.again {
		if err := o.layOut(ctx, c, dir); err != nil {
			return nil, err
		}
		pkg, err := filepath.Rel(history.ModuleOf(dir, c.BenchPkg), filepath.Clean(c.BenchPkg))
		if err != nil {
			return nil, err
		}
		args = []string{"advise", "-json", "-vet=off", "-bench", c.Bench, "-profiletime", o.time, "./" + filepath.ToSlash(pkg)}
	}
	var report struct{ Findings []finding }
	err := ask(ctx, o, filepath.Join(dir, history.ModuleOf(dir, c.BenchPkg)), &report, args...)
	return report.Findings, err
}
