package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// QuietStart reports whether what a loop runs once, before its first condition, changes nothing that other code can read.
func QuietStart(s *code.Place, loop ast.Node) bool {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		return EffectsOf(s, l.X)&MayWrite == 0
	case *ast.ForStmt:
		return l.Init == nil || EffectsOf(s, l.Init)&MayWrite == 0
	}
	return false
}

// PanicsAtStart returns the panics that an expression may cause if it is evaluated just before a loop. Those for nil pointers
// that the loop dereferences before it does anything else don't count: they come anyway.
func PanicsAtStart(s *code.Place, loop inspector.Cursor, e ast.Expr) (all PanicSet) {
	through := throughFirst(s, loop.Node())
	for n := range ast.Preorder(e) {
		own, pointer := ownPanics(s, n), pointerThrough(s, n)
		if pointer != nil {
			own &^= nilPanic
			if !neverNilAt(s, pointer, loop) && !slices.ContainsFunc(through, func(p ast.Expr) bool { return SameCode(s, p, pointer) }) {
				own |= nilPanic
			}
		}
		all |= own
	}
	return all
}

// throughFirst returns the pointers that a loop always dereferences first. Before, it changes nothing and causes no other panic.
func throughFirst(s *code.Place, loop ast.Node) []ast.Expr {
	var first ast.Expr
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if !ranges(s, l) {
			return nil
		}
		first = l.X
	case *ast.ForStmt:
		if l.Init != nil && EffectsOf(s, l.Init)&^(MayRead|ReadsBytes) != 0 {
			return nil
		}
		first = l.Cond
	}
	if first == nil || Calls(s, first) || PanicsBeside(s, first)&^nilPanic != 0 {
		return nil
	}
	return dereferenced(s, first)
}

// ranges reports whether a loop evaluates what it ranges over. For an array, it needs only the length if it has no variable
// for elements.
func ranges(s *code.Place, r *ast.RangeStmt) bool {
	t := Under(s.Info.TypeOf(r.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, array := t.(*types.Array)
	return !array || r.Value != nil && !IsBlank(r.Value)
}

// dereferenced returns the pointers that are always dereferenced if an expression is evaluated.
func dereferenced(s *code.Place, e ast.Expr) (pointers []ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); !ok || s.Info.Types[e].Value != nil {
			return false // len of an array evaluates nothing
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				pointers = append(pointers, dereferenced(s, n.X)...)
				return false
			}
		}
		if p := pointerThrough(s, n); p != nil {
			pointers = append(pointers, p)
		}
		return true
	})
	return pointers
}

// pointerThrough returns the pointer that an operation dereferences, nil if it is none, or one of an embedded field.
func pointerThrough(s *code.Place, n ast.Node) ast.Expr {
	var x ast.Expr
	switch n := n.(type) {
	case *ast.StarExpr:
		x = n.X
	case *ast.SelectorExpr:
		if selection := s.Info.Selections[n]; selection == nil || selection.Kind() != types.FieldVal || len(selection.Index()) > 1 {
			return nil
		}
		x = n.X
	case *ast.IndexExpr:
		x = n.X
	default:
		return nil
	}
	if t := s.Info.TypeOf(x); t != nil {
		if _, pointer := Under(t).(*types.Pointer); pointer {
			return x
		}
	}
	return nil
}
