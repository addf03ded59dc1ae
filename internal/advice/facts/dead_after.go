package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// LastBranches returns the branches in which the address of a local variable is taken, if no other
// code takes it or uses the variable in a function literal, and if the variable isn't used any more
// after any of them. A copy of the variable, made where such a branch starts, can then stand for it.
// The branches are blocks and clauses without the variable's declaration.
func LastBranches(s *code.Place, v *types.Var) (branches []inspector.Cursor, ok bool) {
	if v.Kind() == types.ResultVar || Jumps(s) {
		return nil, false
	}
	for _, id := range s.Uses(v) {
		use, found := s.Root().FindNode(id)
		if !found {
			return nil, false
		}
		if AddressTakenBy(s, use, v) == "" {
			continue
		}
		branch, found := lastBranch(s, use, v)
		if !found {
			return nil, false
		}
		if !slices.Contains(branches, branch) {
			branches = append(branches, branch)
		}
	}
	for _, inner := range branches {
		for _, outer := range branches {
			if inner != outer && Within(outer.Node(), inner.Node().Pos()) {
				return nil, false // they would have a copy each
			}
		}
		if scope := s.Info.Scopes[inner.Node()]; scope == nil || scope.Lookup(v.Name()) != nil {
			return nil, false
		}
	}
	return branches, len(branches) > 0
}

// lastBranch returns the innermost branch around a use of a variable after which the variable isn't
// used any more.
func lastBranch(s *code.Place, use inspector.Cursor, v *types.Var) (branch inspector.Cursor, found bool) {
	for c := use; !Within(c.Node(), v.Pos()); c = c.Parent() {
		if c.Node() == nil {
			return branch, false
		}
		switch c.Node().(type) {
		case *ast.FuncLit: // which returns to the function that has the variable
			found = false
		case *ast.BlockStmt:
			if _, isIf := c.Parent().Node().(*ast.IfStmt); isIf && !found && endsLife(s, c, v) {
				branch, found = c, true
			}
		case *ast.CaseClause, *ast.CommClause:
			if !found && inStatements(c.Node(), use.Node().Pos()) && endsLife(s, c, v) {
				branch, found = c, true
			}
		}
	}
	return branch, found
}

// inStatements reports whether a position is in a statement of a clause, and not in what it compares.
func inStatements(clause ast.Node, pos token.Pos) bool {
	return slices.ContainsFunc(Statements(clause), func(stmt ast.Stmt) bool { return Within(stmt, pos) })
}

// endsLife reports whether control never gets from a branch to another use of a variable: all ways out
// end the function, the iteration of a loop whose body declares the variable, or the variable's scope.
func endsLife(s *code.Place, branch inspector.Cursor, v *types.Var) bool {
	list := Statements(branch.Node())
	if len(list) == 0 {
		return false
	}
	leaves := true
	branch.Inspect([]ast.Node{(*ast.BranchStmt)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		jump, ok := c.Node().(*ast.BranchStmt)
		leaves = leaves && (!ok || staysIn(c, jump, branch) || leavesScope(s, c, jump, v))
		return ok
	})
	if !leaves {
		return false
	}
	switch last := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := last.X.(*ast.CallExpr); ok && neverReturns(s, call) {
			return true
		}
	case *ast.BranchStmt:
		at, ok := branch.FindNode(last)
		return ok && leavesScope(s, at, last, v)
	}
	return endsScope(s, branch, v)
}

// endsScope reports whether the end of a branch is the end of a variable's scope, or of its iteration of a loop: nothing
// comes after it in any block around it, up to where the variable is declared.
func endsScope(s *code.Place, branch inspector.Cursor, v *types.Var) bool {
	for c := branch; ; c = c.Parent() {
		around := c.Parent()
		if around.Node() == nil {
			return false
		}
		declares := Within(around.Node(), v.Pos())
		switch n := around.Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if list := Statements(n); !isClause(c.Node()) && list[len(list)-1] != c.Node() {
				return false
			}
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		case *ast.RangeStmt:
			return declares && s.AtLeast("1.22")
		case *ast.FuncDecl, *ast.FuncLit:
			return declares
		default:
			return false
		}
		if declares {
			return true
		}
	}
}

// isClause reports whether a node is a clause of a switch or a select, after which control leaves that.
func isClause(n ast.Node) bool {
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// staysIn reports whether a break or continue is for a statement inside a branch.
func staysIn(c inspector.Cursor, jump *ast.BranchStmt, branch inspector.Cursor) bool {
	if jump.Label != nil || jump.Tok != token.BREAK && jump.Tok != token.CONTINUE {
		return false
	}
	to := target(c, jump.Tok == token.BREAK)
	return to != nil && to != branch.Node() && Within(branch.Node(), to.Pos())
}

// leavesScope reports whether a break or continue ends the iteration of a loop whose body declares a
// variable.
func leavesScope(s *code.Place, c inspector.Cursor, jump *ast.BranchStmt, v *types.Var) bool {
	if jump.Label != nil || jump.Tok != token.BREAK && jump.Tok != token.CONTINUE {
		return false
	}
	switch loop := target(c, jump.Tok == token.BREAK).(type) {
	case *ast.ForStmt:
		return Within(loop.Body, v.Pos())
	case *ast.RangeStmt:
		return Within(loop.Body, v.Pos()) || Within(loop, v.Pos()) && s.AtLeast("1.22")
	}
	return false
}

// HasLock reports whether a type contains a lock, which must not be copied.
func HasLock(t types.Type) bool {
	if types.NewMethodSet(types.NewPointer(t)).Lookup(nil, "Lock") != nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if HasLock(f.Type()) {
				return true
			}
		}
	case *types.Array:
		return HasLock(u.Elem())
	}
	return false
}
