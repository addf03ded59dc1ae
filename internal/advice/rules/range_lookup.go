package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var rangeLookup = &advice.Rule{
	ID:    "range-lookup",
	Title: "a loop over a map looks up its own keys",
	Doc: `A range over a map returns values along with the keys. Reading m[k] in the loop hashes the key and looks it up again,
which takes 10 to 30 ns each time.

The rewrite takes the value from the range. Review it, because a function called in the loop may change the map. If the
loop itself does, nothing is reported. Keys that may not equal themselves, such as NaN, are not reported, and neither
are values so large that copying them all costs more than looking one up.`,
	Class:  advice.Review,
	Frames: mapLookup,
	Gain:   1.8,
	Match:  matchRangeLookup,
	Conditions: advice.Conditions{
		Offered: "the loop doesn't change the map, and its keys equal themselves",
		Review:  "no function called in the loop changes the map",
	},
}

func matchRangeLookup(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok {
			continue
		}
		loop, ok := facts.LoopAround(c)
		for ok {
			if r, isRange := loop.Node().(*ast.RangeStmt); isRange && facts.Within(r.Body, index.Pos()) && isEntry(s, r, index) {
				if m, ok := takeValue(s, loop, r); ok {
					matches = append(matches, m)
				}
				break
			}
			loop, ok = facts.LoopAround(loop)
		}
	}
	return matches
}

// isEntry reports whether an expression is the current entry of the map that a range iterates over.
func isEntry(s *advice.Site, r *ast.RangeStmt, e ast.Expr) bool {
	index, ok := e.(*ast.IndexExpr)
	if !ok || r.Key == nil || r.Tok != token.DEFINE {
		return false
	}
	key := facts.Object(s.Place, r.Key)
	return key != nil && facts.Object(s.Place, index.Index) == key && facts.Pure(s.Place, r.X) && facts.SameCode(s.Place, index.X, r.X)
}

// takeValue makes the range yield the value, which replaces all lookups in its body.
func takeValue(s *advice.Site, loop inspector.Cursor, r *ast.RangeStmt) (advice.Match, bool) {
	of, ok := facts.Under(s.Info.TypeOf(r.X)).(*types.Map)
	if !ok || facts.Assigned(s.Place, facts.Object(s.Place, r.Key), r.Body) || changesMap(s, r) {
		return advice.Match{}, false
	}
	m := advice.Match{Node: r, Class: advice.Review}
	if isTypeParam(of.Key()) || isTypeParam(of.Elem()) {
		m.Class = advice.AdviceOnly
	} else {
		const small = 64 // bytes that are copied faster than a key is found
		if size, ok := facts.SizeOf(of.Elem()); !ok || size > small || !equalToItself(of.Key()) {
			return advice.Match{}, false
		}
	}
	name := facts.Fresh(s.Place, "value", r.Body.Lbrace, r)
	switch value := r.Value.(type) {
	case nil:
		m.Edits = append(m.Edits, edit.Insert(r.Key.End(), ", "+name))
	case *ast.Ident:
		obj := facts.Object(s.Place, value)
		if obj == nil || facts.Assigned(s.Place, obj, r.Body) || changesPart(s, obj) {
			return advice.Match{}, false
		}
		name = value.Name
	default:
		return advice.Match{}, false
	}
	simple, entries := true, 0
	loop.Inspect([]ast.Node{(*ast.IndexExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok {
			simple = simple && !facts.Mentions(s.Place, c.Node(), facts.Object(s.Place, r.Key)) // it may run later
			return false
		}
		if !isEntry(s, r, index) {
			return true
		}
		if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 {
			simple = false // v, ok := m[k]
		}
		if spec, ok := c.Parent().Node().(*ast.ValueSpec); ok && len(spec.Names) != len(spec.Values) {
			simple = false // var v, ok = m[k]
		}
		if r.Value != nil && facts.Resolves(s.Place, name, index.Pos()) != facts.Object(s.Place, r.Value) {
			simple = false
		}
		m.Edits = append(m.Edits, edit.Replace(index, name))
		entries++
		return false
	})
	text := s.Source(r.X)
	if !simple || !edit.OneLine(text) {
		return advice.Match{}, false
	}
	if entries == len(s.Uses(facts.Object(s.Place, r.Key))) {
		m.Edits = append(m.Edits, edit.Replace(r.Key, "_"))
	}
	m.Why = fmt.Sprintf("%s[%s] is looked up although the range already has the value; use the second range variable. Check that no function called in the loop changes %s.", text, s.Source(r.Key), text)
	return m, true
}

// changesPart reports whether part of a variable is assigned to, or its address is taken.
func changesPart(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return !ok || slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		use, ok := s.Root().FindNode(id)
		return !ok || facts.AddressTakenBy(s.Place, use, v) != "" || facts.Changes(s.Place, use)
	})
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// equalToItself reports whether every key of a type equals itself, so that a map finds it.
func equalToItself(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsString|types.IsInteger|types.IsBoolean) != 0
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}

// changesMap reports whether a loop over a map stores to it, deletes from it, or passes it on.
func changesMap(s *advice.Site, r *ast.RangeStmt) bool {
	text := types.ExprString(r.X)
	same := func(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == text }
	entry := func(e ast.Expr) bool {
		index, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && same(index.X)
	}
	found := facts.RootOf(s.Place, r.X) == nil || facts.Assigned(s.Place, facts.RootOf(s.Place, r.X), r.Body)
	for e := range facts.Targets(r.Body) {
		found = found || same(e) || entry(e)
	}
	ast.Inspect(r.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, arg := range n.Args {
				found = found || same(arg) && s.Callee(n) != "len"
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && same(n.X)
		}
		return !found
	})
	return found
}
