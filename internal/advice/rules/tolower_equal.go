package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var tolowerEqual = &advice.Rule{
	ID:    "tolower-equal",
	Title: "text is converted to lower case to compare it",
	Doc: `strings.ToLower and ToUpper process the whole text, and allocate a new one if a letter changes. strings.EqualFold
compares without a copy and stops at the first difference. The same holds for package bytes.

Review the rewrite, because a few letters outside of ASCII differ: for EqualFold, K and the Kelvin sign are equal, and
so are s and ſ. If one side is a constant without i, k and s, there are no such letters.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^(strings|bytes)\.(ToLower|ToUpper|Map)$`),
	Gain:   4,
	Match:  matchTolowerEqual,
	Conditions: advice.Conditions{
		Offered: "two texts are converted to lower or upper case only to be compared",
		Review:  "one side is a constant without i, k and s, or letters that are equal for EqualFold but not in lower case, such as K and the Kelvin sign or s and ſ, may count as equal",
	},
}

func matchTolowerEqual(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			if n.Op != token.EQL && n.Op != token.NEQ || !plainBool(s, n) {
				continue
			}
			code, ok := equalFold(s, "strings", n.X, n.Y)
			if !ok {
				continue
			}
			if n.Op == token.NEQ {
				code = "!" + code
			}
			matches = append(matches, foldMatch(s, n, code, n.X, n.Y))
		case *ast.CallExpr:
			if s.Callee(n) == "bytes.Equal" && len(n.Args) == 2 {
				if code, ok := equalFold(s, "bytes", n.Args[0], n.Args[1]); ok {
					matches = append(matches, foldMatch(s, n, code, n.Args...))
				}
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				continue
			}
			if _, name, ok := folded(s, n.Tag); ok && strings.HasPrefix(name, "strings.") {
				matches = append(matches, advice.Match{Node: n.Tag, Class: advice.AdviceOnly, Why: fmt.Sprintf("%s allocates a new string for each switch if a letter changes. Try the unchanged text first, or compare with strings.EqualFold, most likely cases first.", s.Source(n.Tag))})
			}
		}
	}
	return matches
}

func foldMatch(s *advice.Site, n ast.Expr, code string, sides ...ast.Expr) advice.Match {
	m := advice.Match{Node: n, Class: advice.Safe, Edits: []advice.Edit{edit.Replace(n, code)}}
	m.Why = "Both sides are copied to compare them; EqualFold doesn't copy, and stops at the first difference."
	var operands []ast.Expr
	for _, side := range sides {
		if operand, _, ok := folded(s, side); ok {
			side = operand
		}
		operands = append(operands, side)
	}
	var letters []string
	if !slices.ContainsFunc(sides, func(side ast.Expr) bool { return foldsInASCII(s, side) }) {
		letters = []string{"that letters outside of ASCII don't matter: for EqualFold, s and \u017f are equal, for example"}
	}
	edit.MustCheck(&m, letters, facts.Together(s.Place, operands...))
	if facts.Commented(s.Place, n.Pos(), n.End()) {
		m.Edits = nil
		m.Class = advice.AdviceOnly
	}
	return m
}

// foldsInASCII reports whether a side is a constant whose letters have no others outside of ASCII. The letters with such are i, of
// which \u0130 and \u0131 are other cases for ToLower and ToUpper, and k and s.
func foldsInASCII(s *advice.Site, e ast.Expr) bool {
	if operand, _, ok := facts.Conversion(s.Place, e); ok {
		e = operand
	}
	text, ok := facts.ConstantText(s.Place, e)
	return ok && !strings.ContainsAny(text, "iksIKS")
}

// plainBool reports whether the result of a comparison is a bool, and not a named type.
func plainBool(s *advice.Site, e ast.Expr) bool {
	t, ok := types.Unalias(s.Info.TypeOf(e)).(*types.Basic)
	return ok && t.Info()&types.IsBoolean != 0
}

// folded returns the s of strings.ToLower(s), and the function.
func folded(s *advice.Site, e ast.Expr) (ast.Expr, string, bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, "", false
	}
	switch name := s.Callee(call); name {
	case "strings.ToLower", "strings.ToUpper", "bytes.ToLower", "bytes.ToUpper":
		return call.Args[0], name, true
	}
	return nil, "", false
}

// equalFold is the call that replaces the comparison of two sides in one case.
func equalFold(s *advice.Site, pkg string, x, y ast.Expr) (string, bool) {
	a, name, ok := folded(s, x)
	if !ok {
		x, y = y, x
		if a, name, ok = folded(s, x); !ok {
			return "", false
		}
		b, ok := sameCase(s, name, y)
		return foldCall(s, pkg, name, x, b, a, ok)
	}
	b, ok := sameCase(s, name, y)
	return foldCall(s, pkg, name, x, a, b, ok)
}

func foldCall(s *advice.Site, pkg, name string, at, a, b ast.Expr, ok bool) (string, bool) {
	local, imported := facts.PackageName(s.Place, pkg, at.Pos())
	if !ok || !imported || !strings.HasPrefix(name, pkg+".") {
		return "", false
	}
	return fmt.Sprintf("%s.EqualFold(%s, %s)", local, s.Source(a), s.Source(b)), true
}

// sameCase returns the text that is compared with one in lower or upper case: one converted in the
// same way, or a constant without letters of the other case.
func sameCase(s *advice.Site, name string, e ast.Expr) (ast.Expr, bool) {
	if other, function, ok := folded(s, e); ok {
		return other, function == name
	}
	constant := e
	if operand, to, ok := facts.Conversion(s.Place, e); ok && facts.PlainBytes(to) {
		constant = operand
	}
	text, ok := facts.ConstantText(s.Place, constant)
	if !ok || text == "" {
		return nil, false
	}
	if !facts.IsString(s.Place, constant) || !types.Identical(types.Default(s.Info.TypeOf(constant)), types.Typ[types.String]) {
		return nil, false
	}
	for i := range len(text) {
		if text[i] >= 0x80 {
			return nil, false
		}
	}
	if strings.HasSuffix(name, "ToLower") {
		return e, text == strings.ToLower(text)
	}
	return e, text == strings.ToUpper(text)
}
