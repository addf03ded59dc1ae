package workspace

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/spelling"
)

// A repository is the user's git repository. It is only read: files of another
// revision are written with an index of our own (read-tree, checkout-index),
// which registers nothing, as git worktree would, and honours attributes and the
// user's filters, LFS for one, as git archive would not (it leaves out export-ignore).
type repository struct {
	top string // of the working tree
	dir string // where hone runs; in top
}

// ErrNoRepository means that there is no git repository to take another revision from.
var ErrNoRepository = errors.New("not in a git repository")

// git runs git in the repository.
func (r *repository) git(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	return git.Run(ctx, dir, env, nil, args...)
}

func findRepository(ctx context.Context, dir string) (*repository, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("git is needed to compare with a revision: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir) // git prints real paths
	if err != nil {
		return nil, err
	}
	r := &repository{dir: real}
	out, err := r.git(ctx, real, nil, "rev-parse", "--show-toplevel")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !errors.Is(err, git.ErrNoRepository) {
		return nil, err // of another owner, for example
	}
	if err != nil || strings.TrimSpace(string(out)) == "" {
		return nil, fmt.Errorf("%w: %s; without -against the code is measured as it is, and hone compare compares two runs", ErrNoRepository, dir)
	}
	r.top = filepath.FromSlash(strings.TrimRight(string(out), "\r\n"))
	return r, nil
}

// resolve returns the commit that a name means.
func (r *repository) resolve(ctx context.Context, ref string) (string, error) {
	commit, err := r.commit(ctx, ref)
	if err == nil {
		return commit, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if _, err := r.git(ctx, r.dir, nil, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", fmt.Errorf("the repository has no commits yet: nothing to compare with")
	}
	msg := fmt.Sprintf("no branch, tag or commit %q", ref)
	relative := strings.ContainsAny(ref, "~^")
	if similar := r.closeNames(ctx, ref); len(similar) > 0 && !relative {
		return "", fmt.Errorf("%s; did you mean %s?", msg, strings.Join(similar, " or "))
	}
	if shallow, _ := r.git(ctx, r.dir, nil, "rev-parse", "--is-shallow-repository"); strings.TrimSpace(string(shallow)) == "true" {
		return "", fmt.Errorf("%s: this clone is shallow; git fetch --unshallow gets the history", msg)
	}
	if relative {
		return "", fmt.Errorf("%s: the history does not go back that far", msg)
	}
	return "", fmt.Errorf("%s; git branch -a and git tag list the names you can use", msg)
}

func (r *repository) commit(ctx context.Context, ref string) (string, error) {
	out, err := r.git(ctx, r.dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// Commit returns the commit that a branch, tag or other name means in the repository of a folder,
// or "" if there is none.
func Commit(ctx context.Context, dir, ref string) string {
	r, err := findRepository(ctx, dir)
	if err != nil {
		return ""
	}
	commit, err := r.commit(ctx, ref)
	if err != nil {
		return ""
	}
	return commit
}

// closeNames returns up to three names like a mistyped one, the best first.
func (r *repository) closeNames(ctx context.Context, ref string) []string {
	out, err := r.git(ctx, r.dir, nil, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	if err != nil {
		return nil
	}
	var names []string
	distance := make(map[string]int)
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		d := spelling.Distance(strings.ToLower(name), strings.ToLower(ref))
		_, short, remote := strings.Cut(name, "/")
		if remote {
			d = min(d, spelling.Distance(strings.ToLower(short), strings.ToLower(ref)))
		}
		if d <= max(1, len(ref)/3) || len(ref) >= 3 && strings.HasPrefix(name, ref) {
			names = append(names, name)
			distance[name] = d
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance[a] - distance[b] })
	return names[:min(3, len(names))]
}

// changedBelow returns the files below a folder that differ from a commit, or that git
// doesn't know and doesn't ignore.
func (r *repository) changedBelow(ctx context.Context, commit, dir string) ([]FileChange, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if !Inside(dir, r.top) {
		return nil, nil
	}
	tracked, err := r.git(ctx, dir, nil, "diff", "--name-only", "--relative", "-z", commit, "--", ".")
	if err != nil {
		return nil, err
	}
	others, err := r.git(ctx, dir, nil, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	var changes []FileChange
	for untracked, list := range map[bool][]byte{false: tracked, true: others} {
		for name := range strings.SplitSeq(string(list), "\x00") {
			if name != "" {
				changes = append(changes, FileChange{name, untracked})
			}
		}
	}
	slices.SortFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Name, b.Name) })
	return changes, nil
}

// untracked returns the files that git neither tracks nor ignores.
func (r *repository) untracked(ctx context.Context) (map[string]bool, error) {
	out, err := r.git(ctx, r.top, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	files := make(map[string]bool)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" {
			files[filepath.Join(r.top, filepath.FromSlash(name))] = true
		}
	}
	return files, nil
}
