package code

import (
	"go/ast"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// A Place is a function or function literal that questions are about.
type Place struct {
	*Package
	File *ast.File
	Decl *ast.FuncDecl    // the declaration around Func; nil for a literal at package level
	Func inspector.Cursor // the innermost FuncDecl or FuncLit
}

// Around returns the function that contains some code, or that the code itself is.
func (p *Package) Around(code inspector.Cursor) *Place {
	around := &Place{Package: p}
	for c := range code.Enclosing((*ast.File)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch n := c.Node().(type) {
		case *ast.File:
			around.File = n
			continue
		case *ast.FuncDecl:
			around.Decl = n
		}
		if !around.Func.Valid() {
			around.Func = c
		}
	}
	return around
}

// Body returns the statements of the innermost function.
func (p *Place) Body() *ast.BlockStmt {
	switch f := p.Func.Node().(type) {
	case *ast.FuncDecl:
		return f.Body
	case *ast.FuncLit:
		return f.Body
	}
	return nil
}

// AtLeast reports whether the file may use what came with a version of Go: the go line of its module
// and its build constraints allow it.
func (p *Place) AtLeast(v string) bool {
	of := p.Info.FileVersions[p.File]
	return p.Package.AtLeast(v) && (!version.IsValid(of) || version.Compare(of, "go"+v) >= 0)
}

// A Call is a call in a function.
type Call struct {
	*ast.CallExpr
	inspector.Cursor
	Name string // of the callee, "strings.Split" or "(*bytes.Buffer).Write"; "" if it is not known
}

// CallAt returns the call at a cursor if its callee is one of names, written as go/types does:
// "strings.Split", "(*regexp.Regexp).MatchString", with complete import paths. Without names, it
// returns any call. With names, calls such as f(g()), whose arguments are the results of another call,
// don't count: their arguments can't be separated.
func (p *Package) CallAt(c inspector.Cursor, names ...string) (Call, bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return Call{}, false
	}
	name := p.Callee(call)
	if len(names) > 0 && (name == "" || !slices.Contains(names, name) || p.spread(call)) {
		return Call{}, false
	}
	return Call{call, c, name}, true
}

// spread reports whether a call's arguments are the results of another call.
func (p *Package) spread(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	_, several := p.Info.TypeOf(call.Args[0]).(*types.Tuple)
	return several
}
