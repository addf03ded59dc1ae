package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var deepEqual = &advice.Rule{
	ID:    "deep-equal",
	Title: "values of a known type are compared by reflection",
	Doc: `reflect.DeepEqual walks both values by reflection and allocates to remember which pointers it has visited. If the type
is known, ==, slices.Equal, maps.Equal and bytes.Equal are ten times as fast.

For comparable structs and arrays of numbers, strings and booleans, == gives the same result. For other structs, and
pointers to structs, the rewrite adds a function that compares their fields, slices and maps as DeepEqual does. For
slices and maps alone, DeepEqual distinguishes nil from empty and the others don't; review that rewrite. Also review a
rewrite where evaluating the second value may change the first. For type parameters, types that refer to themselves, and
slices of floating-point numbers or slices, the rule only gives advice: write an Equal method, or use slices.EqualFunc.

reflect.ValueOf(x).IsZero() becomes a comparison of x with its zero value.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^reflect\.(DeepEqual|deepValueEqual|Value\.IsZero)$`),
	Since:  "1.21",
	Gain:   10,
	Match:  matchDeepEqual,
	Conditions: advice.Conditions{
		Offered: "both values have the same type: numbers, strings or booleans, slices or maps of these, or " +
			"structs of the package made of all of these and pointers to them",
		Review: "nil and empty slices and maps may count as equal; evaluating the second value, or a later call in the statement, doesn't " +
			"change the first",
	},
}

func matchDeepEqual(s *advice.Site) []advice.Match {
	matches := matchIsZero(s)
	for _, c := range s.Calls("reflect.DeepEqual") {
		if len(c.Args) != 2 {
			continue
		}
		t := s.Info.TypeOf(c.Args[0])
		if !types.Identical(t, s.Info.TypeOf(c.Args[1])) {
			continue
		}
		if s.Info.Types[c.Args[0]].Value != nil && s.Info.Types[c.Args[1]].Value != nil {
			continue // a comparison of constants is a constant, which can't be used everywhere
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		name := types.TypeString(t, types.RelativeTo(s.Types))
		if len(name) > 60 {
			name = "this type"
		}
		if _, param := types.Unalias(t).(*types.TypeParam); param {
			m.Title = "values of any type are compared by reflection"
			m.Why = fmt.Sprintf("reflect.DeepEqual compares values of the type parameter %s. For numbers, strings and booleans, == of the two as any gives the same result: switch on the type first.", name)
			matches = append(matches, m)
			continue
		}
		with := ""
		switch u := t.Underlying().(type) {
		case *types.Slice:
			if b, ok := u.Elem().(*types.Basic); ok && b.Kind() == types.Byte {
				with = "bytes"
			} else if exact(u.Elem()) {
				with = "slices"
			}
		case *types.Map:
			if exact(u.Key()) && exact(u.Elem()) {
				with = "maps"
			}
		case *types.Interface, *types.Signature:
			continue // the compared type isn't known here
		case *types.Struct, *types.Array, *types.Basic:
			if exactOrFloat(t) {
				m.Why = fmt.Sprintf("reflect.DeepEqual compares values of %s; == gives the same result.", name)
				m.Class, m.Since = advice.Safe, "1.0"
				if check := changedBetween(s, c.Args[0], c.Args[1]); check != "" {
					m.Class = advice.Review
					m.Why += check
				}
				edit.MustCheck(&m, facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: c.Args[0], Contents: true}, {Expr: c.Args[1], Contents: true}}))
				m.Edits = []advice.Edit{equality(s, c, c.Args[0], side(s, c.Args[1]))}
				if facts.Commented(s.Place, c.Pos(), c.End()) {
					m.Edits = nil
				}
				matches = append(matches, m)
				continue
			}
		}
		if with == "" && equalFunction(s, c, t, &m) {
			matches = append(matches, m)
			continue
		}
		if with == "" {
			m.Why = fmt.Sprintf("reflect.DeepEqual walks values of %s by reflection; write an Equal method that compares the fields that matter.", name)
			matches = append(matches, m)
			continue
		}
		m.Why = fmt.Sprintf("reflect.DeepEqual walks values of %s by reflection; %s.Equal compares them directly. Check that nil and empty may count as equal: DeepEqual distinguishes them.%s", name, with, changedBetween(s, c.Args[0], c.Args[1]))
		m.Since = "1.21"
		if with == "bytes" {
			m.Since = "1.0"
		}
		if pkg, ok := facts.PackageName(s.Place, with, c.Pos()); ok {
			m.Class, m.Imports = advice.Review, []string{with}
			m.Edits = []advice.Edit{edit.Replace(c.Fun, pkg+".Equal")}
		}
		matches = append(matches, m)
	}
	return matches
}

// changedBetween says what to check if evaluating the second operand may change the first one, whose
// value DeepEqual has by then. It returns "" if it can't.
func changedBetween(s *advice.Site, x, y ast.Expr) string {
	if facts.UnchangedBy(s.Place, x, false, facts.Change{Code: []ast.Node{y}}) {
		return ""
	}
	if text, by := s.Source(x), s.Source(y); edit.OneLine(text) && edit.OneLine(by) {
		return fmt.Sprintf(" Check that %s doesn't change %s.", by, text)
	}
	return " Check that evaluating the second value doesn't change the first."
}

// exact reports whether == of a type means what DeepEqual does.
func exact(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsInteger|types.IsString) != 0 && u.Info()&types.IsUntyped == 0
	case *types.Array:
		return exact(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() == "_" || !exact(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// gainOfZero is the gain where a value is compared with zero.
const gainOfZero = 2

// matchIsZero matches reflect.ValueOf(x).IsZero(), where the type of x is known. It means the same as ==
// for all types that can be compared, or are nil if they are zero.
func matchIsZero(s *advice.Site) (matches []advice.Match) {
	for _, c := range s.Calls("(reflect.Value).IsZero") {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
		if !ok || s.Callee(of) != "reflect.ValueOf" || len(of.Args) != 1 || s.Info.Types[of.Args[0]].Value != nil || facts.Commented(s.Place, c.Pos(), c.End()) {
			continue
		}
		x := of.Args[0]
		zero, ok := zeroOf(s, x, c.Pos())
		if !ok {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe, Gain: gainOfZero, Edits: []advice.Edit{equality(s, c, x, zero)}}
		m.Why = fmt.Sprintf("reflect.Value.IsZero looks at the type of %s on each call; a comparison with %s gives the same result.", s.Source(x), zero)
		edit.MustCheck(&m, facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: x, Contents: true}}))
		matches = append(matches, m)
	}
	return matches
}

// zeroOf is the zero value of an expression's type, for a comparison.
func zeroOf(s *advice.Site, e ast.Expr, at token.Pos) (zero string, ok bool) {
	t := s.Info.TypeOf(e)
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return "", false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsUntyped != 0:
		case u.Info()&types.IsNumeric != 0:
			return "0", true
		case u.Info()&types.IsString != 0:
			return `""`, true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil", facts.Builtins(s.Place, at, "nil")
	case *types.Struct, *types.Array:
		text, ok := facts.TypeText(s.Place, t, at)
		return "(" + text + "{})", ok && types.Comparable(t)
	}
	return "", false
}

// side is an operand of == as source text.
func side(s *advice.Site, e ast.Expr) string {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr, *ast.ParenExpr, *ast.StarExpr, *ast.BasicLit:
		return s.Source(e)
	}
	return "(" + s.Source(e) + ")" // T{} == x would end the condition of an if
}

// equality is the edit of a call to x == y, or to x != y after a !, with the parentheses that are needed
// there.
func equality(s *advice.Site, c code.Call, x ast.Expr, y string) advice.Edit {
	at, op := c.Cursor, "=="
	if not, ok := at.Parent().Node().(*ast.UnaryExpr); ok && not.Op == token.NOT {
		at, op = at.Parent(), "!="
	}
	text := side(s, x) + " " + op + " " + y
	switch at.Parent().Node().(type) {
	case *ast.UnaryExpr, *ast.BinaryExpr:
		text = "(" + text + ")"
	}
	return edit.Replace(at.Node(), text)
}
