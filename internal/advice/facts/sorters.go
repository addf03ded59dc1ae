package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice/code"
)

// A Sorter is a type of the package for sort.Sort whose Len and Swap only use one slice.
type Sorter struct {
	Less  *ast.FuncDecl
	Slice *types.Slice
	Field *types.Var // the field that is the slice; nil if the type itself is
}

// SorterOf returns what a type sorts. It returns false if the type has type parameters, if it doesn't
// declare Less itself, or if Len or Swap do anything else.
func SorterOf(s *code.Place, t types.Type) (Sorter, bool) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() != s.Types {
		return Sorter{}, false
	}
	less, _, promoted, ok := methodOf(s, named, "Less")
	if !ok || promoted != nil {
		return Sorter{}, false
	}
	length, lenRecv, lenField, ok := methodOf(s, named, "Len")
	if !ok {
		return Sorter{}, false
	}
	swap, swapRecv, swapField, ok := methodOf(s, named, "Swap")
	if !ok {
		return Sorter{}, false
	}
	one, ok := lengthReturned(s, length, lenRecv)
	if !ok {
		return Sorter{}, false
	}
	other, ok := swapped(s, swap, swapRecv)
	if !ok || one != nil && lenField != nil || other != nil && swapField != nil {
		return Sorter{}, false // a field of an embedded struct
	}
	if lenField != nil {
		one = lenField
	}
	if swapField != nil {
		other = swapField
	}
	if one != other {
		return Sorter{}, false
	}
	var of types.Type = named
	if one != nil {
		of = one.Type()
	}
	slice, ok := of.Underlying().(*types.Slice)
	return Sorter{Less: less, Slice: slice, Field: one}, ok
}

// methodOf returns the declaration of a type's method and its receiver. If the method is promoted, it
// also returns the embedded field.
func methodOf(s *code.Place, t *types.Named, name string) (decl *ast.FuncDecl, recv types.Object, embedded *types.Var, ok bool) {
	obj, index, _ := types.LookupFieldOrMethod(t, true, s.Types, name)
	f, isFunc := obj.(*types.Func)
	if !isFunc {
		return nil, nil, nil, false
	}
	switch len(index) {
	case 1:
	case 2:
		st, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			return nil, nil, nil, false
		}
		embedded = st.Field(index[0])
	default:
		return nil, nil, nil, false
	}
	decl = DeclarationOfFunc(s, f)
	if decl == nil || decl.Body == nil || len(decl.Body.List) == 0 || len(decl.Recv.List[0].Names) != 1 {
		return nil, nil, nil, false
	}
	return decl, s.Info.Defs[decl.Recv.List[0].Names[0]], embedded, true
}

// PartOf reports whether an expression is a variable, what it points to, or a field of it, which it
// returns.
func PartOf(s *code.Place, e ast.Expr, v types.Object) (field *types.Var, ok bool) {
	whole := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		return v != nil && Object(s, e) == v
	}
	if whole(e) {
		return nil, true
	}
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || !whole(sel.X) {
		return nil, false
	}
	selection := s.Info.Selections[sel]
	if selection == nil || selection.Kind() != types.FieldVal || len(selection.Index()) != 1 {
		return nil, false
	}
	return selection.Obj().(*types.Var), true
}

// lengthReturned matches a method that returns the length of its receiver, or of a field of it.
func lengthReturned(s *code.Place, decl *ast.FuncDecl, recv types.Object) (field *types.Var, ok bool) {
	r, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil, false
	}
	of := lengthOf(s, r.Results[0], "len")
	if of == nil {
		return nil, false
	}
	return PartOf(s, of, recv)
}

// swapped matches a method that swaps two elements of its receiver, or of a field of it, and does
// nothing else.
func swapped(s *code.Place, decl *ast.FuncDecl, recv types.Object) (field *types.Var, ok bool) {
	assign, ok := decl.Body.List[0].(*ast.AssignStmt)
	if !ok || len(decl.Body.List) != 1 || len(assign.Lhs) != 2 || len(assign.Rhs) != 2 ||
		!SameCode(s, assign.Lhs[0], assign.Rhs[1]) || !SameCode(s, assign.Lhs[1], assign.Rhs[0]) {
		return nil, false
	}
	a, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr)
	b, ok2 := ast.Unparen(assign.Lhs[1]).(*ast.IndexExpr)
	if !ok || !ok2 || !SameCode(s, a.X, b.X) {
		return nil, false
	}
	i, j := Object(s, a.Index), Object(s, b.Index)
	if i == nil || j == nil || i == j || !Within(decl.Type.Params, i.Pos()) || !Within(decl.Type.Params, j.Pos()) {
		return nil, false
	}
	return PartOf(s, a.X, recv)
}

// MeansTheSame reports whether code of the package, perhaps of another file, means the same at a
// position of the place's file, apart from parts that skip returns true for. It returns the standard
// library packages that the code uses. Names that are declared around the code don't mean the same.
func MeansTheSame(s *code.Place, n ast.Node, at, from, to token.Pos, skip func(ast.Node) bool) (imports []string, ok bool) {
	ok = true
	ast.Inspect(n, func(n ast.Node) bool {
		if !ok || n == nil || skip(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s.Info.Selections[n] != nil {
				more, same := MeansTheSame(s, n.X, at, from, to, skip)
				imports, ok = append(imports, more...), ok && same
				return false
			}
			id, isName := n.X.(*ast.Ident)
			pkg, isPackage := s.Info.Uses[id].(*types.PkgName)
			if !isName || !isPackage {
				ok = false
				return false
			}
			if here, isPackage := Resolves(s, id.Name, at).(*types.PkgName); isPackage && here.Imported() == pkg.Imported() {
				return false
			}
			path := pkg.Imported().Path()
			first, _, _ := strings.Cut(path, "/")
			name, known := PackageName(s, path, at)
			ok = known && name == id.Name && !strings.Contains(first, ".")
			imports = append(imports, path)
			return false
		case *ast.KeyValueExpr:
			ok = false // perhaps a field
		case *ast.Ident:
			obj := s.Info.Uses[n]
			if obj == nil {
				return false
			}
			if from <= obj.Pos() && obj.Pos() < to || Resolves(s, n.Name, at) != obj {
				ok = false
			}
		}
		return ok
	})
	return imports, ok
}
