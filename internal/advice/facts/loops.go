package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// Exits are the ways control leaves a loop body other than at its end.
type Exits struct {
	Skips   bool // continue: a step is not finished
	Stops   bool // break, goto, or a jump to a label
	Returns []*ast.ReturnStmt
	Panics  bool // or ends the goroutine or the program
}

func ExitsOf(s *code.Place, loop inspector.Cursor) Exits {
	var e Exits
	body := LoopBody(loop.Node())
	c, ok := loop.FindNode(body)
	if !ok {
		return Exits{Stops: true}
	}
	c.Inspect([]ast.Node{(*ast.BranchStmt)(nil), (*ast.ReturnStmt)(nil), (*ast.CallExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			e.Returns = append(e.Returns, n)
		case *ast.CallExpr:
			e.Panics = e.Panics || neverReturns(s, n)
		case *ast.BranchStmt:
			switch {
			case n.Label != nil || n.Tok == token.GOTO:
				e.Stops = true
			case n.Tok == token.CONTINUE && target(c, false) == loop.Node():
				e.Skips = true
			case n.Tok == token.BREAK && target(c, true) == loop.Node():
				e.Stops = true
			}
		}
		return true
	})
	return e
}

// neverReturns reports whether a call never returns.
func neverReturns(s *code.Place, call *ast.CallExpr) bool {
	switch s.Callee(call) {
	case "panic", "os.Exit", "runtime.Goexit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln":
		return true
	}
	return false
}

// target returns the statement that a break or continue without a label ends or continues.
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

func LoopBody(loop ast.Node) *ast.BlockStmt {
	switch n := loop.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// Jumps reports whether a function has a goto statement.
func Jumps(s *code.Place) bool {
	found := false
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// Counts reports whether a loop counts a variable up.
func Counts(s *code.Place, loop ast.Node, i types.Object) bool {
	if i == nil {
		return false
	}
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if _, basic := Under(s.Info.TypeOf(l.X)).(*types.Basic); !basic && !HasElements(s.Info.TypeOf(l.X)) {
			return false // a map's keys come in any order
		}
		return l.Key != nil && Object(s, l.Key) == i
	case *ast.ForStmt:
		if l.Post == nil { // for i := 0; i < len(text); { … i++ … }
			cond, ok := l.Cond.(*ast.BinaryExpr)
			return ok && cond.Op == token.LSS && Object(s, cond.X) == i
		}
		post, ok := l.Post.(*ast.IncDecStmt)
		return ok && post.Tok == token.INC && Object(s, post.X) == i
	}
	return false
}

// LastIteration reports whether a loop always ends in the iteration that reaches a place.
func LastIteration(s *code.Place, c, loop inspector.Cursor) bool {
	for ; c.Node() != loop.Node(); c = c.Parent() {
		stmt, ok := c.Node().(ast.Stmt)
		if !ok {
			continue
		}
		if LeavesBy(s, c, stmt, loop.Node()) {
			return true
		}
		list := Statements(c.Parent().Node())
		if len(list) == 0 {
			continue
		}
		last := list[len(list)-1]
		if at, ok := c.Parent().FindNode(last); ok && LeavesBy(s, at, last, loop.Node()) {
			return true
		}
	}
	return false
}

// LeavesBy reports whether a statement does nothing except leave a loop.
func LeavesBy(s *code.Place, at inspector.Cursor, stmt ast.Stmt, loop ast.Node) bool {
	switch stmt := stmt.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		switch stmt.Tok {
		case token.BREAK:
			return stmt.Label != nil || target(at, true) == loop
		case token.GOTO:
			return true
		case token.CONTINUE:
			return stmt.Label != nil && labelOf(s, loop) != stmt.Label.Name
		}
	case *ast.ExprStmt:
		call, ok := stmt.X.(*ast.CallExpr)
		return ok && neverReturns(s, call)
	}
	return false
}

func labelOf(s *code.Place, loop ast.Node) string {
	if c, ok := s.Func.FindNode(loop); ok {
		if l, ok := c.Parent().Node().(*ast.LabeledStmt); ok {
			return l.Label.Name
		}
	}
	return ""
}

// Repeats reports whether a loop evaluates the code at a position in each iteration.
func Repeats(loop ast.Node, at token.Pos) bool {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		return Within(l.Body, at)
	case *ast.ForStmt:
		return l.Init == nil || !Within(l.Init, at)
	}
	return false
}

// SameEachIteration reports whether an expression is the same in each iteration of a loop that only
// sets elements. The expression must not call or create anything, contain elements or variables
// of the loop, or contain fields if the loop header calls a function.
func SameEachIteration(s *code.Place, loop ast.Node, e ast.Expr) bool {
	if Calls(s, e) {
		return false
	}
	f, isFor := loop.(*ast.ForStmt)
	headCalls := isFor && f.Cond != nil && Calls(s, f.Cond)
	for n := range ast.Preorder(e) {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.FuncLit, *ast.CompositeLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW || n.Op == token.AND {
				return false
			}
		case *ast.SelectorExpr, *ast.StarExpr:
			if headCalls {
				return false
			}
		case *ast.Ident:
			if obj := s.Info.Uses[n]; obj != nil && (Within(loop, obj.Pos()) || Counts(s, loop, obj)) {
				return false
			}
		}
	}
	return true
}

// HasWayOut reports whether a statement may return or jump.
func HasWayOut(stmt inspector.Cursor) bool {
	found := false
	stmt.Inspect([]ast.Node{(*ast.ReturnStmt)(nil), (*ast.BranchStmt)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		_, literal := c.Node().(*ast.FuncLit)
		found = found || !literal
		return !literal
	})
	return found
}

// Filters returns the slice that a loop filters, if a statement in it is a conditional
// append(kept, x) and the slice isn't used afterwards.
func Filters(s *code.Place, c, loop inspector.Cursor) types.Object {
	assign, ok := c.Node().(*ast.AssignStmt)
	if !ok {
		return nil
	}
	call, ok := AppendTo(s, assign)
	r, isRange := loop.Node().(*ast.RangeStmt)
	if !ok || !isRange || len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return nil
	}
	kept, from := Object(s, assign.Lhs[0]), Object(s, r.X)
	if kept == nil || from == nil || kept == from || !IsLocal(s, from) || Within(r, kept.Pos()) || !types.Identical(kept.Type(), from.Type()) {
		return nil
	}
	element := false
	switch e := ast.Unparen(call.Args[1]).(type) {
	case *ast.Ident:
		element = r.Value != nil && Object(s, e) == Object(s, r.Value)
	case *ast.IndexExpr:
		element = r.Key != nil && Object(s, e.X) == from && Object(s, e.Index) == Object(s, r.Key)
	}
	if !element || c.Parent().Node() == r.Body && !ExitsOf(s, loop).Skips {
		return nil
	}
	if !IsLocal(s, kept) || IsParameter(s, kept) || startsWith(s, kept, from) {
		return nil
	}
	// Not used after the loop, nor in the next iteration of an outer loop.
	if outer, ok := LoopAround(loop); ok && !Within(outer.Node(), from.Pos()) {
		return nil
	}
	if len(UsesIn(s, from, r.End(), s.Func.Node().End())) > 0 || AddressTaken(s, from) {
		return nil
	}
	return from
}

// startsWith reports whether a slice is declared as a part of another one, so the loop already
// filters in place.
func startsWith(s *code.Place, kept, from types.Object) bool {
	starts := false
	s.Func.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)}, func(c inspector.Cursor) bool {
		var values []ast.Expr
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return Object(s, e) == kept }) {
				values = n.Rhs
			}
		case *ast.ValueSpec:
			if slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return Object(s, id) == kept }) {
				values = n.Values
			}
		}
		for _, v := range values {
			slice, ok := ast.Unparen(v).(*ast.SliceExpr)
			starts = starts || Object(s, v) == from || ok && Object(s, slice.X) == from
		}
		return !starts
	})
	return starts
}

// Repeated reports whether code is in a loop that a variable was declared before.
func Repeated(c inspector.Cursor, obj types.Object) bool {
	loop, ok := LoopAround(c)
	return ok && !Within(loop.Node(), obj.Pos())
}

// CountsFromZero reports whether an expression is the variable of a loop around it that counts up from 0,
// so that it is never negative.
func CountsFromZero(s *code.Place, e ast.Expr) bool {
	v := Object(s, e)
	at, ok := s.Root().FindNode(e)
	if v == nil || !ok || !Private(s, v) {
		return false
	}
	for c := range at.Enclosing((*ast.RangeStmt)(nil), (*ast.ForStmt)(nil), (*ast.FuncLit)(nil)) {
		switch loop := c.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if loop.Tok == token.DEFINE && Object(s, loop.Key) == v {
				switch Under(s.Info.TypeOf(loop.X)).(type) {
				case *types.Map, *types.Signature, *types.Chan:
					return false // the variable is a key, or any value
				}
				return !Assigned(s, v, loop.Body)
			}
		case *ast.ForStmt:
			init, ok := loop.Init.(*ast.AssignStmt)
			if ok && init.Tok == token.DEFINE && len(init.Lhs) == 1 && Object(s, init.Lhs[0]) == v {
				return IsInt(s, init.Rhs[0], 0) && Counts(s, loop, v) && !Assigned(s, v, loop.Body)
			}
		}
	}
	return false
}
