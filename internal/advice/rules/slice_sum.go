package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// appendedInRow matches a slice that starts empty and that the statements after its declaration append
// other slices to: the sum of their lengths is known.
func appendedInRow(s *advice.Site, assign *ast.AssignStmt, call *ast.CallExpr) (m advice.Match, ok bool) {
	v := facts.Object(s.Place, assign.Lhs[0])
	if v == nil || !facts.IsLocal(s.Place, v) {
		return m, false
	}
	d, ok := facts.DeclarationOf(s.Place, v)
	if !ok || !facts.Builtins(s.Place, d.Node().Pos(), "make", "len") {
		return m, false
	}
	isNil, empty := startsEmpty(s, &d)
	if !empty || noSize(s, d.Type) || facts.Commented(s.Place, d.Node().Pos(), d.Node().End()) || !facts.InBlock(d.Cursor) {
		return m, false
	}
	var terms []string
	var before []ast.Node
	single, position := 0, -1
	for stmt, more := d.NextSibling(); more; stmt, more = stmt.NextSibling() {
		next, isAssign := stmt.Node().(*ast.AssignStmt)
		if !isAssign || facts.Object(s.Place, next.Lhs[0]) != v {
			break
		}
		to, ok := facts.AppendTo(s.Place, next)
		if !ok {
			break
		}
		if next == assign {
			position = len(before)
		}
		for _, arg := range to.Args[1:] {
			if facts.Mentions(s.Place, arg, v) {
				return m, false
			}
		}
		if !to.Ellipsis.IsValid() {
			single += len(to.Args) - 1
		} else if term, ok := knownLength(s, to.Args[1], before); ok {
			terms = append(terms, term)
		} else {
			break
		}
		before = append(before, next)
	}
	if position < 1 || len(terms) < 2 {
		return m, false // the first append allocates in any case, and a few elements often fit into what it rounds up to
	}
	if single > 0 {
		terms = append(terms, strconv.Itoa(single))
	}
	size := strings.Join(terms, "+")
	m = advice.Match{Node: assign, Class: advice.Safe, Allocated: growthOf(s, call)}
	m.Why = fmt.Sprintf("%s is allocated and copied again for each slice that is appended; allocate %s elements first.", v.Name(), size)
	made := fmt.Sprintf("make(%s, 0, %s)", s.Source(d.Type), size)
	nilSeen := slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		use, ok := s.Root().FindNode(id)
		appends := slices.ContainsFunc(before, func(stmt ast.Node) bool { return facts.Within(stmt, id.Pos()) })
		return !ok || !appends && !readsElements(s, use)
	})
	if isNil && single == 0 && nilSeen {
		pkg, ok := facts.PackageName(s.Place, "slices", d.Node().Pos())
		if !ok || !s.AtLeast("1.21") {
			return m, false
		}
		made = fmt.Sprintf("%s.Grow(%s(nil), %s)", pkg, s.Source(d.Type), size) // nil for 0
		m.Imports = []string{"slices"}
	}
	if d.Value != nil {
		m.Edits = []advice.Edit{edit.Replace(d.Value, made)}
	} else {
		m.Edits = []advice.Edit{edit.Replace(d.Node(), v.Name()+" := "+made)}
	}
	edit.MustCheck(&m, movesSeen(s, v, v.Name(), before[len(before)-1]))
	return m, true
}

// noSize reports whether elements of a slice type take no memory. Their number may be so large that a sum of lengths
// overflows.
func noSize(s *advice.Site, slice ast.Expr) bool {
	t, ok := facts.Under(s.Info.TypeOf(slice)).(*types.Slice)
	if !ok {
		return true
	}
	size, known := facts.SizeOf(t.Elem())
	return known && size == 0
}

// knownLength returns the length of a slice or text as code for a place before some statements.
func knownLength(s *advice.Site, e ast.Expr, before []ast.Node) (string, bool) {
	text := s.Source(ast.Unparen(e))
	if !facts.Repeatable(s.Place, e) || !edit.OneLine(text) || !facts.UnchangedBy(s.Place, e, false, facts.Change{Code: before}) {
		return "", false
	}
	if facts.EffectsOf(s.Place, e)&facts.MayPanic != 0 && facts.EffectsOf(s.Place, before...)&(facts.MayPanic|facts.MayWrite) != 0 {
		return "", false // it would panic before they run
	}
	return "len(" + text + ")", true
}
