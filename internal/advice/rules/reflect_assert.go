package rules

import (
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var reflectAssert = &advice.Rule{
	ID:    "reflect-assert",
	Title: "a reflected value is boxed for a type assertion",
	Doc: `v.Interface() creates an interface, so a value that isn't a pointer is copied to the heap. If a type assertion follows
immediately, reflect.TypeAssert (Go 1.25) avoids the copy. An assertion without ok, which panics, and a type switch stay
unchanged. If the target is an interface type, only values that implement it are copied. Lines that copy nothing to the
heap, as with pointers, are not reported.

Review the rewrite if the value may be invalid or come from an unexported field: both versions panic, with different
messages.`,
	Match:  matchReflectAssert,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^reflect\.(Value\.Interface|valueInterface|packEface)$`),
	Since:  "1.25",
	Gain:   2,
	Conditions: advice.Conditions{
		Offered: "the assertion has an ok result, so it doesn't panic",
	},
}

func matchReflectAssert(s *advice.Site) []advice.Match {
	if s.Share(reflectCopies) == 0 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls("(reflect.Value).Interface") {
		// A method expression takes the value as an argument. A pointer would have to be dereferenced.
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || len(c.Args) > 0 || types.TypeString(s.Info.TypeOf(sel.X), nil) != "reflect.Value" {
			continue
		}
		at := facts.WithParens(c.Cursor).Parent()
		assert, ok := at.Node().(*ast.TypeAssertExpr)
		if !ok || assert.Type == nil {
			continue
		}
		// Without ok the assertion panics, which TypeAssert doesn't.
		assign, ok := facts.WithParens(at).Parent().Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 {
			continue
		}
		reflect, ok := facts.PackageName(s.Place, "reflect", assert.Pos())
		if !ok {
			continue
		}
		m := advice.Match{
			Node: assert,
			Why:  "Interface copies the value to the heap, and the type assertion copies it back; reflect.TypeAssert reads it in place.",
			Edits: edit.KeepingComments(s, []advice.Edit{
				{Pos: assert.Pos(), End: sel.X.Pos(), New: reflect + ".TypeAssert[" + s.Source(assert.Type) + "]("},
				{Pos: sel.X.End(), End: assert.End(), New: ")"},
			}),
			Imports: []string{"reflect"},
		}
		if types.IsInterface(s.Info.TypeOf(assert.Type)) {
			m.Why = "Interface copies the value to the heap before the check for its methods; reflect.TypeAssert checks first, and copies only values that have them."
		}
		if !holdsValue(s, assert) {
			m.Class = advice.Review
			m.Why += " Check that the value is valid and not from an unexported field: the panic message differs."
		}
		matches = append(matches, m)
	}
	return matches
}

// holdsValue reports whether a type assertion is about v.Interface(), with v the reflect.ValueOf
// something with a concrete type, which doesn't panic.
func holdsValue(s *advice.Site, assertion ast.Node) bool {
	assert, ok := assertion.(*ast.TypeAssertExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	return ok && s.Callee(of) == "reflect.ValueOf" && len(of.Args) == 1 && !types.IsInterface(s.Info.TypeOf(of.Args[0]))
}

// reflectCopies matches the function in which Interface allocates its copy of a value.
var reflectCopies = lazyregexp.New(`^reflect\.unsafe_New$`)
