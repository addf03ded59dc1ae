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

var adjacentIndexes = &advice.Rule{
	ID:    "adjacent-indexes",
	Title: "indexes of neighbouring elements are checked one by one",
	Doc: `In "p[i], p[i+1], p[i+2], p[i+3]", each index is checked, and bytes are loaded and stored one by one. The
rewrite checks once: it takes the part p[i:i+4] and uses constant indexes, which need no check. Then the compiler can
also join the bytes of a number to one load or store.

Review the rewrite: if the slice is too short, it panics before any of these elements is used.`,
	Class: advice.Review,
	Own:   true,
	Match: matchAdjacentIndexes,
	Conditions: advice.Conditions{
		Offered: "consecutive statements use at least four elements of a local slice or string at constant distances, and change neither the slice nor the index",
		Review:  "the slice has all these elements",
	},
}

// A window is a part of a slice of which consecutive statements use elements.
type window struct {
	of, base ast.Expr // the slice, and what is added to constants
	indexes  []*ast.IndexExpr
	offsets  []int64
	first    inspector.Cursor // the statement that uses the first element
}

const (
	fewestIndexes = 4  // that one check may replace
	widestWindow  = 64 // in elements
)

func matchAdjacentIndexes(s *advice.Site) []advice.Match {
	if s.Flat() < flatShare || facts.Jumps(s.Place) {
		return nil
	}
	checked := func(d advice.Decision) bool { return d.Kind == advice.IndexChecked }
	if s.In.Decisions() != nil && !slices.ContainsFunc(s.Decisions(), checked) {
		return nil // the compiler knows that they are in range
	}
	for _, c := range s.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok {
			continue
		}
		stmt, ok := facts.Statement(c)
		if _, received := stmt.Parent().Node().(*ast.CommClause); !ok || received || !plainStatement(stmt.Node()) {
			continue
		}
		if w, ok := windowAround(s, stmt, index); ok {
			return []advice.Match{w.match(s, index)}
		}
	}
	return nil
}

// plainStatement reports whether a statement evaluates all its expressions, and then the next one is run.
func plainStatement(n ast.Node) bool {
	switch n.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt:
	default:
		return false
	}
	for n := range ast.Preorder(n) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				return false
			}
		}
	}
	return true
}

// windowAround returns the elements beside one that plain statements around its statement use.
func windowAround(s *advice.Site, stmt inspector.Cursor, index *ast.IndexExpr) (w window, ok bool) {
	w.of = ast.Unparen(index.X)
	w.base, _ = splitIndex(s, index.Index)
	if !windowable(s, w.of) || w.base == nil || !localNumber(s, w.base) {
		return w, false
	}
	changes := func(n ast.Node) bool {
		change := facts.Change{Code: []ast.Node{n}}
		return !facts.UnchangedBy(s.Place, w.of, false, change) || !facts.UnchangedBy(s.Place, w.base, false, change)
	}
	run := []inspector.Cursor{stmt}
	if !changes(stmt.Node()) { // one that does evaluates its indexes first
		for prev, ok := stmt.PrevSibling(); ok && plainStatement(prev.Node()) && !changes(prev.Node()); prev, ok = prev.PrevSibling() {
			run = slices.Insert(run, 0, prev)
		}
		for next, ok := stmt.NextSibling(); ok && plainStatement(next.Node()) && !changes(next.Node()); next, ok = next.NextSibling() {
			run = append(run, next)
		}
	}
	for _, stmt := range run {
		for c := range stmt.Preorder((*ast.IndexExpr)(nil)) {
			e := c.Node().(*ast.IndexExpr)
			if !facts.SameCode(s.Place, ast.Unparen(e.X), w.of) {
				continue
			}
			base, offset := splitIndex(s, e.Index)
			if base == nil || !facts.SameCode(s.Place, base, w.base) {
				continue
			}
			if facts.Commented(s.Place, e.Pos(), e.End()) {
				return w, false
			}
			if len(w.indexes) == 0 {
				w.first = stmt
			}
			w.indexes, w.offsets = append(w.indexes, e), append(w.offsets, offset)
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(w.offsets)))
	return w, len(distinct) >= fewestIndexes && distinct[len(distinct)-1]-distinct[0] < widestWindow
}

// splitIndex splits an index into what is constant in it, and the rest: nil if all is constant.
func splitIndex(s *advice.Site, index ast.Expr) (base ast.Expr, offset int64) {
	index = ast.Unparen(index)
	if s.Info.Types[index].Value != nil {
		return nil, 0
	}
	b, ok := index.(*ast.BinaryExpr)
	if !ok {
		return index, 0
	}
	if n, ok := facts.ConstantInt(s.Place, b.Y); ok && (b.Op == token.ADD || b.Op == token.SUB) {
		if b.Op == token.SUB {
			n = -n
		}
		base, offset = splitIndex(s, b.X)
		return base, offset + n
	}
	if n, ok := facts.ConstantInt(s.Place, b.X); ok && b.Op == token.ADD {
		base, offset = splitIndex(s, b.Y)
		return base, offset + n
	}
	return index, 0
}

// windowable reports whether an expression is a local slice or string that only assignments in its function change.
func windowable(s *advice.Site, e ast.Expr) bool {
	v := facts.Object(s.Place, e)
	if v == nil || !facts.IsLocal(s.Place, v) || !facts.Private(s.Place, v) {
		return false
	}
	_, isSlice := facts.Under(v.Type()).(*types.Slice)
	return isSlice || facts.IsString(s.Place, e)
}

// localNumber reports whether an expression is of type int and consists of local variables that only assignments in their function
// change.
func localNumber(s *advice.Site, e ast.Expr) bool {
	if !types.Identical(s.Info.TypeOf(e), types.Typ[types.Int]) || !facts.Repeatable(s.Place, e) {
		return false
	}
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.Ident:
			if v := s.Info.Uses[n]; s.Info.Types[n].Value == nil && (v == nil || !facts.IsLocal(s.Place, v) || !facts.Private(s.Place, v)) {
				return false
			}
		case *ast.BinaryExpr:
			if n.Op == token.QUO || n.Op == token.REM || n.Op == token.SHL || n.Op == token.SHR {
				return false // it may panic
			}
		case *ast.BasicLit, *ast.ParenExpr:
		default:
			return false
		}
	}
	return true
}

// match makes the rewrite.
func (w *window) match(s *advice.Site, at *ast.IndexExpr) advice.Match {
	from, to := slices.Min(w.offsets), slices.Max(w.offsets)+1
	of, base := s.Source(w.of), s.Source(w.base)
	name := facts.Fresh(s.Place, edit.LowerFirst(of)+"Part", w.first.Node().Pos(), s.Func.Node())
	bound := func(n int64) string {
		switch {
		case n == 0:
			return base
		case n < 0:
			return fmt.Sprintf("%s-%d", base, -n)
		}
		return fmt.Sprintf("%s+%d", base, n)
	}
	m := advice.Match{Node: at}
	m.Edits = append(m.Edits, edit.Insert(w.first.Node().Pos(), fmt.Sprintf("%s := %s[%s : %s]\n", name, of, bound(from), bound(to))))
	for i, e := range w.indexes {
		m.Edits = append(m.Edits, edit.Replace(e, fmt.Sprintf("%s[%d]", name, w.offsets[i]-from)))
	}
	m.Why = fmt.Sprintf("%d indexes of %s are checked one by one. A part of it with %d elements needs one check.", len(w.indexes), of, to-from)
	edit.MustCheck(&m, []string{fmt.Sprintf("that %s always has the elements from %s to %s: otherwise it panics before any of them is used, or takes them from the spare capacity", of, bound(from), bound(to-1))})
	return m
}
