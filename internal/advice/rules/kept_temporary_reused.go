package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// reuseArray fills a slice that a loop sets to a new literal: v = append(v[:0], x) instead of v = []T{x}.
func reuseArray(s *advice.Site, c inspector.Cursor) (m advice.Match, ok bool) {
	v, _ := setToLiteral(s, c.Node())
	if v == nil || !facts.IsLocal(s.Place, v) {
		return m, false
	}
	loop, ok := facts.LoopAround(c)
	if !ok || facts.Within(loop.Node(), v.Pos()) || facts.LastIteration(s.Place, c, loop) {
		return m, false
	}
	outer, _ := outermostLoop(loop, v)
	if facts.Jumps(s.Place) || facts.CapacityObserved(s.Place, v) || !facts.OwnArray(s.Place, v, outer.Node()) || usedLater(s, v) || !facts.Builtins(s.Place, c.Node().Pos(), "append") {
		return m, false
	}
	for c := range outer.Preorder((*ast.AssignStmt)(nil)) {
		if set, literal := setToLiteral(s, c.Node()); set == v && !rangedAround(s, c, v) {
			elements := s.Text(literal.Elts[0].Pos(), literal.Elts[len(literal.Elts)-1].End())
			m.Edits = append(m.Edits, edit.Replace(literal, fmt.Sprintf("append(%s[:0], %s)", v.Name(), elements)))
		}
	}
	m.Node, m.Class = c.Node(), advice.Safe
	m.Why = fmt.Sprintf("The loop at line %d sets %s to a new slice, and nothing needs the old one. Appending to %[2]s[:0] reuses its memory.", s.Package.Line(loop.Node().Pos()), v.Name())
	return m, len(m.Edits) > 0 && !rangedAround(s, c, v)
}

// setToLiteral returns the variable that a statement sets to a literal with elements that append may have, and the literal.
func setToLiteral(s *advice.Site, n ast.Node) (*types.Var, *ast.CompositeLit) {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil, nil
	}
	v, isVar := facts.Object(s.Place, assign.Lhs[0]).(*types.Var)
	literal, ok := ast.Unparen(assign.Rhs[0]).(*ast.CompositeLit)
	if !ok || !isVar || len(literal.Elts) == 0 || facts.Commented(s.Place, literal.Pos(), literal.End()) {
		return nil, nil
	}
	if _, isSlice := facts.Under(v.Type()).(*types.Slice); !isSlice {
		return nil, nil
	}
	for _, e := range literal.Elts {
		switch e := e.(type) {
		case *ast.KeyValueExpr:
			return nil, nil
		case *ast.CompositeLit:
			if e.Type == nil {
				return nil, nil
			}
		}
	}
	return v, literal
}

// usedLater reports whether a function literal uses a variable of the function around it, or a deferred call or a goroutine gets it.
func usedLater(s *advice.Site, v *types.Var) bool {
	for c := range s.Func.Preorder((*ast.FuncLit)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)) {
		if c.Node() != s.Func.Node() && facts.Mentions(s.Place, c.Node(), v) {
			return true
		}
	}
	return false
}

// rangedAround reports whether code is in a loop over a variable's elements.
func rangedAround(s *advice.Site, c inspector.Cursor, v *types.Var) bool {
	for r := range c.Enclosing((*ast.RangeStmt)(nil)) {
		if facts.Mentions(s.Place, r.Node().(*ast.RangeStmt).X, v) {
			return true
		}
	}
	return false
}

// isBigNumber reports whether a type is big.Int, or a pointer to one.
func isBigNumber(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return isBigInt(t)
}

// isBigInt reports whether a type is big.Int.
func isBigInt(t types.Type) bool { return facts.HasName(t, "math/big", "Int") }

// bigIntCode is keptCode for a big.Int, or a pointer to one: it is set anew in each iteration.
func bigIntCode(s *advice.Site, d *facts.Declaration, v *types.Var, loop ast.Node) (before, within string, ok bool) {
	if !staysNumber(s, v) {
		return "", "", false
	}
	zero := v.Name() + ".SetInt64(0)"
	switch value := d.Value.(type) {
	case nil:
		return s.Source(d.Node()), zero, isBigInt(v.Type()) && outside(s, loop, d.Type)
	case *ast.UnaryExpr:
		return s.Source(d.Node()), zero, d.IsZero(s.Place) && outside(s, loop, d.Type)
	case *ast.CallExpr:
		switch s.Callee(value) {
		case "new":
			return s.Source(d.Node()), zero, outside(s, loop, d.Type)
		case "math/big.NewInt":
			pkg, ok := facts.PackageName(s.Place, "math/big", loop.Pos())
			return fmt.Sprintf("%s := new(%s.Int)", v.Name(), pkg), fmt.Sprintf("%s.SetInt64(%s)", v.Name(), s.Source(value.Args[0])), ok && facts.Builtins(s.Place, loop.Pos(), "new")
		}
		return setOfNew(s, value, v, loop)
	}
	return "", "", false
}

// setOfNew is bigIntCode for new(big.Int).Add(a, b).
func setOfNew(s *advice.Site, value *ast.CallExpr, v *types.Var, loop ast.Node) (before, within string, ok bool) {
	sel, ok := ast.Unparen(value.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	made, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if method, known := numbersOnly[sel.Sel.Name]; !ok || s.Callee(made) != "new" || !isBigInt(s.Info.TypeOf(made.Args[0])) || !known || method || sel.Sel.Name == "Exp" {
		return "", "", false // Exp may return nil
	}
	before = fmt.Sprintf("%s := %s", v.Name(), s.Source(made))
	return before, v.Name() + s.Text(sel.X.End(), value.End()), outside(s, loop, made.Args[0])
}

// staysNumber reports whether code only calls methods of a local big.Int, or gives it to them, so that nothing else gets it or
// its memory.
func staysNumber(s *advice.Site, v *types.Var) bool {
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		for outer := range c.Enclosing((*ast.DeferStmt)(nil), (*ast.GoStmt)(nil), (*ast.FuncLit)(nil)) {
			if facts.Within(s.Func.Node(), outer.Node().Pos()) && outer.Node() != s.Func.Node() {
				return false
			}
		}
		if u, ok := c.Parent().Node().(*ast.UnaryExpr); ok && u.Op == token.AND {
			c = c.Parent()
		}
		switch p := c.Parent().Node().(type) {
		case *ast.SelectorExpr:
			call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
			if !ok || call.Fun != ast.Expr(p) || !numberMethod(s, c.Parent().Parent(), call) {
				return false
			}
		case *ast.CallExpr:
			if p.Fun == c.Node() || !numberMethod(s, c.Parent(), p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// numbersOnly are the methods of big.Int that return something else than a big.Int, which shares no memory with it, and those
// that return their receiver, in which they keep nothing of their arguments.
var numbersOnly = map[string]bool{
	"Bit": true, "BitLen": true, "Bytes": true, "Cmp": true, "CmpAbs": true, "Int64": true, "IsInt64": true, "IsUint64": true, "Sign": true, "String": true, "Text": true,
	"TrailingZeroBits": true, "Uint64": true,
	"Abs": false, "Add": false, "And": false, "AndNot": false, "Div": false, "DivMod": false, "Exp": false, "Lsh": false, "Mod": false, "Mul": false, "Neg": false, "Not": false, "Or": false,
	"Quo": false, "QuoRem": false, "Rem": false, "Rsh": false, "Set": false, "SetBit": false, "SetBytes": false, "SetInt64": false, "SetUint64": false, "Sqrt": false, "Sub": false, "Xor": false,
}

// numberMethod reports whether a call is of one of these methods, and doesn't hand on the number that it returns.
func numberMethod(s *advice.Site, c inspector.Cursor, call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(s.Info, call).(*types.Func)
	if !ok || f.Signature().Recv() == nil || f.Pkg() == nil || f.Pkg().Path() != "math/big" {
		return false
	}
	value, known := numbersOnly[f.Name()]
	if !known || !isBigNumber(f.Signature().Recv().Type()) {
		return false
	}
	_, dropped := c.Parent().Node().(*ast.ExprStmt)
	return value || dropped
}
