package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var mathMax = &advice.Rule{
	ID:    "math-max",
	Title: "math.Max or math.Min is called",
	Doc: `math.Max and math.Min are functions that the compiler doesn't inline on most platforms. The builtin functions max and
min (Go 1.21) become a few instructions.

They agree on all numbers and zeros. For NaN and +Inf, math.Max returns +Inf, and max returns NaN; the same holds for
math.Min and -Inf. For NaN and anything else, both return NaN, but its bits may differ.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^math\.((arch)?(Max|Min)|max|min)$`),
	Gain:   2,
	Since:  "1.21",
	Match:  matchMathMax,
	Conditions: advice.Conditions{
		Offered: "the call has two arguments",
		Review: "both arguments are constants, converted integers or sums of them, which are never NaN; the arguments don't " +
			"depend on later calls in the statement",
	},
}

func matchMathMax(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("math.Max", "math.Min") {
		if len(c.Args) != 2 || s.Info.Types[c.Args[0]].Value != nil && s.Info.Types[c.Args[1]].Value != nil {
			continue
		}
		name := strings.ToLower(edit.Short(c.Name)[len("math."):])
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("%s is a call; the builtin function %s takes a few instructions.", edit.Short(c.Name), name)
		if replacesCall(s, c, name) {
			m.Class = advice.Safe
			m.Edits = []advice.Edit{edit.Replace(c.Fun, name)}
			var check []string
			inf := map[string]string{"max": "+Inf", "min": "-Inf"}[name]
			switch first, second := finite(s, c.Args[0]), finite(s, c.Args[1]); {
			case first && second:
			case first || second:
				check = append(check, "that nothing depends on the bits of a NaN, which may differ")
			default:
				check = append(check, fmt.Sprintf("that the arguments are never NaN: for NaN and %[1]s, %[2]s returns %[1]s, and %[3]s returns NaN", inf, edit.Short(c.Name), name))
			}
			edit.MustCheck(&m, check, facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: c.Args[0]}, {Expr: c.Args[1]}}))
		}
		matches = append(matches, m)
	}
	return matches
}

// replacesCall reports whether a builtin function can be called in place of a function: it may not be a
// statement, and the types of constants in its arguments depend on each other.
func replacesCall(s *advice.Site, c code.Call, builtin string) bool {
	switch c.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	}
	for _, arg := range c.Args {
		if facts.ShiftsConstant(s.Place, arg) {
			return false
		}
	}
	return facts.Builtins(s.Place, c.Pos(), builtin)
}

// finite reports whether a number is neither NaN nor infinite, because it is a constant, or was converted
// from an integer. Sums of a few such numbers are far from the largest float64.
func finite(s *advice.Site, e ast.Expr) bool {
	e = ast.Unparen(e)
	if v := s.Info.Types[e].Value; v != nil {
		f, _ := constant.Float64Val(constant.ToFloat(v))
		return -1e100 < f && f < 1e100
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD) && finite(s, e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.SUB || e.Op == token.ADD) && finite(s, e.X) && finite(s, e.Y)
	case *ast.CallExpr:
		if operand, to, ok := facts.Conversion(s.Place, e); ok {
			from, basic := s.Info.TypeOf(operand).Underlying().(*types.Basic)
			wide, _ := to.Underlying().(*types.Basic)
			return basic && wide != nil && wide.Kind() == types.Float64 && (from.Info()&types.IsInteger != 0 || from.Kind() == types.Float64 && finite(s, operand))
		}
		switch s.Callee(e) {
		case "math.Max", "math.Min", "max", "min":
			for _, arg := range e.Args {
				if !finite(s, arg) {
					return false
				}
			}
			return len(e.Args) > 1
		}
	}
	return false
}
