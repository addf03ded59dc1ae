package workspace

import (
	"bytes"
	"context"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Base is the revision of the code that the base has.
type Base struct {
	experiment.Revision
	Warnings []string // what the base lacks
	repo     *repository
}

// DataChanged returns the files that differ, and that a benchmark may read though they
// are not in its binary: in the package's folder or its testdata, and not shared.
func (b *Base) DataChanged(ctx context.Context, dir string, shared []string) ([]FileChange, error) {
	return b.changed(ctx, dir, func(name string) bool {
		if strings.HasPrefix(name, "testdata/") {
			return !slices.Contains(shared, "testdata/")
		}
		return !strings.Contains(name, "/") && !notRead.MatchString(name) && !slices.Contains(shared, name)
	})
}

// FilesChanged is DataChanged for a program, which may read whatever lies in the
// folder it is started in, or below.
func (b *Base) FilesChanged(ctx context.Context, dir string) ([]FileChange, error) {
	return b.changed(ctx, dir, func(name string) bool { return !notRead.MatchString(path.Base(name)) })
}

func (b *Base) changed(ctx context.Context, dir string, counts func(name string) bool) ([]FileChange, error) {
	all, err := b.repo.changedBelow(ctx, b.Commit, dir)
	return slices.DeleteFunc(all, func(c FileChange) bool {
		return !counts(c.Name) || c.Untracked && !strings.HasPrefix(c.Name, "testdata/") && isOutput(filepath.Join(dir, filepath.FromSlash(c.Name)))
	}), err
}

// A FileChange is a file that differs from a revision.
type FileChange struct {
	Name      string // below the folder in question, with slashes
	Untracked bool   // git doesn't know the file, and doesn't ignore it
}

// String names the file, and says if it is new.
func (c FileChange) String() string {
	if c.Untracked {
		return c.Name + " (new)"
	}
	return c.Name
}

// outputName matches what hone and go test write besides text: profiles, and test binaries.
var outputName = lazyregexp.New(`\.(pb\.gz|pprof|prof|test|test\.exe)$|^(trace|cpu|mem|block|mutex|cover)\.out$`)

// isOutput reports whether a file next to a package is one that hone or go test wrote there,
// and that no benchmark reads: a page of hone, a profile or a test binary.
func isOutput(file string) bool {
	if outputName.MatchString(filepath.Base(file)) {
		return true
	}
	if filepath.Ext(file) != ".html" {
		return false
	}
	f, err := infile.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096)) // the title comes first
	return err == nil && bytes.Contains(head, []byte(" · hone</title>"))
}

// notRead matches files beside a package that no benchmark reads, or that are in
// its binary.
var notRead = lazyregexp.New(`^$|^\.|\.go$|^(go\.(mod|sum|work|work\.sum)|hone\.toml|(README|CHANGELOG|LICENSE)(\..*)?|Makefile)$`)
