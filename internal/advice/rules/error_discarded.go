package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var errorDiscarded = &advice.Rule{
	ID:    "error-discarded",
	Title: "an error is created only to be discarded",
	Doc: `Creating an error with a message formats and allocates it, even if the caller only asks whether there is one. If
failures are common, check the input before the call, or add a variant of the function that returns a bool.

The rule reports calls whose error is assigned to _ or only compared with nil, if the profile shows that the function,
or one of the package that it calls, spends time on errors. A variant without an error changes the API, so this rule
only gives advice.`,
	Class: advice.AdviceOnly,
	Gain:  1.3,
	Match: matchErrorDiscarded,
}

// madeErrors are functions that create errors.
var madeErrors = lazyregexp.New(`^fmt\.Errorf$|^errors\.New$|^strconv\.(syntaxError|rangeError|baseError|bitSizeError)$|^github\.com/pkg/errors\.(New|Errorf|Wrapf?|WithStack)$`)

// errorsMatter is the smallest share of time spent on errors that is reported.
const errorsMatter = 0.03

func matchErrorDiscarded(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Rhs) != 1 {
			continue
		}
		call, ok := assign.Rhs[0].(*ast.CallExpr)
		if !ok {
			continue
		}
		last := assign.Lhs[len(assign.Lhs)-1]
		f, _ := typeutil.Callee(s.Info, call).(*types.Func)
		if f == nil || !returnsError(f) || !discarded(s, last) {
			continue
		}
		if f.Pkg() == s.Types && !makesErrors(s, f, 3) || f.Pkg() != s.Types && s.Share(madeErrors) < errorsMatter {
			continue
		}
		m := advice.Match{Node: assign, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("%s creates an error with its message, which is discarded here. Check the input before the call, or add a variant that returns a bool.", s.Source(call.Fun))
		matches = append(matches, m)
	}
	return matches
}

func returnsError(f *types.Func) bool {
	results := f.Signature().Results()
	return results.Len() > 0 && facts.TypeName(results.At(results.Len()-1).Type()) == "error"
}

// discarded reports whether an assigned error is only compared with nil.
func discarded(s *advice.Site, e ast.Expr) bool {
	if facts.IsBlank(e) {
		return true
	}
	obj := facts.Object(s.Place, e)
	if obj == nil || obj.Pos() != e.Pos() || !facts.IsLocal(s.Place, obj) { // used for other errors, too
		return false
	}
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		b, ok := c.Parent().Node().(*ast.BinaryExpr)
		if !ok || b.Op != token.EQL && b.Op != token.NEQ || !s.Info.Types[b.X].IsNil() && !s.Info.Types[b.Y].IsNil() {
			return false
		}
	}
	return true
}

// makesErrors reports whether the profile shows that a function of the package creates errors, or
// returns those of another one.
func makesErrors(s *advice.Site, f *types.Func, depth int) bool {
	decl := facts.DeclarationOfFunc(s.Place, f)
	if decl == nil || decl.Body == nil {
		return false
	}
	if s.ShareIn(decl, madeErrors) >= errorsMatter {
		return true
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found || depth == 0 {
			return !found
		}
		if inner, _ := typeutil.Callee(s.Info, call).(*types.Func); inner != nil && inner != f && inner.Pkg() == s.Types && returnsError(inner) {
			found = makesErrors(s, inner, depth-1)
		}
		return !found
	})
	return found
}
