// Package codetest makes packages of code for tests.
package codetest

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice/code"
)

// Check checks the types of files that were parsed into fset, and returns them as a package. texts are what the files
// were parsed from, by name.
func Check(path string, config types.Config, fset *token.FileSet, texts map[string][]byte, files ...*ast.File) (*code.Package, error) {
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), Implicits: make(map[ast.Node]types.Object),
		Scopes: make(map[ast.Node]*types.Scope), Instances: make(map[*ast.Ident]types.Instance), FileVersions: make(map[*ast.File]string),
	}
	pkg, err := config.Check(path, fset, files, info)
	if err != nil {
		return nil, err
	}
	return &code.Package{Path: pkg.Path(), Fset: fset, Files: files, Types: pkg, Info: info, GoVersion: config.GoVersion, Texts: texts}, nil
}
