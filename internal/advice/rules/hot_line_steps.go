package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// The sentences here say what a loop computes in each iteration that it could have from the one before, or from a table.

// evenSteps says which expression of the loop around the line follows its counter in even steps, though a product computes it.
func evenSteps(s *advice.Site) string {
	loop := loopAround(s)
	counter := counterOf(s, loop)
	if counter == nil {
		return ""
	}
	for n := range ast.Preorder(facts.LoopBody(loop)) {
		e, ok := n.(ast.Expr)
		if !ok || !hasIntegers(s, e) {
			continue
		}
		if l := linearIn(s, loop, counter, e); l.form == inSteps && (l.scaled || l.operations > 2) {
			if name := nameFor(s, e); name != "" {
				return fmt.Sprintf("%s changes by the same amount in each iteration of the loop on %s: adding that to a variable replaces the product.", name, lineAt(s, loop.Pos()))
			}
		}
	}
	return ""
}

func hasIntegers(s *advice.Site, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	return t != nil && isInteger(t)
}

// counterOf returns the variable that a loop changes by the same amount after each iteration, nil if there is none.
func counterOf(s *advice.Site, loop ast.Node) types.Object {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		switch facts.Under(s.Info.TypeOf(l.X)).(type) {
		case *types.Slice, *types.Array, *types.Pointer:
		case *types.Basic:
			if !hasIntegers(s, l.X) {
				return nil // a string's runes have several lengths
			}
		default:
			return nil
		}
		if l.Key != nil {
			if v := facts.Object(s.Place, l.Key); v != nil && !facts.Assigned(s.Place, v, l.Body) {
				return v
			}
		}
	case *ast.ForStmt:
		if v, _ := stepOf(s, l.Post); v != nil && !facts.Assigned(s.Place, v, l.Body) && facts.Private(s.Place, v) {
			return v
		}
	}
	return nil
}

// stepOf returns the integer variable that a statement changes by a constant, and that constant.
func stepOf(s *advice.Site, stmt ast.Stmt) (v types.Object, by int64) {
	switch n := stmt.(type) {
	case *ast.IncDecStmt:
		v, by = facts.Object(s.Place, n.X), 1
		if n.Tok == token.DEC {
			by = -1
		}
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 || n.Tok != token.ADD_ASSIGN && n.Tok != token.SUB_ASSIGN {
			return nil, 0
		}
		k, ok := facts.ConstantInt(s.Place, n.Rhs[0])
		if !ok {
			return nil, 0
		}
		if v, by = facts.Object(s.Place, n.Lhs[0]), k; n.Tok == token.SUB_ASSIGN {
			by = -k
		}
	}
	if v == nil || !isInteger(v.Type()) {
		return nil, 0
	}
	return v, by
}

// linear is how an expression depends on a loop's counter.
type linear struct {
	form       int
	scaled     bool // it is a product with a variable
	operations int
}

const (
	otherwise = iota
	settledIn // by what the loop doesn't change
	withCounter
	inSteps // by a product of the counter
)

// linearIn follows an expression to the counter of a loop, and to values that the loop doesn't change.
func linearIn(s *advice.Site, loop ast.Node, counter types.Object, e ast.Expr) linear {
	if s.Info.Types[e].Value != nil {
		return linear{form: settledIn}
	}
	follow := func(e ast.Expr) linear { return linearIn(s, loop, counter, e) }
	switch e := e.(type) {
	case *ast.ParenExpr:
		return follow(e.X)
	case *ast.Ident:
		v := facts.Object(s.Place, e)
		switch {
		case v == counter:
			return linear{form: withCounter}
		case v != nil && facts.IsLocal(s.Place, v) && facts.Private(s.Place, v) && !facts.Within(loop, v.Pos()) && !facts.Assigned(s.Place, v, loop):
			return linear{form: settledIn}
		}
	case *ast.CallExpr:
		if s.Info.Types[e.Fun].IsType() && len(e.Args) == 1 && hasIntegers(s, e) && hasIntegers(s, e.Args[0]) {
			return follow(e.Args[0])
		}
	case *ast.BinaryExpr:
		x, y := follow(e.X), follow(e.Y)
		l := linear{max(x.form, y.form), x.scaled || y.scaled, x.operations + y.operations + 1}
		switch {
		case x.form == otherwise || y.form == otherwise:
			return linear{}
		case e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL && l.form == settledIn:
			return l
		case e.Op == token.MUL && min(x.form, y.form) == settledIn:
			by := e.Y
			if x.form == settledIn {
				by = e.X
			}
			l.form, l.scaled = inSteps, l.scaled || s.Info.Types[by].Value == nil
			return l
		}
	}
	return linear{}
}

// countsTwice says whether the loop around the line has a counter that it only compares with constants, though another variable
// changes with it.
func countsTwice(s *advice.Site) string {
	loop, ok := loopAround(s).(*ast.ForStmt)
	if !ok {
		return ""
	}
	steps := make(map[types.Object]int64)
	var inOrder []types.Object
	for _, stmt := range stepsIn(loop) {
		if v, by := stepOf(s, stmt); v != nil && facts.Private(s.Place, v) && setByOne(loop, v, s) {
			steps[v] = by
			inOrder = append(inOrder, v)
		}
	}
	for _, v := range inOrder {
		for _, other := range inOrder {
			if v != other && onlyComparedIn(s, loop, v) && !onlyComparedIn(s, loop, other) {
				return fmt.Sprintf("In the loop on %s, %s only counts, and %s changes by %d with it: comparing %[3]s is enough.", lineAt(s, loop.Pos()), v.Name(), other.Name(), steps[other])
			}
		}
	}
	return ""
}

// stepsIn returns the statements that each iteration of a loop runs once: its last one, and, if no iteration ends early to go on with the
// next, those of its body.
func stepsIn(loop *ast.ForStmt) (all []ast.Stmt) {
	if loop.Post != nil {
		all = append(all, loop.Post)
	}
	for n := range ast.Preorder(loop.Body) {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok != token.BREAK {
			return all
		}
	}
	return append(all, loop.Body.List...)
}

// setByOne reports whether a loop has one statement that sets a variable, besides the one before it.
func setByOne(loop *ast.ForStmt, v types.Object, s *advice.Site) bool {
	sets := 0
	for target := range facts.Targets(loop) {
		if facts.Object(s.Place, target) == v && (loop.Init == nil || !facts.Within(loop.Init, target.Pos())) {
			sets++
		}
	}
	return sets == 1
}

// onlyComparedIn reports whether code only steps a variable and compares it with constants, and only in a loop.
func onlyComparedIn(s *advice.Site, loop *ast.ForStmt, v types.Object) bool {
	compared := false
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		if loop.Init != nil && facts.Within(loop.Init, id.Pos()) {
			continue
		}
		if !facts.Within(loop, id.Pos()) {
			if facts.IsAssigned(c) {
				continue
			}
			return false
		}
		switch p := c.Parent().Node().(type) {
		case *ast.IncDecStmt:
		case *ast.AssignStmt:
			if p.Lhs[0] != ast.Expr(id) {
				return false
			}
		case *ast.BinaryExpr:
			other := p.X
			if p.X == ast.Expr(id) {
				other = p.Y
			}
			if !facts.IsComparison(p.Op) || s.Info.Types[other].Value == nil {
				return false
			}
			compared = true
		default:
			return false
		}
	}
	return compared
}

// manyCases is how many values of a byte a table may tell apart faster than comparisons.
const manyCases = 6

// classifies says whether the loop around the line switches on a byte with many cases.
func classifies(s *advice.Site) string {
	loop := loopAround(s)
	if loop == nil {
		return ""
	}
	for _, stmt := range facts.LoopBody(loop).List {
		sw, ok := stmt.(*ast.SwitchStmt)
		if !ok || sw.Tag == nil || !hasBits(s, sw.Tag, 8) {
			continue
		}
		values := 0
		for _, clause := range sw.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				if s.Info.Types[e].Value == nil {
					return ""
				}
				values++
			}
		}
		if values >= manyCases {
			return fmt.Sprintf("The switch on %s tells %d values of a byte apart: a table of 256 entries takes one load for that.", lineAt(s, sw.Pos()), values)
		}
	}
	return ""
}
