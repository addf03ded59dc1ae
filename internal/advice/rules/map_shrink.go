package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

var mapShrink = &advice.Rule{
	ID:    "map-shrink",
	Title: "a map keeps the memory of deleted keys",
	Doc: `A map grows, but never shrinks: delete and clear free what keys and values refer to, not the tables they are in. A map
that once had a million keys keeps the memory for a million. When most keys are gone, make a new map and use maps.Copy
for the others. maps.Clone doesn't help, because it copies the tables as they are. Or keep pointers to large values in the
map, so that deleting a key frees most of the memory.

The rule needs a heap profile. It reports maps in fields and package variables that hold memory, from which the package
deletes keys, and which it never replaces. If profiles show that about as many values are in use as the map has room for,
it is silent. Otherwise, compare the number of the finding with the length of the map. When to copy is a design decision,
so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchMapShrink,
}

// In a large map, a table has 512 or 1024 slots, in groups of 8 with a word of control bytes each. At most
// seven of eight slots are used.
const (
	slotsInTable = 512
	slotsInGroup = 8
)

func matchMapShrink(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		index, ok := c.Node().(*ast.IndexExpr)
		if !ok || !facts.IsMap(s.Place, index.X) || !facts.IsAssigned(c) {
			continue
		}
		slot, ok := slotOf(s, s.Info.TypeOf(index.X).Underlying().(*types.Map))
		if !ok {
			continue
		}
		v := longLived(s.Place, index.X)
		if v == nil {
			continue
		}
		deleted, replaced := mapChanges(s.Place, v)
		if deleted == token.NoPos || replaced {
			continue
		}
		m := advice.Match{Node: index, Blocks: func(size int64) bool { return size >= slotsInTable*slot }}
		room := s.HeldBy(&m).Bytes / (slot + 1) * 7 / 8
		values := valuesInUse(s, c)
		if room == 0 || 4*values >= room {
			continue
		}
		name := s.Source(index.X)
		m.Why = fmt.Sprintf("The tables of %s have room for about %d keys. delete (line %d) frees none of it, and nothing replaces the map. ", name, rounded(room), s.Package.Line(deleted))
		if values > 0 {
			m.Why += fmt.Sprintf("Only %d values are in use. Copy the keys that are left to a new map with maps.Copy when most are gone.", values)
		} else {
			m.Why += fmt.Sprintf("If len(%s) is much smaller, copy the keys that are left to a new map with maps.Copy when most are gone.", name)
		}
		return []advice.Match{m}
	}
	return nil
}

// rounded keeps the first two digits.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// slotOf is the size of a key and its value in a map's tables, which have pointers to large ones.
func slotOf(s *advice.Site, m *types.Map) (size int64, ok bool) {
	if !facts.Sized(m.Key()) || !facts.Sized(m.Elem()) {
		return 0, false
	}
	in := func(t types.Type) types.Type {
		if s.Sizes.Sizeof(t) > maxInSlot {
			return types.Typ[types.UnsafePointer]
		}
		return t
	}
	return s.Sizes.Sizeof(types.NewStruct([]*types.Var{
		types.NewField(token.NoPos, nil, "K", in(m.Key()), false), types.NewField(token.NoPos, nil, "V", in(m.Elem()), false),
	}, nil)), true
}

// longLived returns the field or package variable that an expression reads; nil if it is something else.
func longLived(s *code.Place, e ast.Expr) *types.Var {
	var v *types.Var
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		v, _ = s.Info.Uses[e.Sel].(*types.Var)
	case *ast.Ident:
		v, _ = s.Info.Uses[e].(*types.Var)
		if v != nil && v.Parent() != s.Types.Scope() {
			return nil
		}
	}
	return v
}

// mapChanges returns a place where the package deletes keys of a map in a field or package variable, and whether
// it replaces the map, other than to create it.
func mapChanges(s *code.Place, v *types.Var) (deleted token.Pos, replaced bool) {
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return token.NoPos, true
		}
		if sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id {
			c = c.Parent()
		}
		switch p := c.Parent().Node().(type) {
		case *ast.CallExpr:
			switch name := s.Callee(p); name {
			case "delete", "clear", "maps.DeleteFunc":
				if len(p.Args) > 0 && p.Args[0] == c.Node() {
					deleted = p.Pos()
				}
			}
		case *ast.UnaryExpr:
			replaced = replaced || p.Op == token.AND
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, c.Node().(ast.Expr)) {
				replaced = replaced || !creates(s, c) && !clones(s, p)
			}
		}
	}
	return deleted, replaced
}

// creates reports whether an assignment to a field or variable gives it its first value: in init, in a
// constructor, or if it is nil.
func creates(s *code.Place, to inspector.Cursor) bool {
	around := s.Around(to)
	if around.Decl == nil {
		return false
	}
	if name := around.Decl.Name.Name; name == "init" || name == "main" || facts.IsConstructor(name) {
		return true
	}
	for c := range to.Enclosing((*ast.IfStmt)(nil)) {
		cond, ok := ast.Unparen(c.Node().(*ast.IfStmt).Cond).(*ast.BinaryExpr)
		if ok && cond.Op == token.EQL && s.Info.Types[cond.Y].IsNil() && facts.SameCode(s, cond.X, to.Node().(ast.Expr)) {
			return true
		}
	}
	return false
}

// clones reports whether an assignment only sets something to a clone of a map, which has tables as large.
func clones(s *code.Place, assign *ast.AssignStmt) bool {
	if len(assign.Rhs) != 1 {
		return false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	return ok && s.Callee(call) == "maps.Clone"
}

// valuesInUse returns how many objects that an assignment to an element stores are in use; 0 if that isn't known.
func valuesInUse(s *advice.Site, element inspector.Cursor) int64 {
	assign, ok := element.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return 0
	}
	if _, ok := s.Info.TypeOf(assign.Rhs[0]).Underlying().(*types.Pointer); !ok {
		return 0
	}
	obj := facts.Object(s.Place, assign.Rhs[0])
	if obj == nil {
		return 0
	}
	d, ok := facts.DeclarationOf(s.Place, obj)
	if !ok {
		return 0
	}
	return s.HeldIn(d.Node()).Objects
}
