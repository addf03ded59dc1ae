package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/workspace"
)

// A request is what the command line asks to prove.
type request struct {
	base       string // what the candidates change
	candidates []source
}

// A source is where a candidate comes from: a patch, a revision, or with neither the working
// tree.
type source struct {
	name     string
	patch    []byte
	isPatch  bool
	revision string
}

// WorkingTree names the candidate that has the uncommitted changes.
const WorkingTree = "working tree"

const stdinName = "stdin"

// maxPatch limits a patch. The largest patches that people review have some megabytes.
const maxPatch = 16 << 20

// readRequest reads arguments: patches, "-" for standard input, and REF..REF. Without any,
// the working tree is meant. base is the value of -base, or "".
func readRequest(ctx context.Context, args []string, base string, stdin io.Reader) (*request, error) {
	r := &request{base: base}
	if len(args) == 0 {
		r.candidates = []source{{name: WorkingTree}}
	}
	for _, arg := range args {
		s, from, err := readSource(ctx, arg, stdin)
		if err != nil {
			return nil, err
		}
		if from != "" {
			if r.base != "" && r.base != from {
				return nil, fmt.Errorf("%s starts at %s, but another base is %s: give all candidates the same base", arg, from, r.base)
			}
			r.base = from
		}
		if slices.ContainsFunc(r.candidates, func(o source) bool { return o.name == s.name }) {
			s.name = arg // two folders have a file of this name
		}
		if slices.ContainsFunc(r.candidates, func(o source) bool { return o.name == s.name || arg == "-" && o.name == stdinName }) {
			return nil, fmt.Errorf("%s is given twice", arg)
		}
		r.candidates = append(r.candidates, s)
	}
	r.base = cmp.Or(r.base, "HEAD")
	return r, nil
}

// readSource reads an argument. from is the base that it names, or "".
func readSource(ctx context.Context, arg string, stdin io.Reader) (s source, from string, err error) {
	switch {
	case arg == "-":
		text, err := io.ReadAll(io.LimitReader(stdin, maxPatch+1))
		if err == nil && len(text) > maxPatch {
			err = fmt.Errorf("the patch on standard input has more than %d MB", maxPatch>>20)
		}
		return source{name: stdinName, patch: text, isPatch: true}, "", err
	case !infile.Exists(arg) && isRange(arg):
		from, to, _ := strings.Cut(arg, "..")
		return source{name: arg, revision: cmp.Or(to, "HEAD")}, cmp.Or(from, "HEAD"), nil
	}
	text, err := infile.ReadFile(ctx, arg, maxPatch)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("no file %s: give a patch, REF..REF, or - for a patch on standard input", arg)
	}
	return source{name: filepath.Base(arg), patch: text, isPatch: true}, "", err
}

// isRange tells main..topic from a path such as ../topic.patch.
func isRange(arg string) bool {
	from, to, ok := strings.Cut(arg, "..")
	return ok && from+to != "" && !strings.HasSuffix(from, "/") && !strings.ContainsAny(to[:min(1, len(to))], `./\`)
}

// A candidate is a state of the code to prove.
type candidate struct {
	name  string
	tree  string
	files []fileChange
}

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
