package rules

import (
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var reflectType = &advice.Rule{
	ID:    "reflect-type",
	Title: "a known type is looked up at run time",
	Doc: `reflect.TypeOf((*T)(nil)).Elem() creates a value to get its type, and calls a method to get from there to T.
reflect.TypeFor[T]() (Go 1.22) is a constant to the compiler.`,
	Match:  matchReflectType,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^reflect\.(TypeOf$|toType$|toRType$|\(\*rtype\)\.Elem$)`),
	Since:  "1.22",
	Gain:   2,
	Conditions: advice.Conditions{
		Offered: "the type is written in the call",
	},
}

func matchReflectType(s *advice.Site) []advice.Match {
	return edit.RewrittenCalls(s, "reflect.TypeOf", typeFor, "The compiler knows the type; reflect.TypeFor is a constant and calls nothing.")
}

// typeFor rewrites reflect.TypeOf(x) and reflect.TypeOf(x).Elem() if x consists of types and literals.
// Otherwise it returns nil.
func typeFor(s *advice.Site, c code.Call) []advice.Edit {
	of, ok := c.Fun.(*ast.SelectorExpr)
	arg := c.Args[0]
	if !ok || s.Info.Types[arg].IsNil() || !ofTypesAlone(s, arg) || facts.EffectsOf(s.Place, arg)&(facts.MayPanic|facts.MayWrite) != 0 {
		return nil
	}
	t, end := s.Info.TypeOf(arg), c.End()
	if sel, ok := facts.WithParens(c.Cursor).Parent().Node().(*ast.SelectorExpr); ok && sel.Sel.Name == "Elem" {
		call, ok := facts.WithParens(facts.WithParens(c.Cursor).Parent()).Parent().Node().(*ast.CallExpr)
		if has, is := t.(interface{ Elem() types.Type }); ok && is && s.Callee(call) == "(reflect.Type).Elem" {
			t, end = has.Elem(), call.End()
		}
	}
	// The value in an interface is only known at run time.
	if end == c.End() && types.IsInterface(t) || !shortType(t) {
		return nil
	}
	text, ok := facts.TypeText(s.Place, t, c.Pos())
	if !ok {
		return nil
	}
	edits := []advice.Edit{edit.Replace(of.Sel, "TypeFor["+text+"]"), {Pos: c.Lparen + 1, End: c.Rparen}}
	if end != c.End() {
		edits = append(edits, advice.Edit{Pos: c.End(), End: end})
	}
	return edits
}

// ofTypesAlone reports whether all names in an expression are types, packages and built-in functions.
// A variable or constant is named on purpose, whatever its type.
func ofTypesAlone(s *advice.Site, e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			switch s.Info.Uses[id].(type) {
			case *types.TypeName, *types.PkgName, *types.Nil, *types.Builtin:
			default:
				return false
			}
		}
	}
	return true
}

// shortType reports whether a type can be written without repeating a struct, an interface or a
// signature.
func shortType(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		return shortTypes(t.TypeArgs())
	case *types.Alias:
		return shortTypes(t.TypeArgs())
	case *types.Pointer:
		return shortType(t.Elem())
	case *types.Slice:
		return shortType(t.Elem())
	case *types.Array:
		return shortType(t.Elem())
	case *types.Chan:
		return shortType(t.Elem())
	case *types.Map:
		return shortType(t.Key()) && shortType(t.Elem())
	case *types.Basic, *types.TypeParam:
		return true
	}
	return false
}

func shortTypes(list *types.TypeList) bool {
	for t := range list.Types() {
		if !shortType(t) {
			return false
		}
	}
	return true
}
