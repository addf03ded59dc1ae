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

var mapTwice = &advice.Rule{
	ID:    "map-twice",
	Title: "a map element is looked up twice",
	Doc: `Each lookup hashes the key and searches the map for it, which takes 10 to 30 ns. Code often looks an element up
in a condition, and then once more to use it.

The rewrite keeps the value of the first lookup. The rule looks at lookups in the condition of an if and in its
branches, and at lookups after an assignment such as v, ok := m[k]. Values so large that copying them costs more than
looking one up are not reported, and neither are elements that may change in between.`,
	Class:  advice.Safe,
	Frames: mapLookup,
	Gain:   1.8,
	Match:  matchMapTwice,
	Conditions: advice.Conditions{
		Offered: "map and key are the same code, the first lookup always runs before the second, and nothing in between may change the map, the key, or what other goroutines see",
	},
}

func matchMapTwice(s *advice.Site) []advice.Match {
	if facts.Jumps(s.Place) {
		return nil
	}
	var matches []advice.Match
	var seen []ast.Node
	for _, c := range s.Nodes() {
		second, ok := lookupAt(s, c)
		if !ok {
			continue
		}
		l, ok := lookedUpBefore(s, c, second)
		if !ok || slices.Contains(seen, l.owner.Node()) {
			continue
		}
		if m, ok := l.keepValue(s); ok {
			seen, matches = append(seen, l.owner.Node()), append(matches, m)
		}
	}
	return matches
}

// lookupAt returns the lookup of an element whose value alone is used: no assignment to it, and no
// second result.
func lookupAt(s *advice.Site, c inspector.Cursor) (*ast.IndexExpr, bool) {
	index, ok := c.Node().(*ast.IndexExpr)
	if !ok || !facts.IsMap(s.Place, index.X) || facts.IsAssigned(c) || hasSecondResult(c) {
		return nil, false
	}
	return index, facts.Pure(s.Place, index.X) && facts.Pure(s.Place, index.Index)
}

// hasSecondResult reports whether a lookup also says whether the element exists.
func hasSecondResult(c inspector.Cursor) bool {
	switch parent := facts.WithParens(c).Parent().Node().(type) {
	case *ast.AssignStmt:
		return len(parent.Lhs) == 2 && len(parent.Rhs) == 1
	case *ast.ValueSpec:
		return len(parent.Names) == 2 && len(parent.Values) == 1
	}
	return false
}

// An earlierLookup is a lookup whose value is there when the same element is looked up again.
type earlierLookup struct {
	index *ast.IndexExpr
	// owner is the if with the lookup in its condition, or the assignment of its value.
	owner inspector.Cursor
	// value receives the value, if it is assigned: a variable, or _.
	value *ast.Ident
}

// lookedUpBefore finds the lookup of the same element that runs before another one: in the condition or
// the initial statement of an if around it, or in an assignment before it in a block around it.
func lookedUpBefore(s *advice.Site, c inspector.Cursor, second *ast.IndexExpr) (l earlierLookup, ok bool) {
	for child := c; ; child = child.Parent() {
		parent := child.Parent()
		switch n := parent.Node().(type) {
		case nil, *ast.FuncDecl, *ast.FuncLit:
			return l, false
		case *ast.IfStmt:
			if a, isAssign := n.Init.(*ast.AssignStmt); isAssign && child.Node() != ast.Node(n.Init) {
				init, found := parent.FindNode(a)
				if l, ok := valueOf(s, init, second); found && ok {
					return l, true
				}
			}
			if n.Init == nil {
				if first, ok := firstLookup(s, parent, n.Cond, second); ok {
					return earlierLookup{index: first, owner: parent}, true
				}
			}
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			for before, ok := child.PrevSibling(); ok; before, ok = before.PrevSibling() {
				if l, ok := valueOf(s, before, second); ok {
					return l, true
				}
			}
		}
	}
}

// valueOf returns the lookup that an assignment takes the value of, v := m[k] or v, ok := m[k].
func valueOf(s *advice.Site, c inspector.Cursor, second *ast.IndexExpr) (l earlierLookup, ok bool) {
	a, ok := c.Node().(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE || len(a.Rhs) != 1 {
		return l, false
	}
	first, ok := ast.Unparen(a.Rhs[0]).(*ast.IndexExpr)
	if !ok || !facts.SameCode(s.Place, first, second) {
		return l, false
	}
	value, ok := a.Lhs[0].(*ast.Ident)
	if !ok || value.Name != "_" && s.Info.Defs[value] == nil {
		return l, false // an older variable, perhaps of an interface type
	}
	return earlierLookup{first, c, value}, true
}

// firstLookup returns the first lookup of the same element in the condition of an if, if the condition always
// gets there.
func firstLookup(s *advice.Site, c inspector.Cursor, cond ast.Expr, second *ast.IndexExpr) (first *ast.IndexExpr, ok bool) {
	at, found := c.FindNode(cond)
	if !found {
		return nil, false
	}
	for in := range at.Preorder((*ast.IndexExpr)(nil)) {
		index, isLookup := lookupAt(s, in)
		if !isLookup || index == second || !facts.SameCode(s.Place, index, second) {
			continue
		}
		return index, index.Pos() < second.Pos() && always(in, cond)
	}
	return nil, false
}

// always reports whether a part of a condition is evaluated whenever the condition is.
func always(c inspector.Cursor, cond ast.Expr) bool {
	for ; c.Node() != ast.Node(cond); c = c.Parent() {
		switch parent := c.Parent().Node().(type) {
		case *ast.BinaryExpr:
			if (parent.Op == token.LAND || parent.Op == token.LOR) && c.Node() == ast.Node(parent.Y) {
				return false
			}
		case *ast.FuncLit:
			return false
		}
	}
	return true
}

// kept reports whether a variable has the value already.
func (l earlierLookup) kept() bool { return l.value != nil && l.value.Name != "_" }

// keepValue replaces the later lookups by the value of the first.
func (l earlierLookup) keepValue(s *advice.Site) (advice.Match, bool) {
	const small = 64 // bytes that are copied faster than a key is found
	of, ok := facts.Under(s.Info.TypeOf(l.index.X)).(*types.Map)
	if !ok || isTypeParam(of.Elem()) {
		return advice.Match{}, false
	}
	if size, ok := facts.SizeOf(of.Elem()); !ok || size > small {
		return advice.Match{}, false
	}
	if l.value == nil && l.panicsInstead(s) {
		return advice.Match{}, false
	}
	m := advice.Match{Node: l.index, Class: advice.Safe}
	scope := l.owner
	if l.value != nil {
		scope = l.owner.Parent() // the block or the if with the assignment
	}
	name := ""
	if l.kept() {
		name = l.value.Name
	} else {
		name = facts.Fresh(s.Place, "value", l.index.Pos(), scope.Node())
	}
	var lines []int
	for c := range scope.Preorder((*ast.IndexExpr)(nil)) {
		index, ok := lookupAt(s, c)
		if !ok || index == l.index || index.Pos() < l.index.Pos() || !facts.SameCode(s.Place, index, l.index) {
			continue
		}
		if l.kept() && facts.Resolves(s.Place, name, index.Pos()) != s.Info.Defs[l.value] {
			continue
		}
		if !l.unchanged(s, c, scope) {
			continue
		}
		m.Edits = append(m.Edits, edit.Replace(index, name))
		lines = append(lines, s.Package.Line(index.Pos()))
	}
	if len(lines) == 0 {
		return advice.Match{}, false
	}
	switch {
	case l.value == nil: // in the condition
		cond, declared := l.owner.Node().(*ast.IfStmt).Cond, fmt.Sprintf("%s := %s; ", name, s.Source(l.index))
		if cond.Pos() == l.index.Pos() {
			m.Edits = append(m.Edits, edit.Replace(l.index, declared+name))
		} else {
			m.Edits = append(m.Edits, edit.Insert(cond.Pos(), declared), edit.Replace(l.index, name))
		}
	case !l.kept():
		m.Edits = append(m.Edits, edit.Replace(l.value, name))
	}
	again := "again"
	if lines[0] != s.Package.Line(l.index.Pos()) {
		again = fmt.Sprintf("again on line %d", lines[0])
	}
	m.Why = fmt.Sprintf("%s is looked up %s; keep the value of the first lookup.", s.Source(l.index), again)
	return m, edit.OneLine(s.Source(l.index))
}

// unchanged reports whether an element has the value of the first lookup when it is looked up again, and
// so has the variable with the value.
func (l earlierLookup) unchanged(s *advice.Site, again, scope inspector.Cursor) bool {
	code, ok := between(again, l.owner, scope)
	if !ok {
		return false
	}
	if l.value == nil { // the calls of a condition run before its lookups
		code = append(code, l.owner.Node().(*ast.IfStmt).Cond)
	}
	change := facts.Change{Code: code}
	return facts.UnchangedBy(s.Place, l.index, false, change) && (!l.kept() || facts.UnchangedBy(s.Place, l.value, false, change))
}

// panicsInstead reports whether a lookup that is moved to the beginning of its condition may panic where
// another part of the condition did before.
func (l earlierLookup) panicsInstead(s *advice.Site) bool {
	own := facts.PanicsBeside(s.Place, l.index.X) | facts.PanicsBeside(s.Place, l.index.Index)
	if own == 0 && equalToItself(facts.Under(s.Info.TypeOf(l.index.X)).(*types.Map).Key()) {
		return false
	}
	at, found := l.owner.FindNode(l.index)
	if !found {
		return true
	}
	for cond := l.owner.Node().(*ast.IfStmt).Cond; at.Node() != ast.Node(cond); at = at.Parent() {
		for other := range at.Parent().Children() {
			if other != at && (facts.PanicsBeside(s.Place, other.Node()) != 0 || facts.EffectsOf(s.Place, other.Node())&facts.MayPanic != 0) {
				return true
			}
		}
	}
	return false
}

// between returns the code that may run after the first lookup and before an element is looked up again.
// ok is false if that may run at another time, as in a function literal.
func between(again, owner, scope inspector.Cursor) (code []ast.Node, ok bool) {
	add := func(n ast.Node) { code = append(code, n) }
	for child := again; child != scope; child = child.Parent() {
		parent := child.Parent()
		switch n := parent.Node().(type) {
		case nil, *ast.FuncLit, *ast.FuncDecl, *ast.DeferStmt, *ast.GoStmt:
			return nil, false
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			for before, ok := child.PrevSibling(); ok && before != owner; before, ok = before.PrevSibling() {
				add(before.Node())
			}
			for clause := range parent.Children() { // of a switch or select, which may evaluate those below first
				switch clause := clause.Node().(type) {
				case *ast.CaseClause:
					for _, e := range clause.List {
						add(e)
					}
				case *ast.CommClause:
					if clause.Comm != nil {
						add(clause.Comm)
					}
				}
			}
		case *ast.ForStmt, *ast.RangeStmt:
			add(n) // its other iterations
		default: // operands may be evaluated in any order; a call or assignment itself comes after them
			for other := range parent.Children() {
				if other == child {
					if hasBlocks(n) {
						break
					}
					continue
				}
				if other != owner {
					add(other.Node())
				}
			}
		}
	}
	return code, true
}

// hasBlocks reports whether a statement's parts run one after the other.
func hasBlocks(n ast.Node) bool {
	switch n.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.LabeledStmt:
		return true
	}
	return false
}
