package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var largeCopy = &advice.Rule{
	ID:    "large-copy",
	Title: "large values are copied",
	Doc: `A loop "for _, v := range values" copies each element, and so does passing a struct to a function or assigning it. From
64 bytes on, the copy goes through memory and takes longer than the body of many loops.

The rewrite makes the loop variable point to the element. It is offered if the loop only reads fields of the variable,
doesn't mention the slice, and writes to no other slice or pointer of the type. Review it, because a function called in
the loop may change elements, which a copy doesn't see. A variable that is set to an element, as in v := values[i], becomes
a pointer, too, if its parts are only read, and nothing may change the element until then. For other copies of 128 bytes or
more that the compiler reports, the advice is to pass a pointer.`,
	Class: advice.Safe,
	Own:   true,
	Gain:  2,
	Match: matchLargeCopy,
	Conditions: advice.Conditions{
		Offered: "the loop only reads fields of its variable, doesn't mention the slice, and writes to no other value of the type; or a " +
			"variable that an element is copied to is only read",
		Review: "it is not about a loop, or no function called in the loop changes the elements",
	},
}

const (
	largeElement = 64   // bytes from which a struct isn't kept in registers
	flatShare    = 0.02 // smallest share of time on the line itself that is reported
)

func matchLargeCopy(s *advice.Site) []advice.Match {
	if s.Flat() < flatShare {
		return nil
	}
	for _, c := range s.Nodes() {
		if m, ok := elementCopied(s, c); ok {
			return []advice.Match{m}
		}
		r, ok := c.Node().(*ast.RangeStmt)
		if !ok {
			continue
		}
		v := rangeValue(s, r)
		if v == nil {
			continue
		}
		size, _ := facts.SizeOf(v.Type())
		if _, isStruct := v.Type().Underlying().(*types.Struct); !isStruct || size < largeElement {
			continue
		}
		m := advice.Match{Node: r, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("Each step copies an element of %d bytes to %s. Loop over the index and use the elements in place.", size, v.Name())
		pointTo(s, c, r, v, &m)
		return []advice.Match{m}
	}
	return copiesSaid(s)
}

// rangeValue is the variable that a loop over a slice or array copies elements to.
func rangeValue(s *advice.Site, r *ast.RangeStmt) *types.Var {
	if r.Tok != token.DEFINE || r.Value == nil {
		return nil
	}
	if !facts.HasElements(s.Info.TypeOf(r.X)) {
		return nil
	}
	v, _ := facts.Object(s.Place, r.Value).(*types.Var)
	return v
}

// pointTo makes a loop variable point to the element.
func pointTo(s *advice.Site, c inspector.Cursor, r *ast.RangeStmt, v *types.Var, m *advice.Match) {
	if !facts.Plain(s.Place, r.X) || s.Info.Scopes[r.Body] == nil || s.Info.Scopes[r.Body].Lookup(v.Name()) != nil {
		return
	}
	if _, isArray := s.Info.TypeOf(r.X).Underlying().(*types.Array); isArray && facts.Object(s.Place, r.X) == nil {
		return
	}
	if mentionsAny(s, r.X, r.Body) || writesAny(s, v.Type(), r.Body) {
		return
	}
	body, ok := c.FindNode(r.Body)
	if !ok {
		return
	}
	var edits []advice.Edit
	reads, whole := true, false
	for _, id := range s.Uses(v) {
		use, ok := body.FindNode(id)
		if !ok {
			reads = false
			break
		}
		switch {
		case facts.AddressTakenBy(s.Place, use, v) != "" || facts.Changes(s.Place, use):
			reads = false
		case !isSelected(use):
			whole = whole || !facts.InBranch(use, r.Body.Lbrace)
			edits = append(edits, edit.Replace(id, "*"+v.Name()))
			reads = reads && starFits(use)
		}
	}
	if !reads || whole {
		return // it is copied anyway, or changed
	}
	index := ""
	if id, ok := r.Key.(*ast.Ident); ok && id.Name != "_" {
		if facts.Assigned(s.Place, s.Info.Defs[id], r.Body) || s.Info.Scopes[r.Body].Lookup(id.Name) != nil {
			return
		}
		index = id.Name
	} else {
		index = facts.Fresh(s.Place, "i", r.Pos(), r.Body)
	}
	over := s.Source(r.X)
	if obj := facts.Object(s.Place, r.X); obj == nil || !facts.IsLocal(s.Place, obj) || facts.AddressTaken(s.Place, obj) {
		// The loop keeps iterating over the current slice, even if the variable is assigned later.
		outer, ok := facts.Statement(c)
		if _, isSlice := s.Info.TypeOf(r.X).Underlying().(*types.Slice); !ok || !isSlice || facts.Jumps(s.Place) {
			return
		}
		over = facts.Fresh(s.Place, "items", outer.Node().Pos(), s.Func.Node())
		edits = append(edits, edit.Insert(outer.Node().Pos(), over+" := "+s.Source(r.X)+"\n"))
	}
	at, pointer := afterLine(s, r.Body.Lbrace+1), fmt.Sprintf("\n%s := &%s[%s]", v.Name(), over, index)
	if first := r.Body.List; len(first) > 0 && s.Package.Line(first[0].Pos()) == s.Package.Line(at) {
		pointer += "\n"
	}
	m.Class = advice.Review
	m.Why += fmt.Sprintf(" Check that no code changes an element while %s is in use: a copy doesn't see such changes.", v.Name())
	m.Edits = append(edits,
		advice.Edit{Pos: r.Key.Pos(), End: r.X.End(), New: fmt.Sprintf("%s := range %s", index, over)},
		edit.Insert(at, pointer))
	if facts.Commented(s.Place, r.Key.Pos(), r.X.End()) {
		m.Edits, m.Class = nil, advice.AdviceOnly
	}
}

// afterLine is a position, or the end of its line if a comment follows.
func afterLine(s *advice.Site, at token.Pos) token.Pos {
	for _, g := range s.File.Comments {
		if c := g.List[0]; at <= c.Pos() && s.Package.Line(c.Pos()) == s.Package.Line(at) && strings.TrimSpace(s.Text(at, c.Pos())) == "" {
			return c.End()
		}
	}
	return at
}

// mentionsAny reports whether code uses a variable of an expression for more than its length or, for
// x.y, for another field than y.
func mentionsAny(s *advice.Site, e ast.Expr, in ast.Node) bool {
	found := false
	var last types.Object
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		last = s.Info.Uses[e.Sel]
	case *ast.Ident:
		last = s.Info.Uses[e]
	}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s.Callee(n) == "len" && types.ExprString(n.Args[0]) == types.ExprString(e) {
				return false
			}
		case *ast.Ident:
			found = found || last != nil && s.Info.Uses[n] == last
		}
		return !found
	})
	return found || last == nil
}

// writesAny reports whether code assigns to a value, or to part of a value, that may be an element of
// a slice of that type: one that is reached through a pointer or an index.
func writesAny(s *advice.Site, t types.Type, in ast.Node) bool {
	for e := range facts.Targets(in) {
		if insideOf(s, e, t) {
			return true
		}
	}
	for n := range ast.Preorder(in) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		switch s.Callee(call) {
		case "copy", "clear", "append":
			if of, ok := facts.Under(s.Info.TypeOf(call.Args[0])).(*types.Slice); ok && types.Identical(of.Elem(), t) {
				return true
			}
		}
	}
	return false
}

// insideOf reports whether an expression is a value of a type that an element may have, or a part of
// one.
func insideOf(s *advice.Site, e ast.Expr, t types.Type) bool {
	for {
		if mayBeElement(s, e) && types.Identical(s.Info.TypeOf(e), t) {
			return true
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return false
		}
		if p, ok := facts.Under(s.Info.TypeOf(e)).(*types.Pointer); ok && types.Identical(p.Elem(), t) {
			return true
		}
	}
}

// mayBeElement reports whether an expression may be an element of a slice: an indexed one, except in a
// map, or one behind a pointer.
func mayBeElement(s *advice.Site, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return !facts.IsMap(s.Place, e.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// isSelected reports whether a variable is used to select a field or method.
func isSelected(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	return ok && sel.X == c.Node()
}

// starFits reports whether *x can replace x without parentheses.
func starFits(c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.CallExpr:
		return p.Fun != c.Node()
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.CompositeLit, *ast.BinaryExpr, *ast.ValueSpec, *ast.SendStmt:
		return true
	case *ast.KeyValueExpr:
		return p.Value == c.Node()
	}
	return false
}

// copiesSaid matches other copies on the line that the compiler reports.
func copiesSaid(s *advice.Site) []advice.Match {
	size := 0
	for _, message := range s.Compiler() {
		n := 0
		if _, err := fmt.Sscanf(message, "copies %d bytes", &n); err == nil {
			size = max(size, n)
		}
	}
	nodes := s.Nodes()
	if size == 0 || len(nodes) == 0 {
		return nil
	}
	for _, c := range nodes {
		switch n := c.Node().(type) {
		case *ast.CallExpr, *ast.AssignStmt, *ast.ReturnStmt:
			return []advice.Match{{Node: n, Class: advice.AdviceOnly,
				Why: fmt.Sprintf("The compiler copies %d bytes here. If the copy isn't needed, use a pointer.", size)}}
		}
	}
	return nil
}
