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

// appendedInRow matches a slice that the statements after its declaration append other slices to: the sum of their
// lengths is known. If nothing has been seen to grow, it must have elements.
func appendedInRow(s *advice.Site, assign *ast.AssignStmt, call *ast.CallExpr, grows bool) (m advice.Match, ok bool) {
	v := facts.Object(s.Place, assign.Lhs[0])
	if v == nil || !facts.IsLocal(s.Place, v) {
		return m, false
	}
	d, ok := startOf(s, v)
	if !ok || !d.holds && !grows || !facts.Builtins(s.Place, d.Node().Pos(), "make", "len", "append") || noSize(s, d.Type) ||
		facts.Commented(s.Place, d.Node().Pos(), d.Node().End()) || !facts.InBlock(d.Cursor) {
		return m, false
	}
	row, ok := rowAfter(s, &d, v, assign)
	if !ok {
		return m, false
	}
	terms := append(d.sized, row.sized...)
	if single := d.count + row.count; single > 0 {
		terms = append(terms, strconv.Itoa(single))
	}
	size := strings.Join(terms, "+")
	m = advice.Match{Node: assign, Class: advice.Safe, Allocated: growthOf(s, call)}
	m.Why = fmt.Sprintf("%s is allocated and copied again for each slice that is appended; allocate %s elements first.", v.Name(), size)
	if d.holds {
		m.Why = fmt.Sprintf("%s is full when more is appended to it, and is copied to a larger array; allocate %s elements first.", v.Name(), size)
	}
	made := d.withRoom(s, size)
	nilSeen := slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		use, ok := s.Root().FindNode(id)
		appends := slices.ContainsFunc(row.code, func(stmt ast.Node) bool { return facts.Within(stmt, id.Pos()) })
		return !ok || !appends && !readsElements(s, use)
	})
	if d.isNil && d.count+row.count == 0 && nilSeen {
		pkg, ok := facts.PackageName(s.Place, "slices", d.Node().Pos())
		if !ok || !s.AtLeast("1.21") {
			return m, false
		}
		empty := fmt.Sprintf("make(%s, 0, %s)", s.Source(d.Type), size)
		made = strings.Replace(made, empty, fmt.Sprintf("%s.Grow(%s(nil), %s)", pkg, s.Source(d.Type), size), 1) // nil for 0
		m.Imports = []string{"slices"}
	}
	if d.Value != nil {
		m.Edits = []advice.Edit{edit.Replace(d.Value, made)}
	} else {
		m.Edits = []advice.Edit{edit.Replace(d.Node(), v.Name()+" := "+made)}
	}
	edit.MustCheck(&m, movesSeen(s, v, v.Name(), row.code[len(row.code)-1]))
	return m, true
}

// A row is what statements in a row append to a slice.
type row struct {
	sized []string // the lengths of slices, as code for where the slice is declared
	count int      // of single elements
	code  []ast.Node
}

// rowAfter returns what the statements after a slice's declaration append. ok is false if one is that the statement at
// hand, whose append has been seen to grow the slice, isn't worth it.
func rowAfter(s *advice.Site, d *sliceStart, v types.Object, assign *ast.AssignStmt) (r row, ok bool) {
	before, appends, position := d.code(), len(d.first), -1
	for stmt, more := d.NextSibling(); more; stmt, more = stmt.NextSibling() {
		if fills(s, stmt.Node(), v) {
			before = append(before, stmt.Node())
			continue
		}
		next, isAssign := stmt.Node().(*ast.AssignStmt)
		if !isAssign || facts.Object(s.Place, next.Lhs[0]) != v {
			break
		}
		to, ok := facts.AppendTo(s.Place, next)
		if !ok {
			break
		}
		if next == assign {
			position = appends
		}
		if slices.ContainsFunc(to.Args[1:], func(arg ast.Expr) bool { return facts.Mentions(s.Place, arg, v) }) {
			return r, false
		}
		if !to.Ellipsis.IsValid() {
			r.count += len(to.Args) - 1
		} else if term, ok := knownLength(s, to.Args[1], before); ok {
			r.sized = append(r.sized, term)
		} else {
			break
		}
		r.code, before = append(r.code, next), append(before, next)
		appends++
	}
	switch {
	case position < 0:
		return r, false
	case d.holds:
		return r, len(r.sized) > 0 // single elements often fit into what the allocator rounds up to
	}
	return r, position > 0 && len(r.sized) > 1 // the first append allocates in any case
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
