package prove

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/workspace"
)

// makeCandidate makes a tree of a source in the copy.
func (c *scratchCopy) makeCandidate(ctx context.Context, s source) (*candidate, error) {
	var tree string
	var err error
	switch {
	case s.isPatch:
		tree, err = c.applyPatch(ctx, s)
	case s.revision != "":
		tree, err = c.treeOf(ctx, s.revision)
	default:
		tree, err = c.treeOfFiles(ctx)
	}
	if err != nil {
		return nil, err
	}
	files, err := c.changes(ctx, tree)
	if err != nil {
		return nil, err
	}
	if s.isPatch {
		if err := c.refuse(s.name, files); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s changes nothing in %s", s.name, c.Name)
	}
	return &candidate{s.name, tree, files}, nil
}

// treeOf is the tree of a revision.
func (c *scratchCopy) treeOf(ctx context.Context, ref string) (string, error) {
	commit := workspace.Commit(ctx, c.User, ref)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if commit == "" {
		return "", fmt.Errorf("no branch, tag or commit %q; git branch -a and git tag list the names you can use", ref)
	}
	return c.git(ctx, nil, nil, "rev-parse", "--verify", commit+"^{tree}")
}

// treeOfFiles is a tree of the files that the user has now, also new ones that git doesn't
// ignore. Its objects are written into the copy.
func (c *scratchCopy) treeOfFiles(ctx context.Context) (string, error) {
	out, err := git.Run(ctx, c.User, nil, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	top := filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
	file := filepath.Join(c.Scratch.Path, "index")
	defer os.Remove(file)
	env := []string{
		"GIT_INDEX_FILE=" + file,
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(c.Side.Top, ".git", "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + c.copied,
	}
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"add", "--all", "--", "."}} {
		if _, err := git.Run(ctx, top, env, nil, args...); err != nil {
			return "", err
		}
	}
	tree, err := git.Run(ctx, top, env, nil, "write-tree")
	return strings.TrimSpace(string(tree)), err
}
