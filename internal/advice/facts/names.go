package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"

	"github.com/hone-go/hone/internal/advice/code"
)

// PackageName returns the name of a standard library package at a position of the place's file,
// whether it is already imported or not. It returns false if the name means something else
// there, or in any file of the package.
func PackageName(s *code.Place, p string, at token.Pos) (string, bool) {
	name := path.Base(p)
	imported := false
	for _, spec := range s.File.Imports {
		if spec.Path.Value != strconv.Quote(p) {
			continue
		}
		if spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") {
			continue
		}
		if spec.Name != nil {
			if spec.Name.Name != name {
				continue // fixImports would import it once more, under its own name
			}
		}
		imported = true
	}
	if !imported && (importedAs(s, name) || s.Declares(name)) {
		return "", false
	}
	scope := s.Types.Scope().Innermost(at)
	if scope == nil {
		return "", false
	}
	_, obj := scope.LookupParent(name, at)
	if obj == nil {
		return name, true
	}
	pkg, ok := obj.(*types.PkgName)
	return name, ok && pkg.Imported().Path() == p
}

// importedAs reports whether a site's file imports any package under a name.
func importedAs(s *code.Place, name string) bool {
	for _, spec := range s.File.Imports {
		obj := s.Info.Implicits[spec]
		if spec.Name != nil {
			obj = s.Info.Defs[spec.Name]
		}
		if obj != nil && obj.Name() == name {
			return true
		}
	}
	return false
}

// TypeText returns the source text of a type at a position of the place's file; false if the
// type can't be named there.
func TypeText(s *code.Place, t types.Type, at token.Pos) (string, bool) {
	ok := true
	scope := s.Types.Scope().Innermost(at)
	if scope == nil {
		return "", false
	}
	text := types.TypeString(t, func(p *types.Package) string {
		if p == s.Types {
			return ""
		}
		for _, spec := range s.File.Imports {
			obj := s.Info.Implicits[spec]
			if spec.Name != nil {
				obj = s.Info.Defs[spec.Name]
			}
			if pkg, is := obj.(*types.PkgName); is && pkg.Imported() == p {
				if _, found := scope.LookupParent(pkg.Name(), at); found == pkg {
					return pkg.Name()
				}
			}
		}
		ok = false
		return p.Name()
	})
	return text, ok && nameable(s, t, scope, at)
}

// nameable reports whether the names in a type resolve to that type at a position.
func nameable(s *code.Place, t types.Type, scope *types.Scope, at token.Pos) bool {
	all := func(ts ...types.Type) bool {
		for _, t := range ts {
			if !nameable(s, t, scope, at) {
				return false
			}
		}
		return true
	}
	named := func(obj *types.TypeName, args *types.TypeList) bool {
		if obj.Pkg() == nil || obj.Pkg() == s.Types {
			if _, found := scope.LookupParent(obj.Name(), at); found != obj {
				return false
			}
		} else if !obj.Exported() {
			return false
		}
		for i := range args.Len() {
			if !nameable(s, args.At(i), scope, at) {
				return false
			}
		}
		return true
	}
	switch t := t.(type) {
	case *types.Basic:
		_, found := scope.LookupParent(t.Name(), at)
		return t.Kind() == types.UnsafePointer || found != nil && found.Parent() == types.Universe
	case *types.Alias:
		return named(t.Obj(), t.TypeArgs())
	case *types.Named:
		return named(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return named(t.Obj(), nil)
	case *types.Pointer:
		return nameable(s, t.Elem(), scope, at)
	case *types.Slice:
		return nameable(s, t.Elem(), scope, at)
	case *types.Array:
		return nameable(s, t.Elem(), scope, at)
	case *types.Chan:
		return nameable(s, t.Elem(), scope, at)
	case *types.Map:
		return all(t.Key(), t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if !nameable(s, t.Field(i).Type(), scope, at) || t.Field(i).Pkg() != s.Types && !t.Field(i).Exported() {
				return false
			}
		}
		return true
	case *types.Interface:
		return t.Empty()
	}
	return false
}

// Commented reports whether there is a comment between two positions of the place's file, which
// a rewrite would lose.
func Commented(s *code.Place, from, to token.Pos) bool {
	for _, g := range s.File.Comments {
		for _, c := range g.List {
			if from <= c.Pos() && c.Pos() < to {
				return true
			}
		}
	}
	return false
}

// SameAt reports whether the names in an expression mean the same at a position.
func SameAt(s *code.Place, e ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			same = same && SameAt(s, n.X, at)
			return false
		case *ast.Field, *ast.FuncType:
			if f, ok := n.(*ast.Field); ok {
				same = same && SameAt(s, f.Type, at)
				return false
			}
		case *ast.Ident:
			if obj := s.Info.Uses[n]; obj != nil {
				same = same && Resolves(s, n.Name, at) == obj
			}
		}
		return same
	})
	return same
}

// Resolves returns what a name means at a position.
func Resolves(s *code.Place, name string, at token.Pos) types.Object {
	scope := s.Types.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

// Fresh returns a name, based on want, that is unused at a position and in some code.
func Fresh(s *code.Place, want string, at token.Pos, in ast.Node) string {
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name = fmt.Sprint(want, i)
		}
		if Resolves(s, name, at) == nil && !UsesName(in, name) {
			return name
		}
	}
}

// Builtins reports whether names refer to the predeclared identifiers in every file of the
// package.
func Builtins(s *code.Place, at token.Pos, names ...string) bool {
	for _, name := range names {
		if obj := Resolves(s, name, at); obj == nil || obj.Parent() != types.Universe || s.Declares(name) {
			return false
		}
	}
	return true
}
