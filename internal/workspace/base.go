package workspace

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Base is the revision of the code that the base has.
type Base struct {
	experiment.Revision
	Warnings []string // what the base lacks
	repo     *repository
}

// DataChanged reports whether files differ that a benchmark may read but that
// are not in its binary: in the package's folder or its testdata, and not shared.
func (b *Base) DataChanged(ctx context.Context, dir string, shared []string) (bool, error) {
	return b.repo.changedBelow(ctx, b.Commit, dir, func(name string) bool {
		if strings.HasPrefix(name, "testdata/") {
			return !slices.Contains(shared, "testdata/")
		}
		return !strings.Contains(name, "/") && !notRead.MatchString(name) && !slices.Contains(shared, name)
	})
}

// FilesChanged is DataChanged for a program, which may read whatever lies in the
// folder it is started in, or below.
func (b *Base) FilesChanged(ctx context.Context, dir string) (bool, error) {
	return b.repo.changedBelow(ctx, b.Commit, dir, func(name string) bool { return !notRead.MatchString(path.Base(name)) })
}

// notRead matches files beside a package that no benchmark reads, or that are in
// its binary.
var notRead = lazyregexp.New(`^$|^\.|\.go$|^(go\.(mod|sum|work|work\.sum)|hone\.toml|(README|CHANGELOG|LICENSE)(\..*)?|Makefile)$`)
