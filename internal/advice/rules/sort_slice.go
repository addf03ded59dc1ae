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
that slices.SortFunc expects: return a.n < b.n becomes return cmp.Compare(a.n, b.n). It does the same
with the Less method of a type for sort.Sort whose Len and Swap only use one slice, and for sort.IsSorted. Equal elements
may come in a different order, as with any unstable sort, and NaNs come first. Review both, and less functions that call
other functions, and floating-point numbers, since 0 and -0 compare equal. Other less functions get advice only. If
slices.SortFunc gets a function that compares numbers or strings like <, use slices.Sort.

slices.SortFunc passes elements by value. Elements of more than 48 bytes are not reported, because copying them costs as
much as the reflection.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^sort\.|^internal/reflectlite\.(Swapper|ValueOf)|^slices\.\w+CmpFunc\b`),
	Since:  "1.21",
	Gain:   2.5,
	Match:  matchSortSlice,
	Conditions: advice.Conditions{
		Offered: "the less function compares two elements in one expression, or field by field; the Len and Swap methods of a type " +
			"only use one slice, and its Less method only uses names that mean the same where the call is",
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
	gainOfSorted       = 1.1  // of slices.IsSortedFunc instead of sort.IsSorted
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
	for _, c := range s.Calls("sort.Slice", "sort.SliceStable", "sort.SliceIsSorted", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Sort", "sort.Stable", "sort.IsSorted") {
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Since: "1.21"}
		ok := false
		switch c.Name {
		case "sort.Slice", "sort.SliceStable", "sort.SliceIsSorted":
			ok = len(c.Args) == 2 && sliceWithLess(s, c, &m)
		case "sort.Sort", "sort.Stable", "sort.IsSorted":
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

// useSlices is the rewrite to slices.Sort or slices.IsSorted.
func useSlices(s *advice.Site, c code.Call, function string, arg ast.Expr, m *advice.Match) {
	pkg, ok := facts.PackageName(s.Place, "slices", c.Pos())
	if _, slice := s.Info.TypeOf(arg).Underlying().(*types.Slice); !ok || !slice {
		return
	}
	m.Class, m.Imports = advice.Safe, []string{"slices"}
	m.Edits = []advice.Edit{edit.Replace(c.Fun, pkg+"."+function)}
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
	to := sortFunc(c.Name)
	switch types.TypeString(types.Unalias(t), nil) {
	case "sort.StringSlice", "sort.IntSlice", "sort.Float64Slice":
		defer func() {
			if m.Class == advice.Safe && facts.IsFloat(elem) && to != "IsSortedFunc" {
				m.Class = advice.Review
				m.Why += " Check that 0 and -0, which compare equal, may be swapped."
			}
		}()
		m.Why = fmt.Sprintf("%s calls %s through an interface; slices.%s is compiled for %ss.", c.Name, calledBy(c.Name), plainly(to), elem)
		if to == "IsSortedFunc" {
			m.Gain = gainOfSorted
		}
		if pointer {
			return true
		}
		if operand, _, ok := facts.Conversion(s.Place, arg); ok {
			if _, slice := s.Info.TypeOf(operand).Underlying().(*types.Slice); slice {
				arg = operand
			}
		}
		if !reverse {
			useSlices(s, c, plainly(to), arg, m)
			return true
		}
		pkg, ok := facts.PackageName(s.Place, "slices", c.Pos())
		compare, ok2 := facts.PackageName(s.Place, "cmp", c.Pos())
		elemText, ok3 := facts.TypeText(s.Place, elem, c.Pos())
		if ok && ok2 && ok3 && !facts.Commented(s.Place, c.Pos(), c.End()) {
			m.Class, m.Imports = advice.Safe, []string{"slices", "cmp"}
			m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.%sFunc(%s, func(a, b %s) int { return %s.Compare(b, a) })", pkg, plainly(to), s.Source(arg), elemText, compare))}
		}
		return true
	}
	if n, ok := facts.SizeOf(elem); !ok || n > largestCopied {
		return false
	}
	m.Why = fmt.Sprintf("%s calls %s of %s through an interface; slices.%s with a comparison function is compiled for the element type.",
		c.Name, calledBy(c.Name), types.TypeString(t, types.RelativeTo(s.Types)), to)
	m.Gain = gainOfInterface
	sorter, ok := facts.SorterOf(s.Place, t)
	if !ok || facts.Commented(s.Place, c.Pos(), c.End()) || facts.Deferred(c.Cursor) { // the slice may be another one by then
		return true
	}
	sorted, text, ok := sortedBy(s, arg, sorter)
	if !ok {
		return true
	}
	l, compare, ok := edit.ReadSorter(s, c, sorter, sorted, reverse)
	if !ok {
		return true
	}
	m.Imports = append([]string{"slices"}, l.Imports...)
	m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.%s(%s, %s)", l.Slices, to, text, compare))}
	if l.Ascending {
		m.Imports = []string{"slices"}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.%s(%s)", l.Slices, plainly(to), text))}
		m.Why = fmt.Sprintf("%s calls %s of %s through an interface; slices.%s is compiled for %s.",
			c.Name, calledBy(c.Name), types.TypeString(t, types.RelativeTo(s.Types)), plainly(to), types.TypeString(elem, types.RelativeTo(s.Types)))
	}
	if to == "IsSortedFunc" {
		m.Gain = gainOfSorted
	}
	needsReview(l, to, m)
	if pointer && !facts.NeverNil(s.Place, arg) && !pointerMethod(s, t, "Len") {
		edit.MustCheck(m, []string{fmt.Sprintf("that %s isn't nil: it panics with another message", s.Source(arg))})
	}
	return true
}

// pointerMethod reports whether a type declares a method for pointers to it. A method for values panics
// in its own way if the pointer is nil.
func pointerMethod(s *advice.Site, t types.Type, name string) bool {
	f, _, _ := types.LookupFieldOrMethod(t, true, s.Types, name)
	method, ok := f.(*types.Func)
	if !ok {
		return false
	}
	_, pointer := types.Unalias(method.Signature().Recv().Type()).(*types.Pointer)
	return pointer
}

// sortedBy returns the slice in the argument of sort.Sort, and its text: xs of byName(xs), of
// byName{xs} and of &byName{xs}, v.field, and *p.
func sortedBy(s *advice.Site, arg ast.Expr, sorter facts.Sorter) (slice ast.Expr, text string, ok bool) {
	isSlice := func(e ast.Expr) bool {
		t := s.Info.TypeOf(e)
		_, slice := t.Underlying().(*types.Slice)
		return slice
	}
	taken := false
	if u, ok := arg.(*ast.UnaryExpr); ok && u.Op == token.AND {
		arg, taken = ast.Unparen(u.X), true
	}
	if sorter.Field == nil {
		if operand, _, ok := facts.Conversion(s.Place, arg); ok {
			return operand, s.Source(operand), isSlice(operand)
		}
		if isSlice(arg) {
			return arg, s.Source(arg), !taken || facts.Plain(s.Place, arg)
		}
		return arg, "*" + s.Source(arg), facts.Plain(s.Place, arg)
	}
	lit, ok := arg.(*ast.CompositeLit)
	if !ok {
		return arg, s.Source(arg) + "." + sorter.Field.Name(), facts.Plain(s.Place, arg)
	}
	st, ok := s.Info.TypeOf(lit).Underlying().(*types.Struct)
	for i, e := range lit.Elts {
		field := ""
		if pair, keyed := e.(*ast.KeyValueExpr); keyed {
			name, isName := pair.Key.(*ast.Ident)
			ok = ok && isName
			if ok {
				field = name.Name
			}
			e = pair.Value
		} else if ok && i < st.NumFields() {
			field = st.Field(i).Name()
		}
		switch {
		case field == sorter.Field.Name():
			slice = e
		case facts.EffectsOf(s.Place, e)&(facts.MayPanic|facts.MayWrite) != 0:
			ok = false // it would no longer be evaluated
		}
	}
	if !ok || slice == nil || !isSlice(slice) {
		return nil, "", false
	}
	return slice, s.Source(slice), true
}

// sortFunc is the function of package slices that replaces one of package sort.
func sortFunc(name string) string {
	switch {
	case strings.HasSuffix(name, "IsSorted"):
		return "IsSortedFunc"
	case strings.HasSuffix(name, "Stable"):
		return "SortStableFunc"
	}
	return "SortFunc"
}

// plainly is a function of package slices without its comparison function.
func plainly(to string) string {
	return strings.Replace(strings.TrimSuffix(to, "Func"), "Stable", "", 1)
}

// calledBy are the methods that a function of package sort calls.
func calledBy(name string) string {
	if strings.HasSuffix(name, "IsSorted") {
		return "Less"
	}
	return "Less and Swap"
}

// needsReview sets the class of a rewrite with a comparison function, and says what to check.
func needsReview(l *edit.Less, to string, m *advice.Match) {
	m.Class = advice.Review
	switch checks := to == "IsSortedFunc"; {
	case l.Float && checks:
		m.Why += " Check that there is no NaN: it is now less than all numbers, and with < it is neither less nor greater."
	case l.Float:
		m.Why += " Check that there is no NaN: it now comes first, and with < its position is undefined."
	case l.Exact || (checks || to == "SortStableFunc") && !l.Calls:
		m.Class = advice.Safe // equal elements are identical, keep their order, or aren't moved
	case l.Calls && checks:
		m.Why += " Check that the comparison has no side effects."
	case l.Calls:
		m.Why += " Check that the comparison has no side effects, and that equal elements may come in a different order."
	default:
		m.Why += " Check that equal elements may come in a different order."
	}
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
	swaps := "swaps elements by reflection "
	if to == "IsSortedFunc" {
		swaps = "takes any slice "
		m.Gain = gainOfSorted
	}
	m.Why = fmt.Sprintf("%s %s; slices.%s with a comparison function is compiled for the element type.", c.Name, strings.TrimSpace(swaps), to)
	l, ok := edit.ReadLess(s, c, slice.Elem())
	if !ok || facts.Deferred(c.Cursor) { // the less function may read another slice by then
		return true
	}
	if l.Ascending && !facts.Commented(s.Place, c.Args[1].Pos(), c.Args[1].End()) {
		m.Why = fmt.Sprintf("%s %sand calls a function for each comparison; slices.%s is compiled for %s.", c.Name, swaps, plainly(to), types.TypeString(slice.Elem(), types.RelativeTo(s.Types)))
		needsReview(l, to, m)
		if m.Gain == 0 {
			m.Gain = gainOfAscending
		}
		m.Imports = []string{"slices"}
		m.Edits = []advice.Edit{edit.Replace(c.Fun, l.Slices+"."+plainly(to)), {Pos: c.Args[0].End(), End: c.Args[1].End()}}
		return true
	}
	needsReview(l, to, m)
	m.Imports = append([]string{"slices"}, l.Imports...)
	m.Edits = append(l.Edits, edit.Replace(c.Fun, l.Slices+"."+to))
	return true
}
