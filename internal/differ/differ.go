// Package differ writes programs that call the exported functions of a package with generated inputs, to see whether two
// versions of the package return the same.
//
//	listed    packages, and what they import (list.go)
//	index     what each function, type and variable of the module uses (index.go)
//	callable  the exported functions that may be called, since they reach no file, process or network (callable.go)
//	Program   their list, with the command in calls that calls them (program.go)
//	Runner    builds and runs them with two versions (run.go)
//	Compared  what the two returned (compare.go)
package differ

import (
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hone-go/hone/internal/srcfind"
)

// Changed says what a candidate changes.
type Changed struct {
	Packages  []string // import paths
	Functions []string // as [Name] gives them
	Whole     bool     // something besides functions, too
	Files     []File
}

// A File of Go that changed has the texts of both versions, nil if it is new or gone.
type File struct {
	Package     string
	Name        string // from the top of the repository
	Before, Now []byte
}

// has reports whether a function of a package changed.
func (c *Changed) has(pkg string, d *ast.FuncDecl) bool {
	return slices.Contains(c.Functions, Name(pkg, srcfind.FuncName(d)))
}

// Name is that of a function or method for [Changed]: "example.com/m.Parser.Next" of "(*Parser).Next" or "Parser[T].Next".
func Name(pkg, function string) string {
	function, args, generic := strings.Cut(strings.NewReplacer("(*", "", ")", "").Replace(function), "[")
	if _, method, ok := strings.Cut(args, "]."); generic && ok {
		function += "." + method
	}
	return pkg + "." + function
}

// mostPrograms bounds the packages that are called.
const mostPrograms = 4

// Write returns a program for each changed package that has something to call. It reads the packages of the module around a folder: the
// changed ones, and those that they import. It says why not everything can be called; without a program, why nothing can.
func Write(ctx context.Context, dir string, flags []string, changed Changed) (all []Program, why string, err error) {
	known, err := listPackages(ctx, dir, flags, changed.Packages)
	if err != nil {
		return nil, "", err
	}
	patterns := known.own()
	if !slices.ContainsFunc(patterns, func(p string) bool { return slices.Contains(changed.Packages, p) }) {
		return nil, "its packages are new", nil
	}
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, BuildFlags: append([]string{"-buildvcs=false"}, flags...),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, patterns...)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		return nil, "reading packages: " + err.Error(), nil
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.PkgPath + ": " + p.Errors[0].Error(), nil
		}
	}
	x, pure, from := newIndex(loaded), known.pure(), constantsOf(changed.Files, changed)
	for _, p := range loaded {
		if p.Name == "main" || !slices.Contains(changed.Packages, p.PkgPath) {
			continue
		}
		c := callable(x, p, changed, pure)
		if !slices.ContainsFunc(c, func(f exported) bool { return f.target }) {
			continue
		}
		one, err := write(p, c, from)
		if err != nil {
			return nil, "", err
		}
		all = append(all, one)
	}
	switch n := len(all); {
	case n == 0:
		why = "no exported function that reaches it only computes"
	case n > mostPrograms:
		all, why = all[:mostPrograms], fmt.Sprintf("only %d of %d packages were compared", mostPrograms, n)
	}
	return all, why, nil
}
