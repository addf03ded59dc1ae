package flow

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxProducts limits the products that are compared: more are a part of generated code.
const maxProducts = 64

// Factors are two operands that several products have in common, although none multiplies just the two.
type Factors struct {
	A, B     ast.Expr
	Products int
	At       token.Pos // the first of the products
}

// CommonFactors returns two factors that the most products of at least three factors have in common, among those that run
// together with a line.
func (f *Function) CommonFactors(line int) (found Factors, ok bool) {
	for _, b := range f.fn.Blocks {
		if !f.touches(b, line) {
			continue
		}
		products, at := productsIn(b)
		if len(products) < 2 || len(products) > maxProducts {
			continue
		}
		for i, p := range products {
			for j, x := range p {
				for _, y := range p[j+1:] {
					n := 1
					for k, other := range products {
						if k != i && f.hasFactors(p, other, x, y, k > i) {
							n++
						}
					}
					a, b := f.expression(x), f.expression(y)
					if n > max(1, found.Products) && a != nil && b != nil {
						found, ok = Factors{a, b, n, at[i]}, true
					}
				}
			}
		}
	}
	return found, ok
}

// hasFactors reports whether a product has two different factors that are the same as x and y of another one.
func (f *Function) hasFactors(of, product []ssa.Value, x, y ssa.Value, later bool) bool {
	is := func(v, w ssa.Value) bool {
		if later {
			return f.same(v, w)
		}
		return f.same(w, v)
	}
	at := slices.IndexFunc(product, func(v ssa.Value) bool { return is(x, v) })
	return at >= 0 && slices.ContainsFunc(slices.Delete(slices.Clone(product), at, at+1), func(v ssa.Value) bool { return is(y, v) })
}

// touches reports whether a block has code on a line.
func (f *Function) touches(b *ssa.BasicBlock, line int) bool {
	return !all(b.Instrs, func(instr ssa.Instruction) bool {
		return elsewhere(instr) || !instr.Pos().IsValid() || f.Line(instr.Pos()) != line
	})
}

// productsIn returns the factors of the products of a block with more than two of them, and where they are.
func productsIn(b *ssa.BasicBlock) (products [][]ssa.Value, at []token.Pos) {
	for _, instr := range b.Instrs {
		p, ok := instr.(*ssa.BinOp)
		if !ok || p.Op != token.MUL || partOfProduct(p) {
			continue
		}
		if factors := factorsOf(p, nil); len(factors) > 2 {
			products, at = append(products, factors), append(at, p.Pos())
		}
	}
	return products, at
}

func partOfProduct(p *ssa.BinOp) bool {
	users := *p.Referrers()
	if len(users) != 1 {
		return false
	}
	outer, ok := users[0].(*ssa.BinOp)
	return ok && outer.Op == token.MUL
}

func factorsOf(v ssa.Value, factors []ssa.Value) []ssa.Value {
	if p, ok := v.(*ssa.BinOp); ok && p.Op == token.MUL {
		return factorsOf(p.Y, factorsOf(p.X, factors))
	}
	if _, constant := v.(*ssa.Const); constant {
		return factors
	}
	return append(factors, v)
}

// expression returns the source of a value that is loaded or computed; nil for others.
func (f *Function) expression(v ssa.Value) ast.Expr {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	if !v.Pos().IsValid() {
		return nil
	}
	at, ok := f.Root().FindByPos(v.Pos(), v.Pos())
	if !ok {
		return nil
	}
	for c := range at.Enclosing((*ast.IndexExpr)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil), (*ast.BinaryExpr)(nil)) {
		switch e := c.Node().(type) {
		case *ast.IndexExpr:
			if e.Lbrack == v.Pos() {
				return e
			}
		case *ast.SelectorExpr:
			if e.Sel.Pos() == v.Pos() {
				return e
			}
		case *ast.CallExpr:
			if e.Lparen == v.Pos() {
				return e
			}
		case *ast.BinaryExpr:
			if e.OpPos == v.Pos() {
				return e
			}
		}
	}
	return nil
}
