package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var joinLiteral = &advice.Rule{
	ID:    "join-literal",
	Title: "strings.Join of a few known strings",
	Doc: `strings.Join walks its slice twice and fills a strings.Builder. For a few strings that are written out, a + sep + b is
one runtime call with one allocation. If the function is called through a variable or field, the slice is allocated as
well, because the compiler can't see how it is used.

The rewrite of a call through a field or variable needs review. It is offered if the package assigns nothing else to it
and the profile shows strings.Join below the line.`,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^strings\.Join$`),
	Allocates: true,
	Gain:      1.2,
	Match:     matchJoinLiteral,
	Conditions: advice.Conditions{
		Offered: "a few strings are written out in the call, and evaluating one doesn't change another",
		Review:  "a called field or variable is strings.Join; later calls in the statement don't change the strings, and the strings don't panic",
	},
}

// joinedAtMost is the largest number of strings for which + is easy to read and fast.
const joinedAtMost = 6

func matchJoinLiteral(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		if len(c.Args) != 2 || c.Name != "strings.Join" && c.Name != "" {
			continue
		}
		list, ok := ast.Unparen(c.Args[0]).(*ast.CompositeLit)
		if !ok || len(list.Elts) == 0 || len(list.Elts) > joinedAtMost || facts.Commented(s.Place, c.Pos(), c.End()) ||
			slices.ContainsFunc(list.Elts, func(e ast.Expr) bool { _, keyed := e.(*ast.KeyValueExpr); return keyed }) {
			continue
		}
		if slice, ok := s.Info.TypeOf(list).Underlying().(*types.Slice); !ok || !types.Identical(slice.Elem(), types.Typ[types.String]) {
			continue
		}
		sep, constant := facts.ConstantText(s.Place, c.Args[1])
		if !constant && (!facts.Pure(s.Place, c.Args[1]) || !types.Identical(s.Info.TypeOf(c.Args[1]), types.Typ[types.String])) {
			continue
		}
		if len(list.Elts) == 1 && mentionsLocal(s, c.Args[1]) {
			continue // it might be left unused
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe}
		m.Why = "strings.Join gets a slice of strings that are all known here; + joins them with one allocation and no slice."
		if check := separatorMoves(s, list.Elts, c.Args[1]); check != "" {
			m.Class = advice.Review
			m.Why += check
		}
		if c.Name == "" {
			if !onlyEver(s, c.Fun, "strings.Join") || !slices.Contains(s.Callees(), "strings.Join") {
				continue
			}
			m.Class = advice.Review
			m.Why = fmt.Sprintf("%s is always strings.Join, but the compiler doesn't know that, so the slice is allocated on each call; + joins the strings with one allocation. Check that no other code sets it.%s",
				s.Source(c.Fun), separatorMoves(s, list.Elts, c.Args[1]))
		}
		var pieces []edit.Piece
		steps := []facts.Step{{Expr: c.Args[1]}}
		for i, e := range list.Elts {
			if i > 0 && constant {
				pieces = append(pieces, edit.Piece{Text: sep})
			} else if i > 0 {
				pieces = append(pieces, edit.Piece{Arg: c.Args[1], Code: s.Source(c.Args[1]), IsString: true})
			}
			p := edit.Piece{Arg: e, Code: s.Source(e), IsString: true}
			if _, literal := e.(*ast.BasicLit); literal {
				p.Text, p.Literal = facts.ConstantText(s.Place, e)
			}
			pieces = append(pieces, p)
			steps = append(steps, facts.Step{Expr: e})
		}
		pieces = slices.DeleteFunc(pieces, func(p edit.Piece) bool { return p.Text == "" && (p.Arg == nil || p.Literal) })
		code, constant := edit.Concatenation(s, pieces)
		joined, ok := edit.InPlace(c.Cursor, code, constant)
		if !ok {
			continue
		}
		m.Edits = []advice.Edit{joined}
		edit.MustCheck(&m, facts.Overtaken(s.Place, c.Cursor, steps))
		matches = append(matches, m)
	}
	return matches
}

// mentionsLocal reports whether an expression has a local variable that isn't a parameter.
func mentionsLocal(s *advice.Site, e ast.Expr) (found bool) {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			v, isVar := s.Info.ObjectOf(id).(*types.Var)
			found = found || isVar && v.Pkg() == s.Types && v.Parent() != s.Types.Scope() && !v.IsField() && !facts.IsAnyParameter(v)
		}
	}
	return found
}

// separatorMoves says what to check if the separator may have another value after the first string is
// evaluated than after the last one, where it is evaluated now; "" if it doesn't.
func separatorMoves(s *advice.Site, elements []ast.Expr, sep ast.Expr) string {
	var later []ast.Node
	for _, e := range elements[1:] {
		later = append(later, e)
	}
	panics := facts.EffectsOf(s.Place, sep)&facts.MayPanic != 0 && facts.EffectsOf(s.Place, later...)&(facts.MayPanic|facts.MayWrite) != 0
	if panics && !slices.ContainsFunc(slices.Concat(elements[1:], []ast.Expr{sep}), func(e ast.Expr) bool { return !facts.Plain(s.Place, e) }) {
		panics = false // on a nil pointer, in either order
	}
	switch {
	case len(later) == 0 && facts.EffectsOf(s.Place, sep)&facts.MayPanic != 0:
		return fmt.Sprintf(" Check that %s doesn't panic: it is no longer evaluated.", s.Source(sep))
	case !panics && facts.UnchangedBy(s.Place, sep, false, facts.Change{Code: later}):
		return ""
	case panics:
		return fmt.Sprintf(" Check that %s doesn't panic: it is evaluated before the other strings.", s.Source(sep))
	}
	return fmt.Sprintf(" Check that evaluating the strings doesn't change %s.", s.Source(sep))
}

// onlyEver reports whether a called variable or field of the package is never assigned anything but
// one function, as far as the package shows.
func onlyEver(s *advice.Site, fun ast.Expr, want string) bool {
	var obj types.Object
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		obj = s.Info.Uses[f]
	case *ast.SelectorExpr:
		if !facts.Pure(s.Place, f) {
			return false
		}
		obj = s.Info.Uses[f.Sel]
	}
	v, ok := obj.(*types.Var)
	if !ok || v.Pkg() != s.Types || v.Exported() || facts.IsParameter(s.Place, v) {
		return false
	}
	if facts.IsLocal(s.Place, v) && len(s.Uses(v)) < 2 {
		return false // nothing would use it afterwards
	}
	if k := v.Kind(); k != types.PackageVar && k != types.LocalVar && k != types.FieldVar {
		return false // callers set parameters
	}
	set := 0
	for value := range facts.ValuesOf(s.Place, v) {
		if value == nil || functionName(s, value) != want {
			return false
		}
		set++
	}
	return set > 0
}

// functionName is the function that an expression names: "strings.Join".
func functionName(s *advice.Site, e ast.Expr) string {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return ""
	}
	if f, ok := s.Info.Uses[id].(*types.Func); ok {
		return f.FullName()
	}
	return ""
}
