package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// copyOfRead is of string(b) where b was read a moment ago, and is needed for nothing
// else: all of it is there twice.
func copyOfRead(s *advice.Site, c advice.Call, m *advice.Match) bool {
	operand, to, ok := facts.Conversion(s, c.CallExpr)
	if !ok || !types.Identical(to.Underlying(), types.Typ[types.String]) || s.Allocates() < someAllocated {
		return false
	}
	switch c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.IndexExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return false // the compiler copies nothing in most of them
	}
	obj, ok := facts.Object(s, operand).(*types.Var)
	if !ok || !facts.IsLocal(s, obj) || len(s.Uses(obj)) != 1 {
		return false
	}
	for d := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		assign := d.Node().(*ast.AssignStmt)
		if len(assign.Rhs) != 1 || len(assign.Lhs) != 2 {
			continue
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		if !ok || s.Info.Defs[id] != obj {
			continue
		}
		call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		if !ok || !readers[s.Callee(call)] {
			continue
		}
		m.Class = advice.AdviceOnly
		m.Why = fmt.Sprintf("%s copies all that %s has read. Packages bytes and strings have the same functions: keep the bytes; or copy what is read into a strings.Builder that has room for it, whose String copies nothing.", s.Source(c.CallExpr), edit.Short(s.Callee(call)))
		return true
	}
	return false
}

// readers return all there is to read, as bytes.
var readers = map[string]bool{"os.ReadFile": true, "io.ReadAll": true, "io/ioutil.ReadFile": true, "io/ioutil.ReadAll": true, "io/fs.ReadFile": true}
