package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/infile"
)

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
	if Inside(target, l.top) || !infile.Exists(target) {
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
func (l *outsideLinks) module(ctx context.Context, dir string) error {
	file := filepath.Join(l.mirror(dir), "go.mod")
	if !Inside(dir, l.top) {
		file = filepath.Join(dir, "go.mod") // not part of the revision
	}
	if !infile.Exists(file) {
		return nil
	}
	_, err := l.replacements(ctx, dir, file)
	return err
}

// replacements links the folders that stand in for modules by what a go.mod or go.work of the base says, which is of
// a module or workspace in dir.
func (l *outsideLinks) replacements(ctx context.Context, dir, file string) (*gocmd.ModFile, error) {
	mod, err := gocmd.ReadModFile(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("the base's %s: %w", filepath.Base(file), err)
	}
	for _, r := range mod.Replacements() {
		if err := l.link(dir, r.Dir); err != nil {
			return nil, err
		}
	}
	return mod, nil
}

// workspace links what go.work uses, and copies go.work where the revision has
// none of its own: many keep it out of git.
func (l *outsideLinks) workspace(ctx context.Context, file string) error {
	at := l.mirror(file)
	own := infile.Exists(at)
	for _, name := range []string{file, file + ".sum"} {
		text, err := infile.ReadFile(ctx, name, infile.MaxSource)
		if err != nil || infile.Exists(l.mirror(name)) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(l.mirror(name), text, 0o600); err != nil {
			return err
		}
	}
	dir := filepath.Dir(file)
	work, err := l.replacements(ctx, dir, at)
	if err != nil {
		return err
	}
	for _, u := range work.Use {
		if err := l.link(dir, u.DiskPath); err != nil {
			return err
		}
		module := filepath.Join(dir, filepath.FromSlash(u.DiskPath))
		if !own && Inside(module, l.top) && !infile.Exists(l.mirror(module)) {
			// The revision is older than this module.
			if _, err := (gocmd.Command{Args: []string{"work", "edit", "-dropuse=" + u.DiskPath, at}}).Output(ctx); err != nil {
				return err
			}
			continue
		}
		if err := l.module(ctx, module); err != nil {
			return err
		}
	}
	return nil
}

// Inside reports whether a path is a folder or lies in it.
func Inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// upwardDir returns the nearest folder with a file of the given name, from dir
// up to top; "" if there is none.
func upwardDir(dir, top, name string) string {
	for Inside(dir, top) {
		if infile.Exists(filepath.Join(dir, name)) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

func findUpward(dir, top, name string) bool { return upwardDir(dir, top, name) != "" }
