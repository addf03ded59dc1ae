package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/git"
)

// checkout makes a side of a revision's files: in the scratch directory, under their own
// path,
//
//	/tmp/hone-tmp-123/base/home/ann/src/app/…   for /home/ann/src/app
//
// so that what go.mod or go.work say of ../lib, outside of the repository, is
// found where a symbolic link to it can be put: no file has to be changed.
func checkout(ctx context.Context, scratch *Scratch, tool GoTool, r *repository, commit string) (s Side, warnings []string, err error) {
	root := filepath.Join(scratch.Path, "base")
	mirror := func(path string) string {
		return filepath.Join(root, strings.TrimPrefix(path, filepath.VolumeName(path)))
	}
	if warnings, err = export(ctx, filepath.Join(scratch.Path, "index"), r, r.top, commit, mirror(r.top)); err != nil {
		return Side{}, nil, err
	}
	rel, err := filepath.Rel(r.top, r.dir)
	if err != nil {
		return Side{}, nil, err
	}
	s = Side{Dir: filepath.Join(mirror(r.top), rel), Env: slices.Clone(tool.Env), Top: mirror(r.top)}
	links := &outsideLinks{r.top, mirror}
	switch work := tool.Work; {
	case work == "" || work == "off":
		if !findUpward(s.Dir, mirror(r.top), "go.work") {
			s.Env = append(s.Env, "GOWORK=off") // of no concern: one above the temporary directory
		}
		if dir := upwardDir(s.Dir, mirror(r.top), "go.mod"); dir != "" {
			err = links.module(ctx, filepath.Join(r.top, strings.TrimPrefix(dir, mirror(r.top))))
		}
	default:
		if real, e := filepath.EvalSymlinks(work); e == nil {
			work = real
		}
		s.Env = append(s.Env, "GOWORK="+mirror(work))
		err = links.workspace(ctx, work)
	}
	return s, warnings, err
}

// export writes the files of a commit, and of its submodules as far as they are
// here. indexFile is a name for a temporary file.
func export(ctx context.Context, indexFile string, r *repository, top, commit, to string) (warnings []string, err error) {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	index := []string{"GIT_INDEX_FILE=" + indexFile}
	defer os.Remove(indexFile)
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
		more, err := export(ctx, indexFile, r, sub, fields[2], filepath.Join(to, filepath.FromSlash(path)))
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
