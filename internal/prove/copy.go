package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/workspace"
)

// A scratchCopy is a copy of the user's repository in the temporary directory, with a git
// repository of its own. It reads the user's objects and writes none there, so patches become
// trees without a trace in the user's repository. One state of the code is checked out in it
// at a time.
type scratchCopy struct {
	*workspace.Workspace
	Side   workspace.Side
	User   string // folder of the user's module that hone runs in
	Base   string // commit
	Name   string // of the base, as the user gave it
	module string // root of the module in the copy
	prefix string // root of the module below the top, "" or ending in a slash
	copied string // objects of the user's repository
}

// openCopy copies a revision of the repository around a folder.
func openCopy(ctx context.Context, dir, ref string) (_ *scratchCopy, err error) {
	w, err := workspace.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	base, err := w.Checkout(ctx, ref)
	if errors.Is(err, workspace.ErrNoRepository) {
		return nil, fmt.Errorf("%w: hone prove takes the base from one; use git init, and commit the module", workspace.ErrNoRepository)
	} else if err != nil {
		return nil, err
	}
	c := &scratchCopy{Workspace: w, Side: w.Sides[experiment.Base], User: w.Sides[experiment.Head].Dir, Base: base.Commit, Name: ref}
	if c.copied, err = objects(ctx, c.User); err != nil {
		return nil, err
	}
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	return c, c.findModule(ctx)
}

// initialize makes the copy a repository whose HEAD is the base.
func (c *scratchCopy) initialize(ctx context.Context) error {
	args := []string{"init", "--quiet", "--template="}
	if len(c.Base) == 64 {
		args = append(args, "--object-format=sha256")
	}
	if _, err := c.git(ctx, nil, nil, args...); err != nil {
		return err
	}
	info := filepath.Join(c.Side.Top, ".git", "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(filepath.ToSlash(c.copied)+"\n"), 0o600); err != nil {
		return err
	}
	if _, err := c.git(ctx, nil, nil, "update-ref", "--no-deref", "HEAD", c.Base); err != nil {
		return err
	}
	return c.checkOut(ctx, c.Base)
}

// findModule finds the module around the folder that hone runs in.
func (c *scratchCopy) findModule(ctx context.Context) error {
	v, err := c.Go(c.Side, "env").Environ(ctx, "GOMOD")
	if err != nil {
		return err
	}
	file := filepath.FromSlash(v[0])
	top, err := filepath.EvalSymlinks(c.Side.Top)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil || v[0] == "" || v[0] == os.DevNull || !workspace.Inside(real, top) {
		return fmt.Errorf("no go.mod in %s: run hone prove in a module that is committed", c.Name)
	}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return err
	}
	c.module = filepath.Join(c.Side.Top, rel)
	if rel != "." {
		c.prefix = filepath.ToSlash(rel) + "/"
	}
	return nil
}

// objects returns the folder of a repository's objects.
func objects(ctx context.Context, dir string) (string, error) {
	out, err := git.Run(ctx, dir, nil, nil, "rev-parse", "--git-path", "objects")
	if err != nil {
		return "", err
	}
	path := filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path, nil
}

// git runs git in the copy.
func (c *scratchCopy) git(ctx context.Context, env []string, input []byte, args ...string) (string, error) {
	out, err := git.Run(ctx, c.Side.Top, env, input, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// checkOut makes the files of the copy those of a tree, and removes all others. HEAD stays
// the base.
func (c *scratchCopy) checkOut(ctx context.Context, tree string) error {
	if _, err := c.git(ctx, nil, nil, "read-tree", "--reset", "-u", tree); err != nil {
		return err
	}
	_, err := c.git(ctx, nil, nil, "clean", "-ffdxq")
	return err
}

// index returns the environment for a git that works on an index of its own, which is
// removed by done.
func (c *scratchCopy) index(ctx context.Context, tree string) (env []string, done func(), err error) {
	file := filepath.Join(c.Scratch.Path, "index")
	env = []string{"GIT_INDEX_FILE=" + file}
	_, err = c.git(ctx, env, nil, "read-tree", tree)
	return env, func() { _ = os.Remove(file) }, err
}

// identity is for commits in the copy, which nobody sees.
var identity = []string{
	"GIT_AUTHOR_NAME=hone", "GIT_AUTHOR_EMAIL=hone@localhost", "GIT_AUTHOR_DATE=2000-01-01T00:00:00Z",
	"GIT_COMMITTER_NAME=hone", "GIT_COMMITTER_EMAIL=hone@localhost", "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
}

// commit makes a commit of a tree in the copy, and returns a name for it: the one asked for,
// if git takes it for a tag and finds the commit by it. A patch may be called HEAD.
func (c *scratchCopy) commit(ctx context.Context, tree, name string) (string, error) {
	commit, err := c.git(ctx, identity, nil, "commit-tree", "-p", c.Base, "-m", name, tree)
	if err != nil {
		return "", err
	}
	if _, err := c.git(ctx, nil, nil, "update-ref", "refs/tags/"+name, commit); ctx.Err() != nil {
		return "", ctx.Err()
	} else if err != nil || workspace.Commit(ctx, c.Side.Top, name) != commit {
		return commit, nil
	}
	return name, nil
}
