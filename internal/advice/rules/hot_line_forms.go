package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// The sentences here name computations for which processors have an instruction, or which have a shorter form.

// multipliesHalves says whether the line is part of a 64-bit multiplication by hand, for the upper half of the product.
func multipliesHalves(s *advice.Site) string {
	halves := make(map[types.Object]bool)
	for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if len(assign.Lhs) != len(assign.Rhs) {
			continue
		}
		for i, from := range assign.Rhs {
			if v := facts.Object(s.Place, assign.Lhs[i]); v != nil && isHalf(s, from) {
				halves[v] = true
			}
		}
	}
	isProduct := func(n ast.Node) bool {
		p, ok := n.(*ast.BinaryExpr)
		return ok && p.Op == token.MUL && halves[facts.Object(s.Place, p.X)] && halves[facts.Object(s.Place, p.Y)]
	}
	const cross = 3 // of the four products of two halves each: the sum of some may be in a variable
	products := 0
	for c := range s.Func.Preorder((*ast.BinaryExpr)(nil)) {
		if isProduct(c.Node()) {
			products++
		}
	}
	if products < cross || !slices.ContainsFunc(s.Nodes(), func(c inspector.Cursor) bool { return isProduct(c.Node()) }) {
		return ""
	}
	return "The products of 32-bit halves make up a product of 128 bits: bits.Mul64 is one instruction."
}

// isHalf reports whether an expression is the lower or upper half of a 64-bit number.
func isHalf(s *advice.Site, e ast.Expr) bool {
	half, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || !hasBits(s, half.X, 64) {
		return false
	}
	return half.Op == token.SHR && facts.IsInt(s.Place, half.Y, 32) || half.Op == token.AND && facts.IsInt(s.Place, half.Y, 1<<32-1)
}

// hasBits reports whether an expression is an integer of some size.
func hasBits(s *advice.Site, e ast.Expr, bits int64) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 && 8*s.Sizes.Sizeof(t) == bits
}

// assembles says whether the line builds a number from bytes, or takes one apart, in a way that the compiler doesn't turn
// into a single load or store.
func assembles(s *advice.Site) string {
	for _, c := range s.Nodes() {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if parent, ok := c.Parent().Node().(*ast.BinaryExpr); ok && joins(parent.Op) {
				continue
			}
			if from, bytes := bytesIn(s, n); from != "" && bytes != 2 && bytes != 4 && bytes != 8 {
				return fmt.Sprintf("It builds a number from bytes of %s: package encoding/binary loads 2, 4 or 8 bytes at once.", from)
			}
		case *ast.AssignStmt:
			if to, others := storesByte(s, n), 0; to != "" {
				for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
					if storesByte(s, c.Node().(*ast.AssignStmt)) == to {
						others++
					}
				}
				if others >= 4 {
					return fmt.Sprintf("It stores a number in %s byte by byte: package encoding/binary stores 2, 4 or 8 bytes at once.", to)
				}
			}
		}
	}
	return ""
}

func joins(op token.Token) bool { return op == token.OR || op == token.XOR || op == token.ADD }

// bytesIn returns the slice whose bytes an expression shifts into a number, and how many of them; "" if it does something else.
func bytesIn(s *advice.Site, e ast.Expr) (from string, n int) {
	shifted := false
	var walk func(e ast.Expr, depth int) bool
	walk = func(e ast.Expr, depth int) bool {
		switch e := ast.Unparen(e).(type) {
		case *ast.BinaryExpr:
			if joins(e.Op) {
				return walk(e.X, depth+1) && walk(e.Y, depth+1)
			}
			if (e.Op == token.SHL || e.Op == token.SHR) && s.Info.Types[e.Y].Value != nil {
				before := n
				if !walk(e.X, depth+1) {
					return false
				}
				shifted = shifted || n > before && e.Op == token.SHL
				return true
			}
			return false
		case *ast.CallExpr:
			index, ok := convertedByte(s, e)
			if !ok {
				return false
			}
			name := s.Source(index.X)
			if from != "" && from != name {
				return false
			}
			from = name
			n++
			return true
		case *ast.Ident:
			return depth > 0
		}
		return false
	}
	if b, ok := e.(*ast.BinaryExpr); !ok || !joins(b.Op) || !walk(e, 0) || !shifted || len(from) > maxSource {
		return "", 0
	}
	return from, n
}

// convertedByte returns the element of a slice, array or string of bytes that a conversion makes a wider number of.
func convertedByte(s *advice.Site, call *ast.CallExpr) (index *ast.IndexExpr, ok bool) {
	if !s.Info.Types[call.Fun].IsType() || len(call.Args) != 1 || hasBits(s, call, 8) {
		return nil, false
	}
	index, ok = ast.Unparen(call.Args[0]).(*ast.IndexExpr)
	return index, ok && numberIn(s, index.X) == "byte"
}

// storesByte returns the slice in which a statement stores one byte of a number, at an index that isn't constant: then the compiler
// checks each.
func storesByte(s *advice.Site, assign *ast.AssignStmt) string {
	if assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return ""
	}
	to, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr)
	if !ok || numberIn(s, to.X) != "byte" || s.Info.Types[to.Index].Value != nil {
		return ""
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || !s.Info.Types[call.Fun].IsType() || len(call.Args) != 1 || !hasBits(s, call, 8) {
		return ""
	}
	of := ast.Unparen(call.Args[0])
	if shift, ok := of.(*ast.BinaryExpr); ok {
		if shift.Op != token.SHR || s.Info.Types[shift.Y].Value == nil {
			return ""
		}
		of = shift.X
	}
	if _, isName := ast.Unparen(of).(*ast.Ident); !isName || len(s.Source(to.X)) > maxSource {
		return ""
	}
	return s.Source(to.X)
}

// onlyAdds says whether the loop around the line does nothing but add the same amounts in each iteration.
func onlyAdds(s *advice.Site) string {
	loop, ok := loopAround(s).(*ast.ForStmt)
	if !ok || loop.Cond == nil || len(loop.Body.List) == 0 {
		return ""
	}
	changed := make(map[types.Object]bool)
	statements := loop.Body.List
	if loop.Post != nil {
		statements = append(slices.Clone(statements), loop.Post)
	}
	for _, stmt := range statements {
		var to ast.Expr
		switch stmt := stmt.(type) {
		case *ast.IncDecStmt:
			to = stmt.X
		case *ast.AssignStmt:
			if stmt.Tok == token.ADD_ASSIGN || stmt.Tok == token.SUB_ASSIGN {
				to = stmt.Lhs[0]
			}
		}
		v := facts.Object(s.Place, to)
		if v == nil || !isInteger(v.Type()) {
			return ""
		}
		changed[v] = true
	}
	for _, stmt := range statements {
		assign, ok := stmt.(*ast.AssignStmt)
		if ok && !facts.Repeatable(s.Place, assign.Rhs[0]) || ok && usesOne(s, assign.Rhs[0], changed) {
			return ""
		}
	}
	if cond, ok := ast.Unparen(loop.Cond).(*ast.BinaryExpr); !ok || callsAnything(s, cond) || !usesOne(s, cond, changed) {
		return ""
	}
	return fmt.Sprintf("The loop on line %d only adds the same amounts in each iteration: a division and a product give the result without it.", s.Package.Line(loop.Pos()))
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// usesOne reports whether an expression uses one of some variables.
func usesOne(s *advice.Site, e ast.Expr, variables map[types.Object]bool) bool {
	return slices.ContainsFunc(slices.Collect(ast.Preorder(e)), func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && variables[s.Info.Uses[id]]
	})
}

// shiftsByAny says whether the line shifts by a number of which nothing is known, so that it also handles numbers that are too large.
func shiftsByAny(s *advice.Site) string {
	for _, c := range s.Nodes() {
		var of, by ast.Expr
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if n.Op == token.SHL || n.Op == token.SHR {
				of, by = n.X, n.Y
			}
		case *ast.AssignStmt:
			if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
				of, by = n.Lhs[0], n.Rhs[0]
			}
		}
		if of == nil || !unknownCount(s, by) {
			continue
		}
		for _, bits := range []int64{64, 32} {
			if hasBits(s, of, bits) {
				return fmt.Sprintf("The shift by %s also handles %d and more: masked with & %d, the shift is one instruction.", s.Source(by), bits, bits-1)
			}
		}
	}
	return ""
}

// unknownCount reports whether a number is a field or a parameter that the function compares with nothing.
func unknownCount(s *advice.Site, e ast.Expr) bool {
	v, ok := facts.Object(s.Place, e).(*types.Var)
	if sel, isField := ast.Unparen(e).(*ast.SelectorExpr); isField {
		v, ok = s.Info.Uses[sel.Sel].(*types.Var)
	}
	if !ok || s.Info.Types[e].Value != nil || len(s.Source(e)) > maxSource || !v.IsField() && !facts.IsParameter(s.Place, v) {
		return false
	}
	one := map[types.Object]bool{v: true}
	for c := range s.Func.Preorder((*ast.BinaryExpr)(nil), (*ast.AssignStmt)(nil), (*ast.IncDecStmt)(nil), (*ast.SwitchStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if facts.IsComparison(n.Op) && usesOne(s, n, one) {
				return false
			}
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, func(to ast.Expr) bool { return usesOne(s, to, one) }) {
				return false
			}
		case *ast.IncDecStmt:
			if usesOne(s, n.X, one) {
				return false
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && usesOne(s, n.Tag, one) {
				return false
			}
		}
	}
	return true
}
