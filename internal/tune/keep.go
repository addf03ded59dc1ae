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

// unchanged checks that files are those that the rewrite was made of, and that
// nothing in them is anybody's unsaved work.
func (t *Tuner) unchanged(ctx context.Context, fix *advice.Fix) error {
	for i := range fix.Files {
		c := &fix.Files[i]
		if c.New {
			if err := absent(c.File); err != nil {
				return err
			}
			continue
		}
		if err := t.inside(c.File); err != nil {
			return err
		}
		now, err := infile.ReadFile(ctx, c.File, infile.MaxSource)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, c.Before) {
			return fmt.Errorf("%s has changed since the advice was given: run hone advise again", c.File)
		}
		if t.Dirty || bytes.Equal(now, t.written[c.File]) {
			continue
		}
		if err := committed(ctx, c.File); err != nil {
			return err
		}
	}
	return nil
}

// absent checks that a file that a rewrite adds doesn't exist.
func absent(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("the rewrite adds %s, which exists: rename it, or run hone advise again", file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// committed checks that git, if it is there, knows a file as it is.
func committed(ctx context.Context, file string) error {
	target, err := filepath.EvalSymlinks(file) // which is what is rewritten
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
		return fmt.Errorf("can't tell whether %s has uncommitted changes: %w; -dirty changes it anyway", file, err)
	case len(bytes.TrimSpace(out)) > 0:
		return fmt.Errorf("%s %w; -dirty changes it anyway", file, ErrUncommitted)
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

// keep writes the files of a rewrite in one step: whatever happens, they have their old texts or
// the new ones. If hone is killed, the next hone in the module sees to that.
func (t *Tuner) keep(fix *advice.Fix) error {
	var texts []temporary.Text
	for i := range fix.Files {
		text, err := t.textOf(&fix.Files[i])
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if err := temporary.ReplaceTexts(texts); err != nil {
		return err
	}
	if t.written == nil {
		t.written, t.first = make(map[string][]byte), make(map[string][]byte)
	}
	for _, c := range fix.Files {
		if _, known := t.first[c.File]; !known {
			t.first[c.File] = c.Before // nil if there was none
		}
		t.written[c.File] = c.After
	}
	t.covered = nil
	return nil
}

// textOf is what a rewrite puts into a file, where symbolic links lead to.
func (t *Tuner) textOf(c *advice.FileChange) (temporary.Text, error) {
	if c.New {
		return temporary.Text{Path: c.File, Mode: 0o644, Text: c.After}, nil
	}
	if err := t.inside(c.File); err != nil {
		return temporary.Text{}, err
	}
	target, err := filepath.EvalSymlinks(c.File)
	if err != nil {
		return temporary.Text{}, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return temporary.Text{}, err
	}
	return temporary.Text{Path: target, Mode: info.Mode().Perm(), Text: c.After}, nil
}
