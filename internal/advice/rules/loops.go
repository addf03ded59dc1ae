package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"strings"

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

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
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

func isInt(s *advice.Site, e ast.Expr, want int64) bool {
	n, ok := constantInt(s, e)
	return ok && n == want
}

// constantInt returns the value of a constant integer.
func constantInt(s *advice.Site, e ast.Expr) (int64, bool) {
	v := s.Info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

func mayBeNegative(s *advice.Site, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		return constant.Sign(v) < 0
	}
	if call, ok := ast.Unparen(n).(*ast.CallExpr); ok {
		switch s.Callee(call) {
		case "len", "cap":
			return false
		}
	}
	b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsUnsigned == 0
}

// repeatable reports whether an expression can be evaluated once more in the same
// place, with the same result and no other effect.
func repeatable(s *advice.Site, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if callee := s.Callee(n); callee != "len" && callee != "cap" {
				ok = ok && s.Info.Types[n.Fun].IsType() && isNumber(s, n)
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.CompositeLit, *ast.FuncLit, *ast.TypeAssertExpr:
			ok = false
		}
		return ok
	})
	return ok
}

func isNumber(s *advice.Site, e ast.Expr) bool {
	b, ok := s.Info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
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
		len(usesIn(s, obj, d.Node().Pos(), loop)) == 0 && !addressTaken(s, obj)
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

// A declaration is a statement that declares one variable, and what as.
type declaration struct {
	inspector.Cursor          // the statement
	typ              ast.Expr // the type, as written
	value            ast.Expr // nil for var x T
}

// declarationOf returns the statement of the site's function that declares a
// variable alone, with a type that it names.
func declarationOf(s *advice.Site, obj types.Object) (declaration, bool) {
	return declarationIn(s, s.Func, obj)
}

// declarationAround is declarationOf where the site's function may be a literal, and the
// variable one of a function around it.
func declarationAround(s *advice.Site, obj types.Object) (declaration, bool) {
	if decl, ok := s.Root().FindNode(s.Decl); ok {
		return declarationIn(s, decl, obj)
	}
	return declarationOf(s, obj)
}

func declarationIn(s *advice.Site, function inspector.Cursor, obj types.Object) (declaration, bool) {
	var d declaration
	function.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && object(s, n.Lhs[0]) == obj && n.Lhs[0].Pos() == obj.Pos() {
				d = declaration{Cursor: c, value: ast.Unparen(n.Rhs[0])}
			}
		case *ast.DeclStmt:
			g, ok := n.Decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
				return true
			}
			spec, ok := g.Specs[0].(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || spec.Names[0].Pos() != obj.Pos() {
				return true
			}
			d = declaration{Cursor: c, typ: spec.Type}
			if len(spec.Values) == 1 {
				d.value = ast.Unparen(spec.Values[0])
			}
		}
		return true
	})
	if !d.Valid() {
		return d, false
	}
	switch v := d.value.(type) {
	case *ast.CompositeLit:
		d.typ = v.Type
	case *ast.CallExpr:
		if len(v.Args) > 0 && (s.Callee(v) == "make" || s.Callee(v) == "new") {
			d.typ = v.Args[0]
		} else if s.Info.Types[v.Fun].IsType() {
			d.typ = ast.Unparen(v.Fun)
		}
	}
	return d, d.typ != nil
}

// lines returns the end of a declaration's last line and the comment at it, if no other
// code or comment is on its lines nor a comment directly above: it can move without
// leaving anything behind.
func (d *declaration) lines(s *advice.Site) (comment string, end token.Pos, ok bool) {
	n, tf := d.Node(), s.Fset.File(d.Node().Pos())
	first, last := tf.Line(n.Pos()), tf.Line(n.End())
	if last == tf.LineCount() || strings.TrimSpace(s.Text(tf.LineStart(first), n.Pos())) != "" {
		return "", token.NoPos, false
	}
	for _, g := range s.File.Comments {
		if g.Pos() < n.End() && tf.Line(g.End()) >= first-1 {
			return "", token.NoPos, false
		}
	}
	end = tf.LineStart(last + 1)
	comment = strings.TrimRight(s.Text(n.End(), end), "\n\r")
	text := strings.TrimSpace(comment)
	return comment, end, text == "" || strings.HasPrefix(text, "//")
}

// previous reports whether a statement stands directly before another one.
func previous(c, next inspector.Cursor) bool {
	p, ok := next.PrevSibling()
	return ok && p == c
}

// usesIn returns the uses of an object between two positions.
func usesIn(s *advice.Site, obj types.Object, from, to token.Pos) []*ast.Ident {
	var found []*ast.Ident
	for _, id := range s.Uses(obj) {
		if from <= id.Pos() && id.Pos() < to {
			found = append(found, id)
		}
	}
	return found
}

// sameAt reports whether the names in an expression mean the same at a position.
func sameAt(s *advice.Site, e ast.Expr, at token.Pos) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			same = same && sameAt(s, n.X, at)
			return false
		case *ast.Field, *ast.FuncType:
			if f, ok := n.(*ast.Field); ok {
				same = same && sameAt(s, f.Type, at)
				return false
			}
		case *ast.Ident:
			if obj := s.Info.Uses[n]; obj != nil {
				same = same && resolves(s, n.Name, at) == obj
			}
		}
		return same
	})
	return same
}

// resolves returns what a name means at a position.
func resolves(s *advice.Site, name string, at token.Pos) types.Object {
	scope := s.Types.Scope().Innermost(at)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, at)
	return obj
}

// fresh returns a name like the one wanted that means nothing at a position, nor is
// used in some code.
func fresh(s *advice.Site, want string, at token.Pos, in ast.Node) string {
	for i := 1; ; i++ {
		name := want
		if i > 1 {
			name = fmt.Sprint(want, i)
		}
		if resolves(s, name, at) == nil && !uses(in, name) {
			return name
		}
	}
}

// builtins reports whether names mean what the language has them mean.
func builtins(s *advice.Site, at token.Pos, names ...string) bool {
	for _, name := range names {
		if obj := resolves(s, name, at); obj == nil || obj.Parent() != types.Universe {
			return false
		}
	}
	return true
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

// oneLine reports whether source fits a sentence.
func oneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }
