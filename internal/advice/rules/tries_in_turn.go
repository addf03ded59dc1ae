package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var triesInTurn = &advice.Rule{
	ID:    "tries-in-turn",
	Title: "several ways to parse a value are tried until one works",
	Doc: `A loop that tries layouts, bases or formats until one fits pays for all that fail: each reads part of the text and
creates an error that no code uses. Put the most common formats first. Better, check the length of the text, or the
character at a known position, and only try formats that can fit.

The rule reports a loop that ends with the first call that returns no error, if profiles show errors created below that
call. Only the owner of the data knows the common format, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: makesError,
	Gain:   2,
	Match:  matchTriesInTurn,
}

var makesError = lazyregexp.New(`^time\.(newParseError|\(\*ParseError\))|^strconv\.(syntaxError|rangeError|baseError|bitSizeError)$|^fmt\.Errorf$|^errors\.(New|Join)$|^encoding/(hex|base64)\.\(?\*?\w*CorruptInputError|^net\.\(\*ParseError\)|^net/url\.Parse$|^net/netip\.parse\w*Error`)

func matchTriesInTurn(s *advice.Site) []advice.Match {
	if s.Share(makesError) < 0.03 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls() {
		assign, ok := c.Parent().Node().(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 || c.Name == "" {
			continue
		}
		loop, ok := facts.LoopAround(c.Cursor)
		if !ok {
			continue
		}
		r, ok := loop.Node().(*ast.RangeStmt)
		err := facts.Object(s.Place, assign.Lhs[len(assign.Lhs)-1])
		if !ok || err == nil || !types.Identical(err.Type(), types.Universe.Lookup("error").Type()) || !usesTurn(s, c, r) || !leavesWithout(s, loop, err) {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Frames: framesOf(c.Name), Why: fmt.Sprintf(
			"%s is tried until one call succeeds, and each failure reads the text and creates an unused error. Try the most common format first, or choose the format by the length of the text or a character at a known position.", edit.Short(c.Name))})
	}
	return matches
}

// usesTurn reports whether a call has a different argument in each iteration of a loop.
func usesTurn(s *advice.Site, c code.Call, r *ast.RangeStmt) bool {
	for _, v := range []ast.Expr{r.Key, r.Value} {
		if v == nil {
			continue
		}
		if obj := facts.Object(s.Place, v); obj != nil && facts.Mentions(s.Place, c.CallExpr, obj) {
			return true
		}
	}
	return false
}

// leavesWithout reports whether a loop ends as soon as an error is nil.
func leavesWithout(s *advice.Site, loop inspector.Cursor, err types.Object) bool {
	for c := range loop.Preorder((*ast.IfStmt)(nil)) {
		branch := c.Node().(*ast.IfStmt)
		cond, ok := ast.Unparen(branch.Cond).(*ast.BinaryExpr)
		if !ok || cond.Op != token.EQL || facts.Object(s.Place, cond.X) != err || !s.Info.Types[cond.Y].IsNil() || len(branch.Body.List) == 0 {
			continue
		}
		last := branch.Body.List[len(branch.Body.List)-1]
		if at, ok := c.FindNode(last); ok && facts.LeavesBy(s.Place, at, last, loop.Node()) {
			return true
		}
	}
	return false
}
