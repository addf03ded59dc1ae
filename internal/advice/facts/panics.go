package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// This file states which panic of a statement comes first. The compiler runs the calls of a
// statement before the rest, from left to right. Slice expressions, type assertions and conversions
// may be evaluated with them, the language doesn't say. Other operands, such as x[i] or p.f, are
// evaluated when their value is needed. A rewrite that takes an operand out of a call, or puts it
// into one, therefore moves its panic before or after others.

// A PanicSet is a set of kinds of run-time panics, by what recover can tell about them.
type PanicSet uint8

const (
	nilPanic   PanicSet = 1 << iota // dereferencing a nil pointer; all have the same text
	zeroPanic                       // dividing by zero; all have the same text
	otherPanic                      // the text depends on values
)

// CanTell reports whether a program can distinguish which of two panics came first.
func CanTell(a, b PanicSet) bool {
	both := a | b
	return a != 0 && b != 0 && (both == nilPanic|zeroPanic || both&otherPanic != 0)
}

// PanicsBeside returns the panics that evaluating code may cause outside of its calls.
func PanicsBeside(s *code.Place, code ast.Node) PanicSet {
	return panicsOutside(s, code, isCall)
}

// PanicsUnlikeNil reports whether a program can distinguish a panic of an expression from one for a nil
// pointer, or may run something else before it.
func PanicsUnlikeNil(s *code.Place, e ast.Expr) bool {
	return CanTell(nilPanic, PanicsBeside(s, e)) || EffectsOf(s, CallsIn(s, e)...)&MayPanic != 0
}

func panicsOutside(s *code.Place, code ast.Node, leave func(*code.Place, ast.Node) bool) (all PanicSet) {
	ast.Inspect(code, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal || leave(s, n) {
			return false
		}
		all |= ownPanics(s, n)
		return true
	})
	return all
}

// runsCode reports whether code is a call, or a conversion such as []byte(s) that calls the runtime.
func runsCode(s *code.Place, n ast.Node) bool {
	if isCall(s, n) {
		return true
	}
	e, ok := n.(ast.Expr)
	if !ok {
		return false
	}
	operand, to, ok := Conversion(s, e)
	if !ok {
		return false
	}
	_, slice := Under(to).(*types.Slice)
	return slice && IsString(s, operand)
}

// ownPanics returns the panics of an operation, without those of its operands.
func ownPanics(s *code.Place, n ast.Node) (all PanicSet) {
	w := effectWalk{Place: s}
	if e, ok := n.(ast.Expr); !ok || s.Info.Types[e].Value != nil || s.Info.Types[e].IsType() {
		return 0
	}
	through := func(pointer ast.Expr) PanicSet {
		if w.deref(pointer) != 0 {
			return nilPanic
		}
		return 0
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if w.operator(n.Op, n.X, n.Y) == 0 {
			return 0
		}
		if n.Op == token.QUO || n.Op == token.REM {
			return zeroPanic
		}
		return otherPanic
	case *ast.StarExpr:
		return through(n.X)
	case *ast.SelectorExpr:
		switch selection := s.Info.Selections[n]; {
		case selection == nil || selection.Kind() == types.MethodExpr:
		case w.through(n.X, selection)&MayPanic != 0, selection.Kind() == types.MethodVal && types.IsInterface(selection.Recv()):
			return nilPanic
		}
	case *ast.IndexExpr:
		t := s.Info.TypeOf(n.X)
		switch u := Under(t).(type) {
		case *types.Signature:
			return 0 // a generic function
		case *types.Map:
			if !comparesQuietly(u.Key()) {
				return otherPanic
			}
			return 0
		case *types.Pointer:
			all = through(n.X)
		}
		if !inBounds(s, n) {
			all |= otherPanic
		}
	case *ast.SliceExpr:
		if _, pointer := Under(s.Info.TypeOf(n.X)).(*types.Pointer); pointer {
			all = through(n.X)
		}
		if mayMissRange(s, n) {
			all |= otherPanic
		}
	case *ast.TypeAssertExpr:
		return otherPanic
	case *ast.CompositeLit:
		if m, ok := Under(s.Info.TypeOf(n)).(*types.Map); ok && !comparesQuietly(m.Key()) {
			return otherPanic
		}
	case *ast.CallExpr:
		if operand, to, ok := Conversion(s, n); ok {
			_, slice := Under(s.Info.TypeOf(operand)).(*types.Slice)
			switch to := Under(to).(type) {
			case *types.Array:
				return otherPanic
			case *types.Pointer:
				if _, array := to.Elem().Underlying().(*types.Array); array && slice {
					return otherPanic
				}
			}
		}
	}
	return all
}

// PanicsAhead returns the panics of PanicsBeside that may occur together with the calls of a
// statement.
func PanicsAhead(s *code.Place, code ast.Node) (all PanicSet) {
	parts := make(map[ast.Expr]bool) // structs and arrays where only a part is used
	ast.Inspect(code, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && !isCall(s, n) && (!whenNeeded(s, e) || !parts[e] && copied(s, e)) {
			all |= PanicsBeside(s, e)
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			parts[n.X] = true
		case *ast.IndexExpr:
			parts[n.X] = true
		case *ast.ParenExpr:
			parts[n.X] = parts[n]
		}
		_, literal := n.(*ast.FuncLit)
		return !literal && !isCall(s, n)
	})
	return all
}

// whenNeeded reports whether an operation is evaluated when its value is needed, after the calls.
func whenNeeded(s *code.Place, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.ParenExpr, *ast.StarExpr, *ast.SelectorExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.AND
	case *ast.BinaryExpr:
		return e.Op != token.LAND && e.Op != token.LOR
	case *ast.IndexExpr:
		_, isMap := Under(s.Info.TypeOf(e.X)).(*types.Map)
		return !isMap
	}
	return false
}

// copied reports whether comparing values of an expression's type, or converting them to an
// interface, copies them.
func copied(s *code.Place, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	switch u := Under(t).(type) {
	case *types.Struct, *types.Array:
		return true
	case *types.Basic:
		return u.Info()&types.IsComplex != 0
	}
	return false
}

// panicsFirst returns what to check if each operand of a call is used before the next is evaluated.
// If all are written, each has a call or statement of its own; otherwise the steps say so.
func panicsFirst(s *code.Place, steps []Step, written bool) (check []string) {
	for i, p := range steps {
		if p.Expr == nil {
			continue
		}
		own := PanicsBeside(s, p.Expr)
		for _, later := range steps[i+1:] {
			if own == 0 || later.Expr == nil {
				continue
			}
			if p.Called || written {
				if EffectsOf(s, CallsIn(s, later.Expr)...)&(MayPanic|MayWrite) != 0 || CanTell(own, PanicsAhead(s, later.Expr)) {
					check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated before %s", s.Source(p.Expr), s.Source(later.Expr)))
					break
				}
			} else if later.Called && (later.Runs&(MayPanic|MayWrite) != 0 || CanTell(own, PanicsBeside(s, later.Expr))) {
				check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated after %s", s.Source(p.Expr), s.Source(later.Expr)))
				break
			}
		}
	}
	return check
}

// Overtaken returns what to check if a call becomes an expression without a call. The call and
// its operands used to be evaluated before the operands to its left that aren't in a call, and
// before everything to its right. The operands are now evaluated in place. Operands that get a
// call of their own stay in order. Removed conversions are no longer evaluated with the calls
// either.
func Overtaken(s *code.Place, c inspector.Cursor, operands []Step, gone ...ast.Expr) (check []string) {
	beside := neighbours(s, c, gone)
	does := EffectsOf(s, beside.called...)
	for _, p := range operands {
		if p.Expr == nil || p.Called {
			continue
		}
		if !UnchangedBy(s, p.Expr, p.Contents, Change{Code: beside.called}) {
			check = append(check, fmt.Sprintf("that later calls in the statement don't change %s, which is now read after them", s.Source(p.Expr)))
		}
		own := PanicsBeside(s, p.Expr)
		if own != 0 && does&(MayWrite|MayPanic) != 0 {
			check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated after later calls in the statement", s.Source(p.Expr)))
			continue
		}
		for _, other := range beside.first {
			if CanTell(own, other.panics) {
				check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated after %s", s.Source(p.Expr), s.Source(other.code)))
				break
			}
		}
	}
	return check
}

// Unconverted is Overtaken for operands that lose their conversion to []byte, which was
// evaluated with the calls.
func Unconverted(s *code.Place, converted ...ast.Expr) (check []string) {
	for _, e := range converted {
		if !runsCode(s, e) || isCall(s, e) {
			continue
		}
		if c, ok := s.Root().FindNode(ast.Unparen(e)); ok {
			operand, _, _ := Conversion(s, e)
			check = append(check, Overtaken(s, c, []Step{{Expr: operand}}, converted...)...)
		}
	}
	return check
}

// Together returns what to check if operands of consecutive calls become arguments of a single
// call: all calls among them now run before the operands without one are evaluated.
func Together(s *code.Place, operands ...ast.Expr) (check []string) {
	for i, e := range operands {
		own := PanicsBeside(s, e)
		for _, later := range operands[i+1:] {
			does := CallsIn(s, later)
			if !UnchangedBy(s, e, true, Change{Code: does}) {
				check = append(check, fmt.Sprintf("that %s doesn't change %s, which is now read after it", s.Source(later), s.Source(e)))
			}
			if own != 0 && EffectsOf(s, does...)&(MayPanic|MayWrite) != 0 || CanTell(own, PanicsAhead(s, later)) {
				check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated after %s", s.Source(e), s.Source(later)))
				break
			}
		}
	}
	return check
}

// WrittenFirst returns what to check if the destination is evaluated before the operands: before
// their calls if the destination has calls, and before all of them if it is called.
func WrittenFirst(s *code.Place, w ast.Expr, steps []Step) []string {
	own := PanicsBeside(s, w)
	for _, p := range steps {
		if own == 0 || p.Expr == nil {
			continue
		}
		others := PanicsAhead(s, p.Expr)
		if p.Called {
			others = PanicsBeside(s, p.Expr)
		}
		if CanTell(own, others) || p.Runs&MayWrite != 0 || EffectsOf(s, CallsIn(s, p.Expr)...)&(MayPanic|MayWrite) != 0 {
			return []string{fmt.Sprintf("that %s doesn't panic: it is now evaluated before %s", s.Source(w), s.Source(p.Expr))}
		}
	}
	return nil
}

// A beside has what a statement evaluates in addition to a call and after it.
type beside struct {
	called []ast.Node // calls and receives
	first  []panicking
}

// A panicking is code that may panic. Its panic would come before that of an operand that replaces
// the call.
type panicking struct {
	code   ast.Node
	panics PanicSet
}

// neighbours returns what a statement evaluates in addition to a call. It stops where the call's
// value is used before the rest is evaluated: at another call, && or ||.
func neighbours(s *code.Place, c inspector.Cursor, gone []ast.Expr) (b beside) {
	for at := c; ; at = at.Parent() {
		parent := at.Parent()
		set := false // the destination is evaluated after the value
		switch p := parent.Node().(type) {
		case *ast.BlockStmt, *ast.FuncDecl, *ast.FuncLit, *ast.File, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt,
			*ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return b
		case *ast.BinaryExpr:
			if p.Op == token.LAND || p.Op == token.LOR {
				return b
			}
		case *ast.AssignStmt:
			set = len(p.Lhs) == 1 && (p.Tok == token.ASSIGN || p.Tok == token.DEFINE)
		}
		for other := range parent.Children() {
			n := other.Node()
			switch {
			case n.Pos() > at.Node().Pos():
				if e, ok := n.(ast.Expr); ok && slices.Contains(gone, e) {
					if operand, _, ok := Conversion(s, e); ok {
						n = operand
					}
				}
				b.called = append(b.called, CallsIn(s, n)...)
				b.first = append(b.first, panicking{n, PanicsAhead(s, n)})
			case other != at && !set:
				if fun, ok := n.(*ast.SelectorExpr); ok && isMethodOfInterface(s, fun) && isCall(s, parent.Node()) {
					n = fun.X // its method is looked up after the arguments
				}
				b.first = append(b.first, panicking{n, panicsOutside(s, n, runsCode)})
			}
		}
		if isCall(s, parent.Node()) {
			return b
		}
	}
}

func isMethodOfInterface(s *code.Place, sel *ast.SelectorExpr) bool {
	selection := s.Info.Selections[sel]
	return selection != nil && selection.Kind() == types.MethodVal && types.IsInterface(selection.Recv())
}

// A Step is an operand that a rewrite uses as soon as it is evaluated. Before, all operands were
// evaluated first.
type Step struct {
	Expr     ast.Expr
	Runs     Effects // effects of using it, such as those of a String method
	Contents bool    // its elements are read when it is used
	Called   bool    // it is used in a call or a statement of its own, and not as an operand of + or the like
}
