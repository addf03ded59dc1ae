package workspace

import (
	"context"
	"encoding/json"
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
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := l.edit(ctx, "mod", file, &mod); err != nil {
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
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := l.edit(ctx, "work", at, &work); err != nil {
		return err
	}
	dir := filepath.Dir(file)
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
func (l *outsideLinks) edit(ctx context.Context, kind, file string, into any) error {
	out, err := gocmd.Command{Args: []string{kind, "edit", "-json", file}}.Output(ctx)
	if err != nil {
		return fmt.Errorf("the base's %s: %w", filepath.Base(file), err)
	}
	return json.Unmarshal(out, into)
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
