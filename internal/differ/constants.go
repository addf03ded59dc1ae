package differ

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"slices"
)

// constants are the literals of what changed: limits, sizes and names, next to which code behaves otherwise.
type constants struct {
	texts     []string
	numbers   []int64
	fractions []float64
}

// most bounds each kind of constants.
const mostConstants = 100

// constantsOf collects literals from the functions that changed, in both versions of their files. Those that only one version of a
// file has come first.
func constantsOf(files []File, changed Changed) constants {
	var all constants
	for _, f := range files {
		before, now := literals(f.Before, nil), literals(f.Now, nil)
		for _, pair := range [][2][]constant.Value{{now, before}, {before, now}} {
			for _, v := range pair[0] {
				if !slices.ContainsFunc(pair[1], func(other constant.Value) bool { return same(v, other) }) {
					all.add(v)
				}
			}
		}
	}
	for _, f := range files {
		for _, text := range [][]byte{f.Now, f.Before} {
			for _, v := range literals(text, func(d *ast.FuncDecl) bool { return changed.has(f.Package, d) }) {
				all.add(v)
			}
		}
	}
	return all
}

func same(a, b constant.Value) bool { return a.Kind() == b.Kind() && constant.Compare(a, token.EQL, b) }

// add adds a constant that isn't there.
func (c *constants) add(v constant.Value) {
	switch v.Kind() {
	case constant.String:
		if s := constant.StringVal(v); len(s) <= mostText {
			c.texts = addNew(c.texts, s)
		}
	case constant.Int:
		if n, exact := constant.Int64Val(v); exact {
			c.numbers = addNew(c.numbers, n)
		}
	case constant.Float:
		f, _ := constant.Float64Val(v)
		c.fractions = addNew(c.fractions, f)
	}
}

func addNew[T comparable](all []T, v T) []T {
	if len(all) == mostConstants || slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}

// literals are the constants in the functions of a file that are wanted, or in all of the file. Those that are computed from others count, too.
func literals(text []byte, wanted func(d *ast.FuncDecl) bool) (all []constant.Value) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // tags of fields
			return false
		case *ast.FuncDecl:
			return wanted == nil || wanted(n)
		case *ast.GenDecl:
			return wanted == nil
		case ast.Expr:
			if v := evaluate(n); v != nil {
				all = append(all, v)
			}
		}
		return true
	})
	return all
}

// evaluate computes an expression of literals, nil if it is another.
func evaluate(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(e.Value, e.Kind, 0); v.Kind() != constant.Unknown {
			return v
		}
	case *ast.ParenExpr:
		return evaluate(e.X)
	case *ast.BinaryExpr:
		x, y := evaluate(e.X), evaluate(e.Y)
		if x == nil || y == nil || x.Kind() != constant.Int || y.Kind() != constant.Int {
			return nil
		}
		switch e.Op {
		case token.SHL:
			if n, _ := constant.Uint64Val(y); n < 64 {
				return constant.Shift(x, e.Op, uint(n))
			}
		case token.ADD, token.SUB, token.MUL:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return nil
}
