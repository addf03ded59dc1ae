package prove

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/gocmd"
)

// A listed package is one of the module, as go list prints it.
type listed struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Deps, TestImports, XTestImports    []string
}

// affected are the packages that a candidate can change.
type affected struct {
	changed    []listed // that have changed files
	dependents []listed // the same, and those that import them, or whose tests do
	// onlyGo reports whether only Go files changed, so that coverage can tell what executes
	// the change.
	onlyGo bool
}

// listAffected lists the packages that a candidate, which is checked out, can change.
func (c *scratchCopy) listAffected(ctx context.Context, flags []string, files []fileChange) (*affected, error) {
	packages, err := c.list(ctx, flags)
	if err != nil {
		return nil, err
	}
	folders := make(map[string]bool) // with packages, from the top
	for _, p := range packages {
		folders[c.folder(p)] = true
	}
	a := &affected{onlyGo: true}
	changed, all := make(map[string]bool), false
	for _, f := range files {
		name, inside := strings.CutPrefix(f.path, c.prefix)
		if !inside {
			continue
		}
		if name == "go.mod" || name == "go.sum" || strings.HasPrefix(name, "vendor/") {
			all, a.onlyGo = true, false
			continue
		}
		dir := path.Dir(f.path)
		for !folders[dir] && dir != "." {
			dir = path.Dir(dir)
		}
		if !folders[dir] || path.Ext(name) == ".md" && !isTest(name) {
			continue // for people only
		}
		a.onlyGo = a.onlyGo && (path.Ext(name) == ".go" || isTest(name))
		changed[dir] = true
	}
	depend := make(map[string]bool)
	for _, p := range packages {
		if changed[c.folder(p)] || all {
			a.changed = append(a.changed, p)
			depend[p.ImportPath] = true
		}
	}
	own := paths(a.changed)
	for _, p := range packages {
		if slices.ContainsFunc(p.Deps, func(d string) bool { return slices.Contains(own, d) }) {
			depend[p.ImportPath] = true
		}
	}
	imports := func(path string) bool { return depend[path] }
	for _, p := range packages {
		if depend[p.ImportPath] || slices.ContainsFunc(p.TestImports, imports) || slices.ContainsFunc(p.XTestImports, imports) {
			a.dependents = append(a.dependents, p)
		}
	}
	return a, nil
}

// list lists the packages of the module in the state that is checked out.
func (c *scratchCopy) list(ctx context.Context, flags []string) ([]listed, error) {
	command := c.Go(c.Side, slices.Concat([]string{"-e"}, bench.ListFlags(flags), []string{"./..."})...)
	command.Dir = c.module
	return gocmd.List[listed](ctx, command)
}

// folder is a package's, from the top of the repository.
func (c *scratchCopy) folder(p listed) string {
	rel, err := filepath.Rel(c.module, p.Dir)
	if err != nil {
		return ""
	}
	return path.Join(c.prefix, filepath.ToSlash(rel))
}

// paths are import paths.
func paths(packages []listed) []string {
	var all []string
	for _, p := range packages {
		all = append(all, p.ImportPath)
	}
	return all
}
