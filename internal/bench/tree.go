package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A repository is the user's git repository. It is only read: files of another
// revision are written with an index of our own (read-tree, checkout-index),
// which registers nothing, as git worktree would, and honours attributes and the
// user's filters, LFS for one, as git archive would not (it leaves out export-ignore).
type repository struct {
	top string // of the working tree
	dir string // where hone runs; in top
}

// ErrNoRepository: there is no git repository to take another revision from.
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
	out, err := r.git(ctx, r.dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err == nil {
		return strings.TrimSpace(string(out)), nil
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
	return "", fmt.Errorf("%s; git branch -a and git tag list what there is", msg)
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
		d := EditDistance(strings.ToLower(name), strings.ToLower(ref))
		_, short, remote := strings.Cut(name, "/")
		if remote {
			d = min(d, EditDistance(strings.ToLower(short), strings.ToLower(ref)))
		}
		if d <= max(1, len(ref)/3) || len(ref) >= 3 && strings.HasPrefix(name, ref) {
			names = append(names, name)
			distance[name] = d
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return distance[a] - distance[b] })
	return names[:min(3, len(names))]
}

// EditDistance is Levenshtein's, in bytes: how many have to be changed, added or
// removed to make b of a.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// dataChanged reports whether files differ that a benchmark may read but that
// are not in its binary: in the package's folder or its testdata, and not shared.
func (r *repository) dataChanged(ctx context.Context, commit, dir string, shared []string) (bool, error) {
	return r.changedBelow(ctx, commit, dir, func(name string) bool {
		if strings.HasPrefix(name, testdata+"/") {
			return !slices.Contains(shared, testdata+"/")
		}
		return !strings.Contains(name, "/") && !notRead.MatchString(name) && !slices.Contains(shared, name)
	})
}

// filesChanged is dataChanged for a program, which may read whatever lies in the
// folder it is started in, or below.
func (r *repository) filesChanged(ctx context.Context, commit, dir string) (bool, error) {
	return r.changedBelow(ctx, commit, dir, func(name string) bool { return !notRead.MatchString(path.Base(name)) })
}

// changedBelow reports whether one of the files below a folder counts that differ
// from a commit, or that git doesn't know and doesn't ignore.
func (r *repository) changedBelow(ctx context.Context, commit, dir string, counts func(name string) bool) (bool, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if !inside(dir, r.top) {
		return false, nil
	}
	tracked, err := r.git(ctx, dir, nil, "diff", "--name-only", "--relative", "-z", commit, "--", ".")
	if err != nil {
		return false, err
	}
	others, err := r.git(ctx, dir, nil, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return false, err
	}
	names := strings.Split(strings.TrimSuffix(string(tracked)+string(others), "\x00"), "\x00")
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && counts(name) }), nil
}

// notRead matches files beside a package that no benchmark reads, or that are in
// its binary.
var notRead = lazyregexp.New(`^$|^\.|\.go$|^(go\.(mod|sum|work|work\.sum)|hone\.toml|(README|CHANGELOG|LICENSE)(\..*)?|Makefile)$`)

// checkout makes the side base: the revision's files in the scratch directory,
// under their own path,
//
//	/tmp/hone-tmp-123/base/home/ann/src/app/…   for /home/ann/src/app
//
// so that what go.mod or go.work say of ../lib, outside of the repository, is
// found where a symbolic link to it can be put: no file has to be changed.
func (w *workspace) checkout(ctx context.Context, r *repository, commit string) (warnings []string, err error) {
	root := filepath.Join(w.scratch.Path, "base")
	mirror := func(path string) string {
		return filepath.Join(root, strings.TrimPrefix(path, filepath.VolumeName(path)))
	}
	if warnings, err = w.export(ctx, r, r.top, commit, mirror(r.top)); err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(r.top, r.dir)
	if err != nil {
		return nil, err
	}
	s := side{dir: filepath.Join(mirror(r.top), rel), env: slices.Clone(w.tool.env), top: mirror(r.top)}
	w.sides[experiment.Head].top = r.top
	links := &outsideLinks{r.top, mirror}
	switch work := w.tool.work; {
	case work == "" || work == "off":
		if !findUpward(s.dir, mirror(r.top), "go.work") {
			s.env = append(s.env, "GOWORK=off") // of no concern: one above the temporary directory
		}
		if dir := upwardDir(s.dir, mirror(r.top), "go.mod"); dir != "" {
			err = links.module(ctx, w.tool.path, filepath.Join(r.top, strings.TrimPrefix(dir, mirror(r.top))))
		}
	default:
		if real, e := filepath.EvalSymlinks(work); e == nil {
			work = real
		}
		s.env = append(s.env, "GOWORK="+mirror(work))
		err = links.workspace(ctx, w.tool.path, work)
	}
	w.sides[experiment.Base] = s
	return warnings, err
}

// export writes the files of a commit, and of its submodules as far as they are
// here.
func (w *workspace) export(ctx context.Context, r *repository, top, commit, to string) (warnings []string, err error) {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(w.scratch.Path, "index")}
	defer os.Remove(filepath.Join(w.scratch.Path, "index"))
	if _, err := r.git(ctx, top, index, "read-tree", commit); err != nil {
		return nil, err
	}
	if _, err := r.git(ctx, top, index, "checkout-index", "--all", "--force", "--prefix="+filepath.ToSlash(to)+"/"); err != nil {
		return nil, err
	}
	if warnings, err = r.unfiltered(ctx, top, index); err != nil {
		return nil, err
	}
	list, err := r.git(ctx, top, nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(list), "\x00") {
		// "160000 commit 1234…\tpath" is a submodule.
		meta, path, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if len(fields) != 3 || fields[1] != "commit" {
			continue
		}
		sub := filepath.Join(top, filepath.FromSlash(path))
		out, err := r.git(ctx, sub, nil, "rev-parse", "--show-toplevel")
		if err == nil && filepath.FromSlash(strings.TrimSpace(string(out))) == sub {
			_, err = r.git(ctx, sub, nil, "cat-file", "-e", fields[2]+"^{commit}")
		} else {
			err = errors.New("not initialized")
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the base lacks submodule %s: commit %.12s is not here (git submodule update --init; git -C %s fetch)", path, fields[2], path))
			continue
		}
		more, err := w.export(ctx, r, sub, fields[2], filepath.Join(to, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, more...)
	}
	return warnings, nil
}

// unfiltered warns of files of an index that were written as git keeps them: a filter of the
// repository's own configuration is a program that the user never agreed to run.
func (r *repository) unfiltered(ctx context.Context, top string, index []string) (warnings []string, err error) {
	names, err := git.Filters(ctx, top)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	files, err := r.git(ctx, top, index, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	out, err := git.Run(ctx, top, index, files, "check-attr", "--cached", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	of := make(map[string][]string) // files, by filter
	for values := strings.Split(string(out), "\x00"); len(values) > 3; values = values[3:] {
		if file, name := values[0], values[2]; slices.Contains(names, name) {
			of[name] = append(of[name], file)
		}
	}
	for _, name := range names {
		if some := of[name]; len(some) > 0 {
			warnings = append(warnings, fmt.Sprintf("the base has %s as stored in git, without filter %q (%d files in all): this repository's own configuration "+
				"sets the filter, and hone runs no program of it; set the filter in your own (git config --global; git lfs install) if the benchmarks need these files", some[0], name, len(some)))
		}
	}
	return warnings, nil
}

// outsideLinks makes folders outside of the repository, which go.mod and
// go.work name by relative paths, visible from the base.
type outsideLinks struct {
	top    string
	mirror func(string) string
}

// link makes path, of a module or workspace in dir, visible.
func (l *outsideLinks) link(dir, path string) error {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return nil // as it is on both sides
	}
	target := filepath.Clean(filepath.Join(dir, path))
	if inside(target, l.top) || !exists(target) {
		return nil // the revision's own; or the go command says what is missing
	}
	at := l.mirror(target)
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.Symlink(target, at)
}

// module links the replacements of the go.mod in dir, as the base has it.
func (l *outsideLinks) module(ctx context.Context, goPath, dir string) error {
	file := filepath.Join(l.mirror(dir), "go.mod")
	if !inside(dir, l.top) {
		file = filepath.Join(dir, "go.mod") // not part of the revision
	}
	if !exists(file) {
		return nil
	}
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := l.edit(ctx, goPath, "mod", file, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if r.New.Version == "" {
			if err := l.link(dir, r.New.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// workspace links what go.work uses, and copies go.work where the revision has
// none of its own: many keep it out of git.
func (l *outsideLinks) workspace(ctx context.Context, goPath, file string) error {
	at := l.mirror(file)
	own := exists(at)
	for _, name := range []string{file, file + ".sum"} {
		text, err := infile.ReadFile(ctx, name, infile.MaxSource)
		if err != nil || exists(l.mirror(name)) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(l.mirror(name), text, 0o600); err != nil {
			return err
		}
	}
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := l.edit(ctx, goPath, "work", at, &work); err != nil {
		return err
	}
	dir := filepath.Dir(file)
	for _, u := range work.Use {
		if err := l.link(dir, u.DiskPath); err != nil {
			return err
		}
		module := filepath.Join(dir, filepath.FromSlash(u.DiskPath))
		if !own && inside(module, l.top) && !exists(l.mirror(module)) {
			// The revision is older than this module.
			cmd := exec.CommandContext(ctx, goPath, "work", "edit", "-dropuse="+u.DiskPath, at)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("go work edit: %s", orText(firstLine(out), err))
			}
			continue
		}
		if err := l.module(ctx, goPath, module); err != nil {
			return err
		}
	}
	for _, r := range work.Replace {
		if r.New.Version == "" {
			if err := l.link(dir, r.New.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// edit reads a go.mod or go.work.
func (l *outsideLinks) edit(ctx context.Context, goPath, kind, file string, into any) error {
	cmd := exec.CommandContext(ctx, goPath, kind, "edit", "-json", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the base's %s: %s", filepath.Base(file), orText(firstLine(stderr.Bytes()), err))
	}
	return json.Unmarshal(out, into)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// inside reports whether a path is a folder or lies in it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// upwardDir returns the nearest folder with a file of the given name, from dir
// up to top; "" if there is none.
func upwardDir(dir, top, name string) string {
	for inside(dir, top) {
		if exists(filepath.Join(dir, name)) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

func findUpward(dir, top, name string) bool { return upwardDir(dir, top, name) != "" }
