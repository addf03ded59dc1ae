package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var mathPow = &advice.Rule{
	ID:    "math-pow",
	Title: "math.Pow computes a simple power",
	Doc: `math.Pow handles any base and exponent, and takes ten times as long as a product. A square or cube is a product, the
exponent 0.5 a square root, a power of 2 with an integer exponent math.Ldexp, and one of 10 math.Pow10.

Review the rewrite, because the last bit may differ: math.Pow rounds results below 1e-307 twice, a product may be fused
with a sum on some processors, and math.Pow10 is more precise. The sign of a NaN may differ, too.
Only powers of 2 are always the same.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^math\.(Pow|pow|archPow)$`),
	Gain:   4,
	Match:  matchMathPow,
	Conditions: advice.Conditions{
		Offered: "the exponent is 2, 3 or 0.5 and evaluating the base twice does the same, or the base is 2 or 10 and the exponent a converted int",
		Review:  "the base is 2",
	},
}

func matchMathPow(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("math.Pow") {
		if len(c.Args) != 2 {
			continue
		}
		if m, ok := simplePower(s, c); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

func simplePower(s *advice.Site, c code.Call) (m advice.Match, ok bool) {
	base, exponent := c.Args[0], c.Args[1]
	fun, isSelector := c.Fun.(*ast.SelectorExpr)
	if !isSelector || s.Info.Types[c.CallExpr].Value != nil || facts.Commented(s.Place, c.Pos(), c.End()) {
		return m, false
	}
	switch c.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return m, false
	}
	math := s.Source(fun.X)
	m = advice.Match{Node: c.CallExpr, Class: advice.Review}
	x := s.Source(base)
	switch {
	case isNumber(s, base, 2) && convertedInt(s, exponent) != "":
		m.Class = advice.Safe
		m.Why = "math.Pow handles any base and exponent; math.Ldexp makes a power of 2 directly."
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Ldexp(1, %s)", math, convertedInt(s, exponent)))}
	case isNumber(s, base, 10) && convertedInt(s, exponent) != "":
		m.Why = "math.Pow handles any base and exponent; math.Pow10 looks up a power of 10. Check that the last digit of the result doesn't matter, which math.Pow10 rounds better."
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Pow10(%s)", math, convertedInt(s, exponent)))}
	case s.Info.Types[base].Value != nil || facts.ShiftsConstant(s.Place, base):
		return m, false
	case isNumber(s, exponent, 0.5):
		m.Why = fmt.Sprintf("math.Pow handles any base and exponent; math.Sqrt is one instruction. Check that %s is never NaN, negative infinity or negative zero, for which the results differ.", x)
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.Sqrt(%s)", math, x))}
	case isNumber(s, exponent, 2), isNumber(s, exponent, 3):
		if !facts.Repeatable(s.Place, base) || !edit.OneLine(x) {
			return m, false
		}
		factor := facts.Parenthesized(base, x)
		product := factor + "*" + factor
		if isNumber(s, exponent, 3) {
			product += "*" + factor
		}
		if bindsTighter(c) {
			product = "(" + product + ")"
		}
		m.Why = fmt.Sprintf("math.Pow handles any base and exponent; %s is a few instructions. Check that neither the last bit of the result nor the sign of a NaN matters: results below 1e-307 are rounded once instead of twice, and the product may be fused with a sum.", product)
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, product)}
		edit.MustCheck(&m, facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: base}}))
	default:
		return m, false
	}
	return m, true
}

// isNumber reports whether an expression is a constant with a value.
func isNumber(s *advice.Site, e ast.Expr, want float64) bool {
	v := s.Info.Types[e].Value
	return v != nil && constant.Compare(constant.ToFloat(v), token.EQL, constant.MakeFloat64(want))
}

// convertedInt returns n if an expression is float64(n) of an int, as source.
func convertedInt(s *advice.Site, e ast.Expr) string {
	operand, _, ok := facts.Conversion(s.Place, e)
	if !ok || s.Info.Types[operand].Value != nil || facts.ShiftsConstant(s.Place, operand) || !types.Identical(s.Info.TypeOf(operand), types.Typ[types.Int]) {
		return ""
	}
	return s.Source(operand)
}

// bindsTighter reports whether what is around a call would take a product in its place apart.
func bindsTighter(c code.Call) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.BinaryExpr:
		return p.Op.Precedence() >= token.MUL.Precedence()
	case *ast.UnaryExpr:
		return true
	}
	return false
}
