package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"github.com/hone-go/hone/internal/advice"
)

var sortSlice = &advice.Rule{
	ID:      "sort-slice",
	Pattern: "P46",
	Title:   "sorting goes through an interface or reflection",
	Doc: `sort.Slice swaps elements by reflection and compares them through their numbers; sort.Sort makes three interface
calls for each step. slices.Sort and slices.SortFunc are compiled for the type of the elements and compare them in
registers, which is two to three times as fast. slices came with Go 1.21; since 1.22 sort.Strings, sort.Ints and
sort.Float64s call slices.Sort themselves, so that no rewrite is offered there.

Of a less function that compares two elements in one expression, or one field after the other, the rewrite makes the
function that slices.SortFunc wants: return a.n < b.n becomes return cmp.Compare(a.n, b.n). Elements that compare equal
may come in another order, as with any sort that is not stable, and NaNs come first. Other less functions get advice only.

slices.SortFunc hands elements over by value: those of more than 48 bytes are not reported, as copying them costs what
reflection did.`,
	Class:  advice.Safe,
	Frames: regexp.MustCompile(`^sort\.|^internal/reflectlite\.(Swapper|ValueOf)`),
	Since:  "1.21",
	Gain:   2.5,
	Match:  matchSortSlice,
}

// largestCopied is the size of elements up to which slices.SortFunc is clearly faster
// than sort.Slice: measured, it is 2.5 times as fast at 8 bytes, 1.7 at 32, the same
// at 64 and half as fast at 128.
const largestCopied = 48

func matchSortSlice(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("sort.Slice", "sort.SliceStable", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Sort", "sort.Stable") {
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		ok := false
		switch c.Name {
		case "sort.Slice", "sort.SliceStable":
			ok = len(c.Args) == 2 && sliceWithLess(s, c, &m)
		case "sort.Sort", "sort.Stable":
			ok = len(c.Args) == 1 && sortedInterface(s, c, &m)
		default:
			ok = len(c.Args) == 1
			m.Title = "sort forwards to slices"
			m.Why = fmt.Sprintf("slices.Sort does the same. Since Go 1.22 %s calls it itself, so that hardly more is gained than a call.", c.Name)
			m.Gain = 1.05
		}
		if ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// useSlicesSort is the rewrite to slices.Sort.
func useSlicesSort(s *advice.Site, c advice.Call, arg ast.Expr, m *advice.Match) {
	pkg, ok := packageName(s, "slices", c.Pos())
	if _, slice := s.Info.TypeOf(arg).Underlying().(*types.Slice); !ok || !slice {
		return
	}
	m.Class, m.Imports = advice.Safe, []string{"slices"}
	m.Edits = []advice.Edit{replace(c.Fun, pkg+".Sort")}
	if arg != c.Args[0] {
		m.Edits = append(m.Edits, replace(c.Args[0], s.Source(arg)))
	}
}

// sortedInterface is about sort.Sort(x).
func sortedInterface(s *advice.Site, c advice.Call, m *advice.Match) bool {
	arg := ast.Unparen(c.Args[0])
	reverse := false
	if call, ok := arg.(*ast.CallExpr); ok && s.Callee(call) == "sort.Reverse" && len(call.Args) == 1 {
		arg, reverse = ast.Unparen(call.Args[0]), true
	}
	t := s.Info.TypeOf(arg)
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false // what is sorted is more than a slice
	}
	elem := slice.Elem()
	switch types.TypeString(types.Unalias(t), nil) {
	case "sort.StringSlice", "sort.IntSlice", "sort.Float64Slice":
		m.Why = fmt.Sprintf("%s calls Less and Swap through an interface: slices.Sort is compiled for %ss.", c.Name, elem)
		if operand, _, ok := conversion(s, arg); ok {
			if _, slice := s.Info.TypeOf(operand).Underlying().(*types.Slice); slice {
				arg = operand
			}
		}
		if !reverse {
			useSlicesSort(s, c, arg, m)
			return true
		}
		pkg, ok := packageName(s, "slices", c.Pos())
		compare, ok2 := packageName(s, "cmp", c.Pos())
		elemText, ok3 := typeText(s, elem, c.Pos())
		if ok && ok2 && ok3 && !commented(s, c.Pos(), c.End()) {
			m.Class, m.Imports = advice.Safe, []string{"slices", "cmp"}
			m.Edits = []advice.Edit{replace(c.CallExpr, fmt.Sprintf("%s.SortFunc(%s, func(a, b %s) int { return %s.Compare(b, a) })", pkg, s.Source(arg), elemText, compare))}
		}
		return true
	}
	if n, ok := sizeOf(elem); !ok || n > largestCopied {
		return false
	}
	m.Why = fmt.Sprintf("%s calls Less and Swap of %s through an interface: slices.%s with a function that compares two elements is compiled for them.",
		c.Name, types.TypeString(t, types.RelativeTo(s.Types)), sortFunc(c.Name))
	m.Gain = 1.5
	return true
}

func sortFunc(name string) string {
	if strings.HasSuffix(name, "Stable") {
		return "SortStableFunc"
	}
	return "SortFunc"
}

// sliceWithLess is about sort.Slice(x, func(i, j int) bool {…}).
func sliceWithLess(s *advice.Site, c advice.Call, m *advice.Match) bool {
	slice, ok := s.Info.TypeOf(c.Args[0]).Underlying().(*types.Slice)
	if !ok {
		return false
	}
	if n, ok := sizeOf(slice.Elem()); ok && n > largestCopied {
		return false
	}
	to := sortFunc(c.Name)
	m.Why = fmt.Sprintf("%s swaps elements by reflection: slices.%s with a function that compares two elements is compiled for them.", c.Name, to)
	l, ok := readLess(s, c, slice.Elem())
	if !ok {
		return true
	}
	m.Class = advice.Review
	if l.float {
		m.Why += " NaNs, which < leaves wherever they are, come first then."
	} else if l.exact || to == "SortStableFunc" && !l.calls {
		m.Class = advice.Safe // what compares equal is the same, or stays in order
	}
	if l.ascending && !commented(s, c.Args[1].Pos(), c.Args[1].End()) {
		m.Why = fmt.Sprintf("%s swaps elements by reflection and calls a function for each comparison: slices.Sort is compiled for %s.", c.Name, types.TypeString(slice.Elem(), types.RelativeTo(s.Types)))
		if l.float {
			m.Why += " NaNs, which < leaves wherever they are, come first then."
		}
		m.Gain = 3
		m.Imports = []string{"slices"}
		m.Edits = []advice.Edit{replace(c.Fun, l.slices+".Sort"), {Pos: c.Args[0].End(), End: c.Args[1].End()}}
		return true
	}
	m.Imports = append([]string{"slices"}, l.imports...)
	m.Edits = append(l.edits, replace(c.Fun, l.slices+"."+to))
	return true
}
