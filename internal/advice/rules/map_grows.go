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
	"github.com/hone-go/hone/internal/lazyregexp"
)

var mapGrows = &advice.Rule{
	ID:    "map-grows",
	Title: "a map grows key by key",
	Doc: `A full map is rebuilt with twice the capacity, and all its keys are hashed again. make(map[K]V, n) allocates room for n
keys at once.

The rewrite sizes a map that is filled by a loop over something of known length, by maps.Copy, or by several of them in a
row. It does so where the map is created or, if the length isn't known there yet, where the loop starts. It is class A if
each iteration has a different key, and B if keys may repeat, which would make the map larger than necessary. Maps that
count or group, or that have characters as keys, only get advice. So do maps filled by a function that is called for each
key, and maps created by the caller.`,
	Class:     advice.Safe,
	Frames:    mapGrowth,
	Allocates: true,
	Gain:      2,
	Match:     matchMapGrows,
	Conditions: advice.Conditions{
		Offered: "a local map is created without a size, and each iteration of a loop with a known count, or maps.Copy, stores a key that isn't there yet",
		Review:  "most keys are different; a count that comes from outside isn't inflated; the loop rarely returns early",
	},
}

// A map starts with one group of eight keys, so a size up to 8 changes nothing.
const mapGrowthNames = `^internal/runtime/maps\.(\(\*table\)\.(rehash|grow|split)|\(\*Map\)\.growToTable|newTable)` +
	`|^runtime\.(hashGrow|growWork|evacuate|makeBucketArray)`

var mapGrowth = lazyregexp.New(mapGrowthNames)

func matchMapGrows(s *advice.Site) []advice.Match {
	if s.Share(mapGrowth) == 0 && s.Blocks() < 2 {
		return nil // all allocations here have one size: nothing grows
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		if m, ok := copiedInto(s, c); ok && (s.Share(mapGrowth) > 0 || outgrowsGroup(s, m.Node.(*ast.CallExpr).Args[0])) {
			matches = append(matches, m)
		}
		index, groups := storedAt(s, c.Node())
		if index == nil {
			continue
		}
		m := facts.Object(s.Place, index.X)
		part := rebuildingOf(s, c.Node(), index)
		if m == nil || part == 0 {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok || !facts.IsLocal(s.Place, m) || facts.Within(loop.Node(), m.Pos()) {
			matches = append(matches, estimated(s, c, m, part)...)
			continue
		}
		b, known := facts.TripsOf(s.Place, loop.Node())
		d, declared := facts.DeclarationOf(s.Place, m)
		stmt, inBlock := facts.Statement(loop)
		if !known || !declared || !inBlock || !facts.EmptyMap(s.Place, &d) || !edit.OneLine(b.Text(s.Place)) ||
			len(facts.UsesIn(s.Place, m, d.Node().End(), loop.Node().Pos())) > 0 {
			matches = append(matches, estimated(s, c, m, part)...)
			continue
		}
		if outer, ok := facts.LoopAround(loop); ok && !facts.Within(outer.Node(), m.Pos()) {
			// It has what the loop has stored before.
			matches = append(matches, estimated(s, c, m, part)...)
			continue
		}
		found := advice.Match{Node: c.Node(), Class: advice.AdviceOnly, Allocated: part}
		exits := facts.ExitsOf(s.Place, loop)
		more := ""
		if !b.Counts || types.Identical(types.Default(s.Info.TypeOf(b.Expr)), types.Typ[types.Int]) {
			more = addedNext(s, m, &d, stmt)
		}
		step := c.Parent().Node() == facts.LoopBody(loop.Node()) && !exits.Skips && !exits.Stops
		switch {
		case isAlphabet(s.Info.TypeOf(index.Index)) && !distinct(s, loop.Node(), index.Index):
			found.Why = fmt.Sprintf("%s is rebuilt as it grows. Characters repeat, so %[2]s keys would be too many; if you know how many different ones there are, make it with that size.", m.Name(), b.Text(s.Place))
		case groups:
			found.Why = fmt.Sprintf("%s is rebuilt as it grows to at most %s keys. If most keys are different, make it with that size.", m.Name(), b.Text(s.Place))
		case deletes(s, m, loop.Node()) || !step && (exits.Stops || !skipsKnown(s, c, loop, index) || !sizeMap(s, &b, &d, stmt, exits, more, &found)):
			found.Why = fmt.Sprintf("%s is rebuilt as it grows. Not all of the %s iterations store a key; if most do, make it with that size.", m.Name(), b.Text(s.Place))
		case !step:
			found.Class = advice.Review
			found.Why = fmt.Sprintf("%s is rebuilt as it grows; make it with a size of %s, unless many keys are the same.", m.Name(), b.Text(s.Place))
		case !sizeMap(s, &b, &d, stmt, exits, more, &found):
			found.Why = fmt.Sprintf("%s is rebuilt as it grows; make it with a size of %s.", m.Name(), b.Text(s.Place))
		case more != "":
			found.Class = advice.Review
			found.Why = fmt.Sprintf("%s is rebuilt as it grows; make it with a size of %s%s, unless many keys are the same.", m.Name(), b.Text(s.Place), more)
		case distinct(s, loop.Node(), index.Index):
			found.Why = fmt.Sprintf("%s is rebuilt as it grows to %s keys; make it with that size.", m.Name(), b.Text(s.Place))
		default:
			found.Class = advice.Review
			found.Why = fmt.Sprintf("%s is rebuilt as it grows; make it with a size of %s, unless many keys are the same.", m.Name(), b.Text(s.Place))
		}
		if found.Edits != nil {
			edit.MustCheck(&found, b.Claimed(s.Place, loop.Node()))
			if len(exits.Returns) > 0 {
				edit.MustCheck(&found, []string{"that the loop rarely returns early: room for all elements is allocated first"})
			}
		}
		matches = append(matches, found)
	}
	return matches
}

// skipsKnown reports whether the statement at hand stores a key in each iteration of a loop, except those whose key is in the map:
//
//	if _, ok := m[k]; !ok { m[k] = v }
//	if m[k] { continue }; m[k] = true
func skipsKnown(s *advice.Site, store, loop inspector.Cursor, index *ast.IndexExpr) bool {
	continues := 0
	for c := range loop.Preorder((*ast.BranchStmt)(nil)) {
		if c.Node().(*ast.BranchStmt).Tok == token.CONTINUE {
			continues++
		}
	}
	body := facts.LoopBody(loop.Node())
	for _, stmt := range body.List {
		guard, ok := stmt.(*ast.IfStmt)
		if !ok || guard.Else != nil {
			continue
		}
		missing, ok := looksUp(s, guard, index)
		switch {
		case !ok:
		case missing && continues == 0:
			return store.Parent().Node() == ast.Node(guard.Body)
		case !missing && continues == 1 && len(guard.Body.List) == 1 && store.Parent().Node() == ast.Node(body):
			branch, ok := guard.Body.List[0].(*ast.BranchStmt)
			return ok && branch.Tok == token.CONTINUE && branch.Label == nil && guard.Pos() < store.Node().Pos()
		}
	}
	return false
}

// looksUp reports whether a condition asks for an element of a map, and whether it is true if that is missing.
func looksUp(s *advice.Site, guard *ast.IfStmt, index *ast.IndexExpr) (missing, ok bool) {
	cond := ast.Unparen(guard.Cond)
	if not, isNot := cond.(*ast.UnaryExpr); isNot && not.Op == token.NOT {
		cond, missing = ast.Unparen(not.X), true
	}
	lookup := cond
	if init, isAssign := guard.Init.(*ast.AssignStmt); isAssign && len(init.Lhs) == 2 && len(init.Rhs) == 1 {
		if found := facts.Object(s.Place, init.Lhs[1]); found == nil || facts.Object(s.Place, cond) != found {
			return false, false
		}
		lookup = ast.Unparen(init.Rhs[0])
	} else if guard.Init != nil {
		return false, false
	}
	e, isIndex := lookup.(*ast.IndexExpr)
	return missing, isIndex && facts.SameCode(s.Place, e.X, index.X) && facts.SameCode(s.Place, e.Index, index.Index)
}

// isAlphabet reports whether a type has few values, or its values are characters, of which a text has
// few.
func isAlphabet(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Bool, types.Int8, types.Uint8:
		return true
	}
	return b.Name() == "rune"
}

// estimated matches maps whose number of keys no loop determines; it may still be known where they are
// created. A profile must show that they are rebuilt.
func estimated(s *advice.Site, c inspector.Cursor, m types.Object, part float64) []advice.Match {
	v, ok := m.(*types.Var)
	if !ok || s.Decl == nil || !facts.Within(s.Decl, v.Pos()) || s.Share(mapGrowth) < someAllocated {
		return nil // a longer-lived map grows only once
	}
	found := advice.Match{Node: c.Node(), Class: advice.AdviceOnly, Allocated: part}
	if facts.Within(s.Decl.Type, v.Pos()) {
		if !facts.IsParameter(s.Place, m) {
			return nil // a variable of an outer function, or a result
		}
		found.Why = fmt.Sprintf("%s is rebuilt as it grows. The code that creates it can pass the expected number of keys to make.", m.Name())
		return []advice.Match{found}
	}
	if d, ok := facts.DeclarationAround(s.Place, m); !ok || !facts.EmptyMap(s.Place, &d) {
		return nil
	}
	found.Why = fmt.Sprintf("%s is rebuilt as it grows. If you can know, count or estimate the number of keys where it is created, pass it to make.", m.Name())
	return []advice.Match{found}
}

// rebuildingOf returns the share of a line's allocations that rebuilds the map which a statement stores to, 0
// if the map isn't seen to grow. The line may also allocate the value, as in m[k] = append(m[k], v). Blocks in
// heap profiles don't tell which is which; the time that allocating takes does.
func rebuildingOf(s *advice.Site, store ast.Node, to *ast.IndexExpr) float64 {
	growth := s.Share(mapGrowth)
	switch {
	case growth > 0 && allocatesValue(s, store):
		return growth / s.Share(mapOrValue)
	case growth > 0 || !allocatesValue(s, store) && outgrowsGroup(s, to.X):
		return 1
	}
	return 0
}

// mapOrValue is what rebuilds a map, or allocates what is stored in it.
var mapOrValue = lazyregexp.New(mapGrowthNames + `|^runtime\.(mallocgc|newobject|growslice|makeslice|makemap|rawstring|rawbyteslice|concatstring|slicebytetostring|stringtoslicebyte)`)

// allocatesValue reports whether a statement that stores to a map may allocate what it stores.
func allocatesValue(s *advice.Site, store ast.Node) bool {
	assign, ok := store.(*ast.AssignStmt)
	if !ok {
		return false // m[k]++
	}
	if assign.Tok == token.ADD_ASSIGN && facts.IsString(s.Place, assign.Rhs[0]) {
		return true
	}
	value, address := ast.Unparen(assign.Rhs[0]).(*ast.UnaryExpr)
	return address && value.Op == token.AND || allocatesParts(s, assign.Rhs)
}

// outgrowsGroup reports whether a line allocates blocks that are too large for the first group of a
// map, which has eight keys and values.
func outgrowsGroup(s *advice.Site, m ast.Expr) bool {
	of, ok := facts.Under(s.Info.TypeOf(m)).(*types.Map)
	if !ok {
		return false
	}
	slot := int64(0)
	for _, t := range []types.Type{of.Key(), of.Elem()} {
		const indirect, pointer = 128, 8 // larger ones are stored indirectly
		size, ok := facts.SizeOf(t)
		if !ok {
			return true
		}
		if size > indirect {
			size = pointer
		}
		slot += size
	}
	const group = 8
	return s.Allocated(func(block int64) bool { return block >= 2*group*(slot+1) }) > 0
}

// copiedInto matches maps.Copy into a map that is made for it, without a size.
func copiedInto(s *advice.Site, c inspector.Cursor) (advice.Match, bool) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || s.Callee(call) != "maps.Copy" || !edit.OneLine(s.Source(call.Args[1])) {
		return advice.Match{}, false
	}
	m := facts.Object(s.Place, call.Args[0])
	stmt, inBlock := facts.Statement(c)
	if m == nil || !facts.IsLocal(s.Place, m) || !inBlock || stmt != c.Parent() {
		return advice.Match{}, false
	}
	d, declared := facts.DeclarationOf(s.Place, m)
	if loop, ok := facts.LoopAround(c); !declared || !facts.EmptyMap(s.Place, &d) || ok && !facts.Within(loop.Node(), m.Pos()) || len(facts.UsesIn(s.Place, m, d.Node().End(), call.Pos())) > 0 {
		return advice.Match{}, false
	}
	b := facts.Trips{Expr: call.Args[1]}
	found := advice.Match{Node: call, Class: advice.AdviceOnly,
		Why: fmt.Sprintf("%s is rebuilt as it grows to the keys of %s; make it with that size.", m.Name(), s.Source(call.Args[1]))}
	if facts.Repeatable(s.Place, call.Args[1]) {
		more := addedNext(s, m, &d, stmt)
		if sizeMap(s, &b, &d, stmt, facts.Exits{}, more, &found) && more != "" {
			found.Class = advice.Review
			found.Why = fmt.Sprintf("%s is rebuilt as it grows; make it with a size of %s%s, unless many keys are the same.", m.Name(), b.Text(s.Place), more)
		}
	}
	return found, true
}

// storedAt returns the m[k] that a statement stores to, and whether it counts or groups: whether the
// stored value depends on the previous one.
func storedAt(s *advice.Site, n ast.Node) (index *ast.IndexExpr, groups bool) {
	var to ast.Expr
	switch n := n.(type) {
	case *ast.IncDecStmt:
		to, groups = n.X, true
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
			return nil, false
		}
		to = n.Lhs[0]
		groups = n.Tok != token.ASSIGN
		text := types.ExprString(to)
		ast.Inspect(n.Rhs[0], func(n ast.Node) bool {
			e, ok := n.(*ast.IndexExpr)
			groups = groups || ok && types.ExprString(e) == text
			return true
		})
	}
	index, ok := to.(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	if _, ok := facts.Under(s.Info.TypeOf(index.X)).(*types.Map); !ok {
		return nil, false
	}
	return index, groups
}

// distinct reports whether each iteration has another key.
func distinct(s *advice.Site, loop ast.Node, key ast.Expr) bool {
	obj := facts.Object(s.Place, key)
	if obj == nil || facts.Assigned(s.Place, obj, facts.LoopBody(loop)) {
		return false
	}
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return n.Key != nil && facts.Object(s.Place, n.Key) == obj
	case *ast.ForStmt:
		init, ok := n.Init.(*ast.AssignStmt)
		return ok && facts.Object(s.Place, init.Lhs[0]) == obj
	}
	return false
}

func deletes(s *advice.Site, m types.Object, in ast.Node) bool {
	found := facts.Assigned(s.Place, m, in)
	ast.Inspect(in, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 && facts.Object(s.Place, call.Args[0]) == m {
			switch s.Callee(call) {
			case "delete", "clear":
				found = true
			}
		}
		return !found
	})
	return found
}

// sizeMap gives a map its size, and moves its declaration if necessary.
func sizeMap(s *advice.Site, b *facts.Trips, d *facts.Declaration, stmt inspector.Cursor, exits facts.Exits, more string, m *advice.Match) bool {
	at := stmt.Node().Pos()
	if d.Parent() != stmt.Parent() || facts.Jumps(s.Place) || !facts.SameAt(s.Place, d.Type, at) || !facts.Builtins(s.Place, at, "make", "len") {
		return false
	}
	if b.Counts && (len(exits.Returns) > 0 || exits.Panics) {
		return false // the number comes from outside
	}
	m.Class = advice.Safe
	size, first := b.Size(s.Place, at)
	made := fmt.Sprintf("make(%s, %s%s)", s.Source(d.Type), size, more)
	switch {
	case facts.Previous(d.Cursor, stmt):
		m.Edits = []advice.Edit{edit.Insert(d.Node().Pos(), first), edit.Replace(d.Value, made)}
	case b.KnownAt(s.Place, d, at):
		m.Edits = []advice.Edit{edit.Replace(d.Value, made)}
	default:
		rest, end, ok := d.Lines(s.Place)
		if !ok {
			return false
		}
		before, after := s.Text(d.Node().Pos(), d.Value.Pos()), s.Text(d.Value.End(), d.Node().End())
		m.Edits = []advice.Edit{{Pos: d.Node().Pos(), End: end}, edit.Insert(at, first+before+made+after+rest+"\n")}
	}
	if b.Call {
		name, _, _ := strings.Cut(first, " := ")
		m.Edits = append(m.Edits, edit.Replace(stmtRange(stmt).X, name))
	}
	return true
}

// addedNext returns how many keys the statements after one store in a map, as code to be added to the
// number that the statement itself stores: maps.Copy, and loops that store a key in each iteration.
// What they go through must be known where the map is declared.
func addedNext(s *advice.Site, m types.Object, d *facts.Declaration, stmt inspector.Cursor) (more string) {
	for next, ok := stmt.NextSibling(); ok; next, ok = next.NextSibling() {
		var from ast.Expr
		switch n := next.Node().(type) {
		case *ast.ExprStmt:
			call, ok := n.X.(*ast.CallExpr)
			if !ok || s.Callee(call) != "maps.Copy" || facts.Object(s.Place, call.Args[0]) != m {
				return more
			}
			from = call.Args[1]
		case *ast.RangeStmt:
			if exits := facts.ExitsOf(s.Place, next); exits.Skips || exits.Stops || exits.Panics || len(exits.Returns) > 0 || deletes(s, m, n) || !storesEach(s, m, n) {
				return more
			}
			from = n.X
		default:
			return more
		}
		b := facts.Trips{Expr: from}
		switch facts.Under(s.Info.TypeOf(from)).(type) {
		case *types.Slice, *types.Map:
		default:
			return more
		}
		if facts.Object(s.Place, from) == m || !b.KnownAt(s.Place, d, next.Node().Pos()) {
			return more
		}
		size, _ := b.Size(s.Place, next.Node().Pos())
		more += "+" + size
	}
	return more
}

// storesEach reports whether a statement of a loop's body stores a key in a map.
func storesEach(s *advice.Site, m types.Object, loop *ast.RangeStmt) bool {
	for _, stmt := range loop.Body.List {
		if index, groups := storedAt(s, stmt); index != nil && !groups && facts.Object(s.Place, index.X) == m {
			return !isAlphabet(s.Info.TypeOf(index.Index))
		}
	}
	return false
}

// stmtRange returns the loop of a statement, which may have a label.
func stmtRange(stmt inspector.Cursor) *ast.RangeStmt {
	n := stmt.Node()
	for {
		l, ok := n.(*ast.LabeledStmt)
		if !ok {
			r, _ := n.(*ast.RangeStmt)
			return r
		}
		n = l.Stmt
	}
}
