package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/bench/history"
)

// Tags of the states of the code in a laid out repository.
const (
	parentTag = "parent"
	authorTag = "author"
)

// A repository has the parent of a commit and what the author made of it, each as a commit with a tag.
type repository struct {
	dir    string // of the repository
	module string // the folder of the module with the benchmark
	pkg    string // the package of the benchmark: "./tree"
}

// layOut makes a repository of a fact.
func layOut(ctx context.Context, repos, dir string, f *fact) (*repository, error) {
	from, err := history.Find(repos, f.Repo)
	if err != nil {
		return nil, err
	}
	if err := history.Git(ctx, dir, "init", "-q"); err != nil {
		return nil, err
	}
	if err := history.Checkout(ctx, from, f.Parent, dir); err != nil {
		return nil, err
	}
	if f.BenchFromCommit {
		if err := history.OverlayTests(ctx, from, f.Parent, f.Commit, dir); err != nil {
			return nil, err
		}
	}
	if err := history.EnsureModule(ctx, f.Repo, f.BenchPkg, dir); err != nil {
		return nil, err
	}
	root := history.ModuleOf(dir, f.BenchPkg)
	made := make(map[string][]byte) // of a module that is older than go.mod
	for _, name := range []string{"go.mod", "go.sum"} {
		if text, err := os.ReadFile(filepath.Join(dir, root, name)); err == nil {
			made[name] = text
		}
	}
	if err := commit(ctx, dir, parentTag); err != nil {
		return nil, err
	}
	if err := history.Git(ctx, dir, "rm", "-rfq", "."); err != nil {
		return nil, err
	}
	if err := history.Checkout(ctx, from, f.Commit, dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, root, "go.mod")); err != nil {
		err = os.RemoveAll(filepath.Join(dir, root, "vendor"))
		for name, text := range made {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, root, name), text, 0o666))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := commit(ctx, dir, authorTag); err != nil {
		return nil, err
	}
	pkg, err := filepath.Rel(root, filepath.Clean(f.BenchPkg))
	if err != nil {
		return nil, err
	}
	return &repository{dir, filepath.Join(dir, root), "./" + filepath.ToSlash(pkg)}, nil
}

// commit commits all files, and tags that.
func commit(ctx context.Context, dir, tag string) error {
	return errors.Join(history.Git(ctx, dir, "add", "-A", "--force", ":!.hone"), history.Git(ctx, dir, "commit", "-q", "--allow-empty", "-m", tag), history.Git(ctx, dir, "tag", "-f", tag))
}

// checkOut makes the files those of a state.
func (r *repository) checkOut(ctx context.Context, tag string) error {
	return errors.Join(history.Git(ctx, r.dir, "checkout", "-q", "--force", tag), history.Git(ctx, r.dir, "clean", "-qfd", "-e", ".hone"))
}

// apply makes an edit in the state that it is for, and commits it under a tag.
func (r *repository) apply(ctx context.Context, e *edit, tag string) error {
	if err := r.checkOut(ctx, e.On); err != nil {
		return err
	}
	name := filepath.Join(r.dir, filepath.FromSlash(e.File))
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(raw)
	for _, pair := range e.Replace {
		if n := strings.Count(text, pair[0]); n != 1 {
			return fmt.Errorf("%s has %q %d times, not once", e.File, pair[0], n)
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		return err
	}
	return commit(ctx, r.dir, tag)
}
