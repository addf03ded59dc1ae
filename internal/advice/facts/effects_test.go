package facts

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/hone-go/hone/internal/advice/code"
)

// What cgo makes of package net would take a C compiler.
func init() { build.Default.CgoEnabled = false }

// check checks the types of a file.
func check(t *testing.T, text string) (*ast.File, *code.Package) {
	t.Helper()
	const name = "facts.go"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), Implicits: make(map[ast.Node]types.Object),
		Scopes: make(map[ast.Node]*types.Scope), Instances: make(map[*ast.Ident]types.Instance), FileVersions: make(map[*ast.File]string),
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("example.com/facts", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f, &code.Package{Path: pkg.Path(), Fset: fset, Files: []*ast.File{f}, Types: pkg, Info: info, Texts: map[string][]byte{name: []byte(text)}}
}

// placeOf returns a function of a package.
func placeOf(t *testing.T, p *code.Package, name string) *code.Place {
	t.Helper()
	for c := range p.Root().Preorder((*ast.FuncDecl)(nil)) {
		if c.Node().(*ast.FuncDecl).Name.Name == name {
			return p.Around(c)
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}
