// Package differ writes programs that call the exported functions of a package with generated inputs, to see whether two
// versions of the package return the same.
//
//	index     what each function, type and variable of the module uses (index.go)
//	callable  the exported functions that may be called, since they reach no file, process or network (callable.go)
//	Program   their list, with the command in calls that calls them (program.go)
//	Result    what two versions returned, compared (compare.go)
package differ

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Changed says what a candidate changes.
type Changed struct {
	Packages  []string // import paths
	Functions []string // as [Name] gives them
	Whole     bool     // something besides functions, too
}

// Name is that of a function or method for [Changed]: "example.com/m.Parser.Next".
func Name(pkg, function string) string { return pkg + "." + function }

// Write returns a program for each changed package that has something to call. It reads the packages of the module that patterns
// name in a folder: the changed ones, and those that they import. Functions of other modules may be called if pure says so of their package.
func Write(ctx context.Context, dir string, flags, patterns []string, changed Changed, pure func(pkg string) bool) ([]Program, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, BuildFlags: append([]string{"-buildvcs=false"}, flags...),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("reading packages: %w", err)
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
	}
	x := newIndex(loaded)
	var all []Program
	for _, p := range loaded {
		if p.Name == "main" || !slices.Contains(changed.Packages, p.PkgPath) {
			continue
		}
		c := callable(x, p, changed, pure)
		if !slices.ContainsFunc(c, func(f exported) bool { return f.target }) {
			continue
		}
		one, err := write(p, c)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
