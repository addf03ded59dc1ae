package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/flow"
)

var loopInvariantLoad = &advice.Rule{
	ID:    "loop-invariant-load",
	Title: "a loop loads the same from memory in each iteration",
	Doc: `In "for i := range n { b.table.rows[at].cells[i] = 0 }", each iteration loads b.table, rows and cells again. The
compiler doesn't move loads out of loops, and can't tell that the length stays the same, so it also checks each index. A
variable that is set before the loop stays in a register.

The rewrite sets a variable before the loop for each such value. hone follows the values: nothing in the loop may change
what they are loaded from.`,
	Class: advice.Safe,
	Own:   true,
	Match: matchLoopInvariantLoad,
	Conditions: advice.Conditions{
		Offered: "a loop loads slices, pointers, maps, numbers or strings from fields and elements at least twice per iteration, and neither stores nor calls in it can change these",
		Review:  "the loads don't panic if the loop has no iterations or doesn't reach them; the package doesn't import unsafe",
	},
}

func matchLoopInvariantLoad(s *advice.Site) []advice.Match {
	if s.Flat() < flatShare {
		return nil
	}
	f := flow.In(s.Place)
	if f == nil {
		return nil
	}
	found, ok := f.LoadedAgain(s.Line)
	if !ok {
		return nil
	}
	loop, ok := s.Func.FindNode(found.Loop)
	if !ok {
		return nil
	}
	m := advice.Match{Node: loop.Node(), Class: advice.Safe}
	names, check := keepLoads(s, loop, found.Paths, &m)
	switch len(names) {
	case 0:
		return nil
	case 1:
		m.Why = fmt.Sprintf("Each iteration loads %s again (%d loads) and doesn't change it: a variable before the loop can hold it.", names[0], found.Loads)
	default:
		m.Why = fmt.Sprintf("Each iteration loads %s again (%d loads) and doesn't change them: variables before the loop can hold them.", inSeries(names), found.Loads)
	}
	edit.MustCheck(&m, check)
	return []advice.Match{m}
}

// inSeries is "a, b and c", or "a" if that is all.
func inSeries(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// maxKept is how many values a loop may keep: a processor has few registers.
const maxKept = 4

// keepLoads fills in the rewrite, which loads values once before a loop, and returns their code, and what to check.
func keepLoads(s *advice.Site, loop inspector.Cursor, paths []ast.Expr, m *advice.Match) (names, check []string) {
	first := facts.WithLabel(loop)
	if !facts.InBlock(first) || facts.Jumps(s.Place) || !facts.QuietStart(s.Place, loop.Node()) {
		return nil, nil
	}
	at := first.Node().Pos()
	var before, panics []string
	inside := make(map[ast.Node]bool)
	for _, e := range longestFirst(s, paths) {
		if len(names) == maxKept || !mayKeep(s, loop, at, e) {
			continue
		}
		uses, ok := loopUses(s, loop, e)
		uses = slices.DeleteFunc(uses, func(use ast.Node) bool { return inside[use] })
		if !ok || len(uses) == 0 {
			continue
		}
		name, source := keptName(s, e, at, before), s.Source(e)
		before = append(before, fmt.Sprintf("%s := %s\n", name, source))
		for _, use := range uses {
			m.Edits = append(m.Edits, edit.Replace(use, name))
			for n := range ast.Preorder(use) {
				inside[n] = true
			}
		}
		names = append(names, source)
		if facts.PanicsAtStart(s.Place, loop, e) != 0 {
			panics = append(panics, source)
		}
	}
	m.Edits = append(m.Edits, edit.Insert(at, strings.Join(before, "")))
	switch len(panics) {
	case 0:
	case 1:
		check = append(check, fmt.Sprintf("that %s doesn't panic if the loop has no iterations or doesn't reach it", panics[0]))
	default:
		check = append(check, fmt.Sprintf("that %s don't panic if the loop has no iterations or doesn't reach them", inSeries(panics)))
	}
	if slices.ContainsFunc(s.Types.Imports(), func(p *types.Package) bool { return p.Path() == "unsafe" }) {
		check = append(check, "that no unsafe pointer leads to what the loop loads")
	}
	return names, check
}

// longestFirst returns the paths to values that a variable may hold, without repetition. A path to a large value counts as the one
// that leads there.
func longestFirst(s *advice.Site, paths []ast.Expr) (all []ast.Expr) {
	for _, e := range paths {
		for !cheapToKeep(s, e) && owner(e) != e {
			e = owner(e)
		}
		if !slices.ContainsFunc(all, func(other ast.Expr) bool { return facts.SameCode(s.Place, e, other) }) {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b ast.Expr) int { return len(s.Source(b)) - len(s.Source(a)) })
	return all
}

// mayKeep reports whether a variable before a loop may have the value of an expression: it is a path of fields and elements that
// means the same there.
func mayKeep(s *advice.Site, loop inspector.Cursor, at token.Pos, e ast.Expr) bool {
	if owner(e) == e || !isPath(s, e) || !cheapToKeep(s, e) || !facts.SameAt(s.Place, e, at) || facts.AssignedAny(s.Place, e, loop.Node()) {
		return false
	}
	for n := range ast.Preorder(e) {
		id, ok := n.(*ast.Ident)
		if !ok {
			continue
		}
		if v, ok := s.Info.Uses[id].(*types.Var); ok && facts.IsLocal(s.Place, v) && !facts.Private(s.Place, v) {
			return false
		}
	}
	return true
}

// cheapToKeep reports whether an expression's value fits in registers. Flags don't count: a loop may wait for one, though it
// has no right to.
func cheapToKeep(s *advice.Site, e ast.Expr) bool {
	switch t := facts.Under(s.Info.TypeOf(e)).(type) {
	case *types.Slice, *types.Pointer, *types.Map:
		return true
	case *types.Basic:
		return t.Info()&(types.IsNumeric|types.IsString) != 0
	}
	return false
}

// isPath reports whether an expression consists of fields, elements of slices and arrays, and indexes that are sums of such
// numbers.
func isPath(s *advice.Site, e ast.Expr) bool {
	if s.Info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := s.Info.Uses[e].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		selection := s.Info.Selections[e]
		if selection == nil {
			_, ok := s.Info.Uses[e.Sel].(*types.Var)
			return ok
		}
		return selection.Kind() == types.FieldVal && isPath(s, e.X)
	case *ast.IndexExpr:
		return !facts.IsMap(s.Place, e.X) && isPath(s, e.X) && isPath(s, e.Index)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && isPath(s, e.X) && isPath(s, e.Y)
	case *ast.CallExpr:
		return s.Info.Types[e.Fun].IsType() && facts.IsNumber(s.Place, e.Args[0]) && facts.IsNumber(s.Place, e) && isPath(s, e.Args[0])
	}
	return false
}

// loopUses returns the places where a loop evaluates an expression again and again. ok is false if one isn't a mere use.
func loopUses(s *advice.Site, loop inspector.Cursor, e ast.Expr) (uses []ast.Node, ok bool) {
	ok = true
	loop.Inspect([]ast.Node{(*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		use, isExpr := c.Node().(ast.Expr)
		if _, literal := use.(*ast.FuncLit); literal || !isExpr {
			return false // it may run after the loop
		}
		if !facts.Repeats(loop.Node(), use.Pos()) || !facts.SameCode(s.Place, use, e) {
			return true
		}
		around := facts.WithParens(c)
		sel, selected := around.Parent().Node().(*ast.SelectorExpr)
		if facts.IsAssigned(around) || facts.Commented(s.Place, use.Pos(), use.End()) || selected && facts.CalledByAddress(s.Place, sel) {
			ok = false
		}
		uses = append(uses, use)
		return false
	})
	return uses, ok && len(uses) > 0
}

// keptName is a new name for the value of a path, after its last field, and for an element after the singular of its slice.
func keptName(s *advice.Site, e ast.Expr, at token.Pos, before []string) string {
	name := pathName(e)
	for _, longer := range []string{"", pathName(owner(e)), "kept"} {
		if longer != "" {
			name = longer + strings.ToUpper(pathName(e)[:1]) + pathName(e)[1:]
		}
		taken := slices.ContainsFunc(before, func(line string) bool { return strings.HasPrefix(line, name+" := ") })
		if !taken && !token.IsKeyword(name) && facts.Fresh(s.Place, name, at, s.Func.Node()) == name {
			return name
		}
	}
	return s.Unused(name, at)
}

// owner is what a path selects a field or an element of.
func owner(e ast.Expr) ast.Expr {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.X
	case *ast.IndexExpr:
		return e.X
	}
	return e
}

func pathName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return edit.LowerFirst(e.Name)
	case *ast.SelectorExpr:
		return edit.LowerFirst(e.Sel.Name)
	case *ast.IndexExpr:
		of := pathName(e.X)
		index, _ := ast.Unparen(e.Index).(*ast.Ident)
		switch one, plural := strings.CutSuffix(of, "s"); {
		case plural && len(one) > 2 && !strings.HasSuffix(one, "s"):
			return one
		case index != nil && len(of)+len(index.Name) < 4:
			return of + index.Name // as in matrices: ai for a[i]
		}
		return of + "Part"
	}
	return "value"
}
