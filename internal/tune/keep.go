package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/git"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/temporary"
)

// unchanged checks that a file is the one that the rewrite was made of, and that
// nothing in it is anybody's unsaved work.
func (t *Tuner) unchanged(ctx context.Context, fix *advice.Fix) error {
	if err := t.inside(fix.File); err != nil {
		return err
	}
	now, err := infile.ReadFile(ctx, fix.File, infile.MaxSource)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, fix.Before) {
		return fmt.Errorf("%s has changed since the advice was given: run hone advise again", fix.File)
	}
	for _, a := range fix.Added {
		if _, err := os.Lstat(a.File); err == nil {
			return fmt.Errorf("the rewrite adds %s, which exists: rename it, or run hone advise again", a.File)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if t.Dirty || bytes.Equal(now, t.written[fix.File]) {
		return nil
	}
	target, err := filepath.EvalSymlinks(fix.File) // which is what is rewritten
	if err != nil {
		return err
	}
	out, err := git.Run(ctx, filepath.Dir(target), nil, nil, "status", "--porcelain", "--untracked-files=all", "--ignored", "--", filepath.Base(target))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, git.ErrNoRepository):
		return nil // there is nothing to compare with
	case err != nil:
		return fmt.Errorf("can't tell whether %s has uncommitted changes: %w; -dirty changes it anyway", fix.File, err)
	case len(bytes.TrimSpace(out)) > 0:
		return fmt.Errorf("%s %w; -dirty changes it anyway", fix.File, ErrUncommitted)
	}
	return nil
}

// inside checks that a file is where its name says: in the module that the name is in, once
// symbolic links of the file and of the folders above are followed.
func (t *Tuner) inside(file string) error {
	root := filepath.Dir(file)
	for {
		if info, err := os.Stat(filepath.Join(root, "go.mod")); err == nil && info.Mode().IsRegular() {
			break
		}
		up := filepath.Dir(root)
		if up == root {
			return nil // in no module
		}
		root = up
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	for dir := t.Dir; ; { // a link to a folder may have a go.mod of its own: the user's module counts
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
				root = dir
			}
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(real, target); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s %w (%s)", file, ErrOutside, target)
	}
	return nil
}

// keep writes the rewritten file in one step: whatever happens, it is the old text or
// the new one. Files that the rewrite adds come after it: they test what is then there.
func (t *Tuner) keep(fix *advice.Fix) error {
	if err := t.inside(fix.File); err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(fix.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if err := temporary.ReplaceText(target, info.Mode().Perm(), fix.After); err != nil {
		return err
	}
	if t.written == nil {
		t.written, t.first = make(map[string][]byte), make(map[string][]byte)
	}
	if t.first[fix.File] == nil {
		t.first[fix.File] = fix.Before
	}
	t.written[fix.File], t.covered = fix.After, nil
	for _, a := range fix.Added {
		if err := temporary.ReplaceText(a.File, 0o644, a.Text); err != nil {
			return err
		}
		t.written[a.File], t.first[a.File] = a.Text, nil // there was none
	}
	return nil
}
