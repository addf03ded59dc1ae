package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var poolFresh = &advice.Rule{
	ID:    "pool-fresh",
	Title: "an object from a sync.Pool gets new memory each time",
	Doc: `Most of an object's memory is often in a slice, map or buffer that it refers to. If the code makes a new one after each
Get, the pool saves only the small object around it. Reuse what the object has: b.data = b.data[:0] for a slice, clear for
a map, Reset for a buffer. If a slice may be too short, make a new one only then:

    if cap(b.data) < n {
        b.data = make([]byte, n)
    }
    b.data = b.data[:n]

The rule reports lines that allocate a field of an object from a pool, or the slice that it points to, on each call. It
doesn't report memory that is stored elsewhere as well. Old contents must not be visible to the next user, so this rule
only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    allocatedFrames,
	Allocates: true,
	Own:       true,
	Match:     matchPoolFresh,
}

func matchPoolFresh(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated {
		return nil
	}
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || !makesMemory(s, assign.Rhs[0]) {
			continue
		}
		object := pooledObject(assign.Lhs[0])
		if object == nil {
			continue
		}
		obj, ok := facts.Object(s.Place, object).(*types.Var)
		if !ok || !facts.IsLocal(s.Place, obj) {
			continue
		}
		pool := poolOf(s.Place, c, obj)
		if pool == nil || facts.InBranch(c, obj.Pos()) || handedOn(s, c, assign.Lhs[0]) {
			continue
		}
		to := s.Source(assign.Lhs[0])
		return []advice.Match{{Node: assign, Why: fmt.Sprintf("%s comes from %s, and gets new memory here each time: %s. Reuse the memory that it has: %s.",
			object.Name, pool.Name(), s.Source(assign.Rhs[0]), reuse(s.Info.TypeOf(assign.Lhs[0]), to))}}
	}
	return nil
}

// makesMemory reports whether an expression is make, new or &T{}.
func makesMemory(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		name := s.Callee(e)
		return name == "make" || name == "new"
	case *ast.UnaryExpr:
		_, literal := ast.Unparen(e.X).(*ast.CompositeLit)
		return e.Op == token.AND && literal
	}
	return false
}

// pooledObject returns the variable x of x.field or *x; nil for other expressions.
func pooledObject(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		id, _ := ast.Unparen(e.X).(*ast.Ident)
		return id
	case *ast.StarExpr:
		id, _ := ast.Unparen(e.X).(*ast.Ident)
		return id
	}
	return nil
}

// handedOn reports whether the function stores, returns or sends what it has put into an object: then the next
// user needs other memory.
func handedOn(s *advice.Site, assignment inspector.Cursor, to ast.Expr) bool {
	for c := range s.Func.Preorder((*ast.SelectorExpr)(nil), (*ast.StarExpr)(nil)) {
		e := c.Node().(ast.Expr)
		if facts.Within(assignment.Node(), e.Pos()) || !facts.SameCode(s.Place, e, to) {
			continue
		}
		for {
			p, ok := c.Parent().Node().(*ast.SliceExpr)
			if !ok || p.X != c.Node() {
				break
			}
			c = c.Parent()
		}
		switch p := c.Parent().Node().(type) {
		case *ast.ReturnStmt, *ast.SendStmt, *ast.CompositeLit, *ast.KeyValueExpr:
			return true
		case *ast.AssignStmt:
			for i := range p.Rhs {
				if p.Rhs[i] == c.Node() && (len(p.Lhs) != len(p.Rhs) || !facts.SameCode(s.Place, p.Lhs[i], to)) {
					return true
				}
			}
		}
	}
	return false
}

// reuse says how to use memory of a type again.
func reuse(t types.Type, name string) string {
	switch t.Underlying().(type) {
	case *types.Slice:
		return name + "[:0], or a new slice only if the capacity is too small"
	case *types.Map:
		return "clear(" + name + ")"
	}
	return "reset " + name
}
