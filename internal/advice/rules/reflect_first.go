package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var reflectFirst = &advice.Rule{
	ID:    "reflect-first",
	Title: "reflection is used where it isn't needed",
	Doc: `Some reflection can be avoided. A value is inspected with reflect before a type switch that handles most types without
it. Or fields, methods and tags of a type are looked up by name for each value, although a type never changes. Check for
the common types first and use reflection only in the default case. Keep field indexes or parsed tags in a map by
reflect.Type, or in a variable if the type is fixed. For other functions of package reflect, the finding names an
alternative if they take a twentieth of the time or memory.

Only the surrounding code shows what to keep, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: reflectFrames,
	Gain:   2,
	Match:  matchReflectFirst,
}

const (
	gainOfSwitch          = 1.2 // if a type switch comes first
	gainWithoutReflection = 1.5 // if code replaces a function of package reflect
)

var reflectFrames = lazyregexp.New(`^reflect\.`)

func matchReflectFirst(s *advice.Site) []advice.Match {
	if s.Share(reflectFrames) < 0.02 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls("reflect.ValueOf", "reflect.TypeOf") {
		obj := facts.Object(s.Place, c.Args[0])
		if obj == nil || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		if _, anything := obj.Type().Underlying().(*types.Interface); anything && switchedLater(s, c, obj, obtained(s, c)) {
			matches = append(matches, advice.Match{Node: c.CallExpr, Gain: gainOfSwitch, Title: "reflection comes before a type switch",
				Why: fmt.Sprintf("%s(%s) runs for each value, even if the type switch below handles it. Switch on the type of %s first, and use reflection only in the default case.", edit.Short(c.Name), obj.Name(), obj.Name())})
		}
	}
	for _, c := range s.Calls("(reflect.Value).FieldByName", "(reflect.Value).MethodByName", "(reflect.Type).FieldByName", "(reflect.Type).MethodByName",
		"(reflect.StructTag).Get", "(reflect.StructTag).Lookup", "reflect.VisibleFields", "(reflect.Type).Method", "(reflect.Value).FieldByNameFunc", "(reflect.Type).FieldByNameFunc") {
		if facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr,
			Why: fmt.Sprintf("%s searches the type again for each value, with the same result each time. Keep the index of the field or method by reflect.Type.", edit.Short(c.Name))})
	}
	if len(matches) > 0 {
		return matches
	}
	for _, c := range s.Calls() {
		instead := insteadOfReflection(c.Name)
		if instead == "" || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		symbol := strings.Replace(symbolOf(c.Name), "reflect.Type.", "reflect.(*rtype).", 1)
		frames := lazyregexp.New(`^` + regexp.QuoteMeta(symbol) + `$`)
		if s.Share(frames) < muchAllocated {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Title: "reflection where ordinary code works", Frames: frames, Gain: gainWithoutReflection,
			Why: fmt.Sprintf("%s %s.", edit.Short(c.Name), instead)})
	}
	return matches
}

// insteadOfReflection says what a function of package reflect costs, and what replaces it; "" for
// functions that cost little or can't be replaced.
func insteadOfReflection(name string) string {
	switch name {
	case "(reflect.Value).Interface":
		return "copies the value to the heap. Methods of reflect.Value such as IsZero, Int, String and Set use it in place; a pointer to it, as returned by Addr, isn't copied"
	case "reflect.ArrayOf", "reflect.SliceOf", "reflect.MapOf", "reflect.FuncOf", "reflect.ChanOf", "reflect.StructOf", "reflect.PointerTo", "reflect.PtrTo":
		return "looks up the type among all known types each time. If the type is known, use make or a literal; otherwise keep the result by element type"
	case "reflect.New", "reflect.MakeSlice", "reflect.MakeMap", "reflect.MakeMapWithSize", "reflect.Zero", "reflect.Append", "reflect.AppendSlice":
		return "allocates by reflection. A type switch can create values of the common types directly and leave the others to reflection"
	case "reflect.Copy", "reflect.Indirect", "(reflect.Value).Index", "(reflect.Value).Field", "(reflect.Value).Set", "(reflect.Value).Convert",
		"(reflect.Value).MapIndex", "(reflect.Value).MapKeys", "(reflect.Value).MapRange", "(reflect.Value).SetMapIndex", "(reflect.Type).Field", "(reflect.Type).Implements", "(reflect.Type).String":
		return "is slow compared with ordinary code. Use a type switch or assertion for the common types, and keep what only depends on the type by reflect.Type"
	case "(reflect.Value).Call", "(reflect.Value).CallSlice":
		return "allocates slices for the arguments and the results, and copies all of them. Assert the common function types and call them directly"
	}
	return ""
}

// obtained returns the variable that gets its value from another one by reflection: v :=
// reflect.Indirect(reflect.ValueOf(x)).Interface(). It returns nil if there is none.
func obtained(s *advice.Site, c code.Call) types.Object {
	stmt, ok := facts.Statement(c.Cursor)
	if !ok {
		return nil
	}
	var to, from ast.Expr
	switch n := stmt.Node().(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
			to, from = n.Lhs[0], n.Rhs[0]
		}
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); ok && len(d.Specs) == 1 {
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
				to, from = v.Names[0], v.Values[0]
			}
		}
	}
	call, ok := from.(*ast.CallExpr)
	if !ok || s.Callee(call) != "(reflect.Value).Interface" {
		return nil
	}
	for call != c.CallExpr { // reflection only dereferences a pointer
		var inner ast.Expr
		switch s.Callee(call) {
		case "(reflect.Value).Interface", "(reflect.Value).Elem":
			inner = ast.Unparen(call.Fun).(*ast.SelectorExpr).X
		case "reflect.Indirect":
			inner = call.Args[0]
		default:
			return nil
		}
		if call, ok = ast.Unparen(inner).(*ast.CallExpr); !ok {
			return nil
		}
	}
	return facts.Object(s.Place, to)
}

// switchedLater reports whether the function has a type switch on one of some variables after a call,
// in the same block or an inner one.
func switchedLater(s *advice.Site, c code.Call, objs ...types.Object) bool {
	stmt, ok := facts.Statement(c.Cursor)
	if !ok {
		return false
	}
	found := false
	stmt.Parent().Inspect([]ast.Node{(*ast.TypeSwitchStmt)(nil)}, func(at inspector.Cursor) bool {
		n := at.Node().(*ast.TypeSwitchStmt)
		if n.Pos() < c.Pos() {
			return true
		}
		ast.Inspect(n.Assign, func(n ast.Node) bool {
			if e, ok := n.(*ast.TypeAssertExpr); ok && e.Type == nil {
				obj := facts.Object(s.Place, e.X)
				found = found || obj != nil && slices.Contains(objs, obj)
			}
			return true
		})
		return !found
	})
	return found
}
