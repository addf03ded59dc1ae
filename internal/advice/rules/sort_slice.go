package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var sortSlice = &advice.Rule{
	ID:    "sort-slice",
	Title: "sorting uses reflection or an interface",
	Doc: `sort.Slice swaps elements by reflection and compares them by index. sort.Sort makes three interface calls per step.
slices.Sort and slices.SortFunc (Go 1.21) are compiled for the element type and are two to three times as fast. Since Go
1.22 sort.Strings, sort.Ints and sort.Float64s call slices.Sort, so no rewrite is offered for them.

If the less function compares two elements in one expression, or field by field, the rewrite turns it into the function
that slices.SortFunc expects: return a.n < b.n becomes return cmp.Compare(a.n, b.n). Equal elements may come in a
different order, as with any unstable sort, and NaNs come first. Review both, and less functions that call other
functions, and floating-point numbers, since 0 and -0 compare equal. Other less functions get advice only. If
slices.SortFunc gets a function that compares numbers or strings like <, use slices.Sort.

slices.SortFunc passes elements by value. Elements of more than 48 bytes are not reported, because copying them costs as
much as the reflection.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^sort\.|^internal/reflectlite\.(Swapper|ValueOf)|^slices\.\w+CmpFunc\b`),
	Since:  "1.21",
	Gain:   2.5,
	Match:  matchSortSlice,
	Conditions: advice.Conditions{
		Offered: "the less function compares two elements in one expression, or field by field",
		Review: "the order of equal elements doesn't matter, nor the position of NaNs and -0; a less function that calls other functions " +
			"doesn't count its calls",
	},
}

// Gains of findings that differ from the rule's.
const (
	gainOfForward      = 1.05 // of slices.Sort instead of sort.Ints and the like, which call it
	gainOfNaturalOrder = 2    // of slices.Sort instead of a function that compares like <
	gainOfInterface    = 1.3  // of slices.SortFunc instead of sort.Sort
	gainOfAscending    = 3    // of slices.Sort instead of sort.Slice
)

// largestCopied is the largest element size for which slices.SortFunc is clearly faster than
// sort.Slice: measured, it is 2.5 times as fast at 8 bytes, 1.7 times at 32, equal at 64, and half as
// fast at 128.
const largestCopied = 48

func matchSortSlice(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("slices.SortFunc", "slices.SortStableFunc") {
		if m, ok := naturalOrder(s, c); ok {
			matches = append(matches, m)
		}
	}
	for _, c := range s.Calls("sort.Slice", "sort.SliceStable", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Sort", "sort.Stable") {
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Since: "1.21"}
		ok := false
		switch c.Name {
		case "sort.Slice", "sort.SliceStable":
			ok = len(c.Args) == 2 && sliceWithLess(s, c, &m)
		case "sort.Sort", "sort.Stable":
			ok = len(c.Args) == 1 && sortedInterface(s, c, &m)
		default:
			ok = len(c.Args) == 1
			m.Title = "the sort package only calls slices"
			m.Why = fmt.Sprintf("slices.Sort does the same. Since Go 1.22 %s calls it, so this saves little more than a call.", c.Name)
			m.Gain = gainOfForward
		}
		if ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// naturalOrder matches numbers or strings that slices.SortFunc compares with a function that does what
// < does.
func naturalOrder(s *advice.Site, c code.Call) (advice.Match, bool) {
	if len(c.Args) != 2 {
		return advice.Match{}, false
	}
	slice, ok := s.Info.TypeOf(c.Args[0]).Underlying().(*types.Slice)
	if !ok {
		return advice.Match{}, false
	}
	elem, ok := slice.Elem().Underlying().(*types.Basic)
	if !ok || elem.Info()&types.IsOrdered == 0 {
		return advice.Match{}, false
	}
	exact, ok := comparesDirectly(s, c.Args[1])
	if !ok {
		return advice.Match{}, false
	}
	m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Gain: gainOfNaturalOrder, Title: "a comparison function does what < does",
		Why: fmt.Sprintf("%s calls a function for each comparison; slices.Sort is compiled for %s.", edit.Short(c.Name), types.TypeString(slice.Elem(), types.RelativeTo(s.Types)))}
	sel, isSelector := c.Fun.(*ast.SelectorExpr)
	if exact && isSelector && !facts.Commented(s.Place, c.Args[1].Pos(), c.Args[1].End()) {
		m.Class = advice.Safe
		if elem.Info()&types.IsFloat != 0 {
			m.Class = advice.Review
			m.Why += " Check that 0 and -0, which compare equal, may be swapped."
		}
		m.Edits = []advice.Edit{edit.Replace(sel.Sel, "Sort"), {Pos: c.Args[0].End(), End: c.Args[1].End()}}
	}
	return m, true
}

// comparesDirectly reports whether a function only compares its two parameters, and whether it does
// exactly what cmp.Compare does.
func comparesDirectly(s *advice.Site, f ast.Expr) (exact, ok bool) {
	compare := func(e ast.Expr) bool {
		call := &ast.CallExpr{Fun: e}
		if index, ok := e.(*ast.IndexExpr); ok {
			call.Fun = index.X
		}
		name := s.Callee(call)
		return name == "cmp.Compare" || name == "strings.Compare"
	}
	lit, ok := ast.Unparen(f).(*ast.FuncLit)
	if !ok {
		return compare(ast.Unparen(f)), compare(ast.Unparen(f))
	}
	var params []types.Object
	for _, field := range lit.Type.Params.List {
		for _, name := range field.Names {
			params = append(params, s.Info.Defs[name])
		}
	}
	if len(params) != 2 {
		return false, false
	}
	inOrder := func(x, y ast.Expr) bool {
		return facts.Object(s.Place, x) == params[0] && facts.Object(s.Place, y) == params[1]
	}
	if len(lit.Body.List) == 1 {
		r, ok := lit.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			return false, false
		}
		call, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr)
		exact = ok && len(call.Args) == 2 && compare(call.Fun) && inOrder(call.Args[0], call.Args[1])
		return exact, exact
	}
	// if a < b { return -1 } …: the last return value doesn't matter for a set.
	first, ok := lit.Body.List[0].(*ast.IfStmt)
	if !ok || first.Init != nil || len(first.Body.List) != 1 {
		return false, false
	}
	less, ok := ast.Unparen(first.Cond).(*ast.BinaryExpr)
	r, returns := first.Body.List[0].(*ast.ReturnStmt)
	if !ok || !returns || len(r.Results) != 1 {
		return false, false
	}
	constants := true
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			constants = false
		case *ast.ReturnStmt:
			constants = constants && len(n.Results) == 1 && s.Info.Types[n.Results[0]].Value != nil
		}
		return constants
	})
	_, negative := ast.Unparen(r.Results[0]).(*ast.UnaryExpr)
	ascending := less.Op == token.LSS && inOrder(less.X, less.Y) && negative || less.Op == token.GTR && inOrder(less.X, less.Y) && !negative
	return false, constants && ascending
}

// useSlicesSort is the rewrite to slices.Sort.
func useSlicesSort(s *advice.Site, c code.Call, arg ast.Expr, m *advice.Match) {
	pkg, ok := facts.PackageName(s.Place, "slices", c.Pos())
	if _, slice := s.Info.TypeOf(arg).Underlying().(*types.Slice); !ok || !slice {
		return
	}
	m.Class, m.Imports = advice.Safe, []string{"slices"}
	m.Edits = []advice.Edit{edit.Replace(c.Fun, pkg+".Sort")}
	if arg != c.Args[0] {
		m.Edits = append(m.Edits, edit.Replace(c.Args[0], s.Source(arg)))
	}
}

// sortedSlice returns the slice that a type sorts: the type itself, or the slice in a struct of the
// package whose Swap only swaps elements of it.
func sortedSlice(s *advice.Site, t types.Type) (*types.Slice, bool) {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		return slice, true
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return nil, false
	}
	swap, _, _ := types.LookupFieldOrMethod(t, true, s.Types, "Swap")
	f, ok := swap.(*types.Func)
	if !ok {
		return nil, false
	}
	decl := facts.DeclarationOfFunc(s.Place, f)
	if decl == nil || decl.Body == nil || len(decl.Body.List) != 1 {
		return nil, false
	}
	assign, ok := decl.Body.List[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 2 || !facts.SameCode(s.Place, assign.Lhs[0], assign.Rhs[1]) || !facts.SameCode(s.Place, assign.Lhs[1], assign.Rhs[0]) {
		return nil, false
	}
	a, ok := assign.Lhs[0].(*ast.IndexExpr)
	b, ok2 := assign.Lhs[1].(*ast.IndexExpr)
	if !ok || !ok2 || !facts.SameCode(s.Place, a.X, b.X) {
		return nil, false
	}
	slice, ok := s.Info.TypeOf(a.X).Underlying().(*types.Slice)
	return slice, ok
}

// sortedInterface matches sort.Sort(x).
func sortedInterface(s *advice.Site, c code.Call, m *advice.Match) bool {
	arg := ast.Unparen(c.Args[0])
	reverse := false
	if call, ok := arg.(*ast.CallExpr); ok && s.Callee(call) == "sort.Reverse" && len(call.Args) == 1 {
		arg, reverse = ast.Unparen(call.Args[0]), true
	}
	t := s.Info.TypeOf(arg)
	p, pointer := types.Unalias(t).(*types.Pointer)
	if pointer {
		t = p.Elem() // a variable or field that is kept
	}
	slice, ok := sortedSlice(s, t)
	if !ok {
		return false
	}
	elem := slice.Elem()
	switch types.TypeString(types.Unalias(t), nil) {
	case "sort.StringSlice", "sort.IntSlice", "sort.Float64Slice":
		defer func() {
			if m.Class == advice.Safe && facts.IsFloat(elem) {
				m.Class = advice.Review
				m.Why += " Check that 0 and -0, which compare equal, may be swapped."
			}
		}()
		m.Why = fmt.Sprintf("%s calls Less and Swap through an interface; slices.Sort is compiled for %ss.", c.Name, elem)
		if pointer {
			return true
		}
		if operand, _, ok := facts.Conversion(s.Place, arg); ok {
			if _, slice := s.Info.TypeOf(operand).Underlying().(*types.Slice); slice {
				arg = operand
			}
		}
		if !reverse {
			useSlicesSort(s, c, arg, m)
			return true
		}
		pkg, ok := facts.PackageName(s.Place, "slices", c.Pos())
		compare, ok2 := facts.PackageName(s.Place, "cmp", c.Pos())
		elemText, ok3 := facts.TypeText(s.Place, elem, c.Pos())
		if ok && ok2 && ok3 && !facts.Commented(s.Place, c.Pos(), c.End()) {
			m.Class, m.Imports = advice.Safe, []string{"slices", "cmp"}
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.SortFunc(%s, func(a, b %s) int { return %s.Compare(b, a) })", pkg, s.Source(arg), elemText, compare))}
		}
		return true
	}
	if n, ok := facts.SizeOf(elem); !ok || n > largestCopied {
		return false
	}
	m.Why = fmt.Sprintf("%s calls Less and Swap of %s through an interface; slices.%s with a comparison function is compiled for the element type.",
		c.Name, types.TypeString(t, types.RelativeTo(s.Types)), sortFunc(c.Name))
	m.Gain = gainOfInterface
	return true
}

func sortFunc(name string) string {
	if strings.HasSuffix(name, "Stable") {
		return "SortStableFunc"
	}
	return "SortFunc"
}

// sliceWithLess matches sort.Slice(x, func(i, j int) bool {…}).
func sliceWithLess(s *advice.Site, c code.Call, m *advice.Match) bool {
	slice, ok := s.Info.TypeOf(c.Args[0]).Underlying().(*types.Slice)
	if !ok {
		return false
	}
	if n, ok := facts.SizeOf(slice.Elem()); ok && n > largestCopied {
		return false
	}
	to := sortFunc(c.Name)
	m.Why = fmt.Sprintf("%s swaps elements by reflection; slices.%s with a comparison function is compiled for the element type.", c.Name, to)
	l, ok := edit.ReadLess(s, c, slice.Elem())
	if !ok {
		return true
	}
	m.Class = advice.Review
	check := ""
	switch {
	case l.Float:
		check = " Check that there is no NaN: it now comes first, and with < its position is undefined."
	case l.Exact || to == "SortStableFunc" && !l.Calls:
		m.Class = advice.Safe // equal elements are identical, or keep their order
	case l.Calls:
		check = " Check that the comparison has no side effects, and that equal elements may come in a different order."
	default:
		check = " Check that equal elements may come in a different order."
	}
	m.Why += check
	if l.Ascending && !facts.Commented(s.Place, c.Args[1].Pos(), c.Args[1].End()) {
		m.Why = fmt.Sprintf("%s swaps elements by reflection and calls a function for each comparison; slices.Sort is compiled for %s.", c.Name, types.TypeString(slice.Elem(), types.RelativeTo(s.Types)))
		m.Why += check
		m.Gain = gainOfAscending
		m.Imports = []string{"slices"}
		m.Edits = []advice.Edit{edit.Replace(c.Fun, l.Slices+".Sort"), {Pos: c.Args[0].End(), End: c.Args[1].End()}}
		return true
	}
	m.Imports = append([]string{"slices"}, l.Imports...)
	m.Edits = append(l.Edits, edit.Replace(c.Fun, l.Slices+"."+to))
	return true
}
