package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// A bound is how often the body of a loop runs, where that is known before.
type bound struct {
	expr ast.Expr // what is counted or ranged over
	// counts is set where expr is the number itself, not something that has a length.
	counts bool
	// negative is set where the number may be below 0, which is none.
	negative bool
	// call is set where expr has to run first, once, into a variable.
	call bool
}

// loopBound returns how often a loop runs: one over something with a length, or that
// counts from 0, or from 1, or down to 0.
func loopBound(s *advice.Site, loop ast.Node) (bound, bool) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return rangeBound(s, n)
	case *ast.ForStmt:
		return countBound(s, n)
	}
	return bound{}, false
}

func rangeBound(s *advice.Site, r *ast.RangeStmt) (bound, bool) {
	if operand, to, ok := conversion(s, r.X); ok {
		if slice, ok := to.Underlying().(*types.Slice); ok && isString(s, operand) && isByte(slice.Elem()) && repeatable(s, operand) {
			return bound{expr: operand}, true // of as many bytes
		}
		return bound{}, false
	}
	t := under(s.Info.TypeOf(r.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice, *types.Array, *types.Map:
		if repeatable(s, r.X) {
			return bound{expr: r.X}, true
		}
		_, call := ast.Unparen(r.X).(*ast.CallExpr)
		return bound{expr: r.X, call: true}, call
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 && repeatable(s, r.X) {
			return bound{expr: r.X, counts: true, negative: mayBeNegative(s, r.X)}, true
		}
	}
	return bound{}, false
}

func countBound(s *advice.Site, f *ast.ForStmt) (bound, bool) {
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return bound{}, false
	}
	post, ok := f.Post.(*ast.IncDecStmt)
	if !ok {
		return bound{}, false
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	i := object(s, init.Lhs[0])
	if !ok || i == nil || object(s, cond.X) != i || object(s, post.X) != i || assigned(s, i, f.Body) {
		return bound{}, false
	}
	var n ast.Expr
	switch {
	case post.Tok == token.INC && cond.Op == token.LSS && isInt(s, init.Rhs[0], 0):
		n = cond.Y
	case post.Tok == token.INC && cond.Op == token.LEQ && isInt(s, init.Rhs[0], 1):
		n = cond.Y
	case post.Tok == token.DEC && cond.Op == token.GEQ && isInt(s, cond.Y, 0):
		if minus, ok := ast.Unparen(init.Rhs[0]).(*ast.BinaryExpr); ok && minus.Op == token.SUB && isInt(s, minus.Y, 1) {
			n = minus.X
		}
	}
	if n == nil || !repeatable(s, n) || mentions(s, n, i) {
		return bound{}, false
	}
	if b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return bound{}, false
	}
	if length, ok := ast.Unparen(n).(*ast.CallExpr); ok && s.Callee(length) == "len" && !assignedAny(s, length, f.Body) {
		return bound{expr: length.Args[0]}, true
	}
	return bound{expr: n, counts: true, negative: mayBeNegative(s, n)}, !assignedAny(s, n, f.Body)
}

func mayBeNegative(s *advice.Site, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		return constant.Sign(v) < 0
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		switch s.Callee(n) {
		case "len", "cap":
			return false
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.MUL || n.Op == token.QUO || n.Op == token.SHR { // of lengths, which no sum of a few makes too large
			return !isLength(s, n)
		}
	case *ast.Ident:
		if askedBefore(s, n) {
			return false
		}
	}
	b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsUnsigned == 0
}

// askedBefore reports whether code is in a branch that is taken if a variable is above 0 only.
func askedBefore(s *advice.Site, n *ast.Ident) bool {
	v := object(s, n)
	c, ok := s.Root().FindNode(n)
	if !ok || v == nil || !private(s, v) {
		return false
	}
	var positive func(cond ast.Expr) bool
	positive = func(cond ast.Expr) bool {
		b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		switch b.Op {
		case token.LAND:
			return positive(b.X) || positive(b.Y)
		case token.GTR, token.GEQ:
			limit, ok := constantInt(s, b.Y)
			return ok && limit >= 0 && object(s, b.X) == v
		case token.LSS, token.LEQ:
			limit, ok := constantInt(s, b.X)
			return ok && limit >= 0 && object(s, b.Y) == v
		}
		return false
	}
	for outer := range c.Enclosing((*ast.IfStmt)(nil), (*ast.FuncLit)(nil)) {
		branch, isIf := outer.Node().(*ast.IfStmt)
		if !isIf {
			return false
		}
		if within(branch.Body, n.Pos()) && positive(branch.Cond) {
			return !assigned(s, v, branch.Body)
		}
	}
	return false
}

// isLength reports whether a number is made of lengths and small constants, by sums, fractions and
// small multiples.
func isLength(s *advice.Site, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		const small = 1 << 40
		c, ok := constant.Int64Val(v)
		return ok && 0 <= c && c < small
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		return s.Callee(n) == "len" || s.Callee(n) == "cap"
	case *ast.BinaryExpr:
		switch n.Op {
		case token.ADD:
			return isLength(s, n.X) && isLength(s, n.Y)
		case token.MUL:
			few := func(factor ast.Expr) bool {
				c, ok := constantInt(s, factor)
				return ok && 0 <= c && c <= 1<<10
			}
			return few(n.X) && isLength(s, n.Y) || few(n.Y) && isLength(s, n.X)
		case token.QUO, token.SHR:
			return isLength(s, n.X) && s.Info.Types[n.Y].Value != nil && isLength(s, n.Y)
		}
	}
	return false
}

// size is the bound as source, and declares what has to be a variable first.
func (b *bound) size(s *advice.Site, at token.Pos) (size, declaration string) {
	switch {
	case b.counts:
		return s.Source(ast.Unparen(b.expr)), ""
	case b.call:
		name := fresh(s, "items", at, s.Func.Node())
		return "len(" + name + ")", name + " := " + s.Source(b.expr) + "\n"
	}
	return "len(" + s.Source(ast.Unparen(b.expr)) + ")", ""
}

// standsAt reports whether the bound is known at a declaration already, and the same
// as where the loop begins: a variable that nothing in between names.
func (b *bound) standsAt(s *advice.Site, d *declaration, loop token.Pos) bool {
	obj := object(s, b.expr)
	return obj != nil && isLocal(s, obj) && obj.Pos() < d.Node().Pos() && resolves(s, obj.Name(), d.Node().Pos()) == obj &&
		len(usesIn(s, obj, d.Node().Pos(), loop)) == 0 && private(s, obj)
}

// claimed returns what has to be checked where room is made for as many elements as a loop would
// have turns: a number may be no more than a claim, which fails with the first elements, or changes
// meanwhile. What has a length is as long as that.
func (b *bound) claimed(s *advice.Site, loop ast.Node) []string {
	const small = 1 << 16 // for which there is room anyway
	if n, ok := constantInt(s, b.expr); ok && n <= small || !b.counts && !emptyElements(s.Info.TypeOf(b.expr)) {
		return nil
	}
	if t, ok := s.Info.TypeOf(b.expr).Underlying().(*types.Basic); ok && b.counts {
		switch t.Kind() {
		case types.Int8, types.Uint8, types.Int16, types.Uint16:
			return nil
		}
	}
	body := loopBody(loop)
	if effectsOf(s, body)&mayPanic == 0 && unchangedBy(s, b.expr, false, change{code: []ast.Node{body}}) {
		return nil
	}
	return []string{fmt.Sprintf("that %s is no more than a few times what there really is: room is made for all before the first turn of the loop, which may fail", b.text(s))}
}

// never0 reports whether the loop surely runs.
func (b *bound) never0(s *advice.Site) bool {
	if v := s.Info.Types[b.expr].Value; b.counts && v != nil {
		return constant.Sign(v) > 0
	}
	t := s.Info.TypeOf(b.expr).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	a, ok := t.(*types.Array)
	return ok && a.Len() > 0
}

// text is the bound for people.
func (b *bound) text(s *advice.Site) string {
	if b.counts {
		return s.Source(ast.Unparen(b.expr))
	}
	return "len(" + s.Source(ast.Unparen(b.expr)) + ")"
}

// targets are what code assigns to: x of x = …, x++ and for x = range …. Of x, y := … both
// are, since one may have been declared before.
func targets(in ast.Node) iter.Seq[ast.Expr] {
	return func(yield func(ast.Expr) bool) {
		for n := range ast.Preorder(in) {
			var to []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				to = n.Lhs
			case *ast.IncDecStmt:
				to = []ast.Expr{n.X}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					to = []ast.Expr{n.Key, n.Value}
				}
			}
			for _, e := range to {
				if e != nil && !yield(e) {
					return
				}
			}
		}
	}
}

// assigned reports whether code assigns to a variable itself, or takes its address.
func assigned(s *advice.Site, obj types.Object, in ast.Node) bool {
	for e := range targets(in) {
		if object(s, e) == obj {
			return true
		}
	}
	for n := range ast.Preorder(in) {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND && object(s, u.X) == obj {
			return true
		}
	}
	return false
}

// assignedAny reports whether code assigns to one of the variables in an expression.
func assignedAny(s *advice.Site, e ast.Expr, in ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.Info.Uses[id].(*types.Var); ok && assigned(s, v, in) {
				found = true
			}
		}
		return !found
	})
	return found
}

// exits is how control leaves the body of a loop but by its end.
type exits struct {
	skips   bool // continue: a step is not finished
	stops   bool // break, goto, or a jump to a label
	returns []*ast.ReturnStmt
	panics  bool // or ends the goroutine or the program
}

func exitsOf(s *advice.Site, loop inspector.Cursor) exits {
	var e exits
	body := loopBody(loop.Node())
	c, ok := loop.FindNode(body)
	if !ok {
		return exits{stops: true}
	}
	c.Inspect([]ast.Node{(*ast.BranchStmt)(nil), (*ast.ReturnStmt)(nil), (*ast.CallExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			e.returns = append(e.returns, n)
		case *ast.CallExpr:
			e.panics = e.panics || neverReturns(s, n)
		case *ast.BranchStmt:
			switch {
			case n.Label != nil || n.Tok == token.GOTO:
				e.stops = true
			case n.Tok == token.CONTINUE && target(c, false) == loop.Node():
				e.skips = true
			case n.Tok == token.BREAK && target(c, true) == loop.Node():
				e.stops = true
			}
		}
		return true
	})
	return e
}

// neverReturns reports whether a call is of a function that doesn't return.
func neverReturns(s *advice.Site, call *ast.CallExpr) bool {
	switch s.Callee(call) {
	case "panic", "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		return true
	}
	return false
}

// target is the statement that a break or continue without a label is of.
func target(c inspector.Cursor, isBreak bool) ast.Node {
	kinds := []ast.Node{(*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)}
	if isBreak {
		kinds = append(kinds, (*ast.SwitchStmt)(nil), (*ast.TypeSwitchStmt)(nil), (*ast.SelectStmt)(nil))
	}
	for outer := range c.Enclosing(kinds...) {
		return outer.Node()
	}
	return nil
}

func loopBody(loop ast.Node) *ast.BlockStmt {
	switch n := loop.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// jumps reports whether a function has goto.
func jumps(s *advice.Site) bool {
	found := false
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// counts reports whether a loop counts a variable up.
func counts(s *advice.Site, loop ast.Node, i types.Object) bool {
	if i == nil {
		return false
	}
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if _, basic := under(s.Info.TypeOf(l.X)).(*types.Basic); !basic && !hasElements(s.Info.TypeOf(l.X)) {
			return false // a map's keys come in any order
		}
		return l.Key != nil && object(s, l.Key) == i
	case *ast.ForStmt:
		if l.Post == nil { // for i := 0; i < len(text); { … i++ … }
			cond, ok := l.Cond.(*ast.BinaryExpr)
			return ok && cond.Op == token.LSS && object(s, cond.X) == i
		}
		post, ok := l.Post.(*ast.IncDecStmt)
		return ok && post.Tok == token.INC && object(s, post.X) == i
	}
	return false
}
