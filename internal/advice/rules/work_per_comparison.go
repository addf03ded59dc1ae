package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
)

var workPerComparison = &advice.Rule{
	ID:    "work-per-comparison",
	Title: "sort keys are computed in each comparison",
	Doc: `Sorting n elements takes about n·log₂ n comparisons. A function that computes the sort key, such as String, ToLower or a
lookup, is called twice per comparison: about 20,000 times for 1,000 elements, where 1,000 calls would do.

Compute the key of each element once, into a slice of keys and elements, and sort that. Or first compare fields that are
at hand and usually differ, and call the function only if they are equal. Which is better depends on the function, so
this rule only gives advice. Functions that only compare are not reported.`,
	Class: advice.AdviceOnly,
	Gain:  2,
	Match: matchWorkPerComparison,
}

// sorters are functions that take a comparison function.
var sorters = []string{
	"sort.Slice", "sort.SliceStable", "slices.SortFunc", "slices.SortStableFunc", "slices.MinFunc", "slices.MaxFunc",
	"golang.org/x/exp/slices.SortFunc", "golang.org/x/exp/slices.SortStableFunc",
}

func matchWorkPerComparison(s *advice.Site) []advice.Match {
	const much = 0.1
	if s.Share(nil) < much || !compares(s) {
		return nil
	}
	for _, c := range s.Calls() {
		if !works(s, c) {
			continue
		}
		text := s.Source(c.Fun)
		if !edit.OneLine(text) {
			text = "a function"
		}
		return []advice.Match{{Node: c.CallExpr,
			Why: fmt.Sprintf("%s is called for both elements in each comparison, about 2·log₂ n times per element. Call it once per element before sorting, and sort by the result; or first compare fields that need no call.", text)}}
	}
	return nil
}

// compares reports whether the function at a site is the comparison function of a sort.
func compares(s *advice.Site) bool {
	switch f := s.Func.Node().(type) {
	case *ast.FuncLit:
		call, ok := s.Func.Parent().Node().(*ast.CallExpr)
		return ok && call.Fun != ast.Expr(f) && slices.Contains(sorters, s.Callee(call))
	case *ast.FuncDecl:
		if f.Name.Name != "Less" || f.Recv == nil {
			return false
		}
		fn, ok := s.Info.Defs[f.Name].(*types.Func)
		if !ok {
			return false
		}
		obj, _, _ := types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, s.Types, "Swap")
		return obj != nil
	}
	return false
}

// works reports whether a call does more than compare or read a value.
func works(s *advice.Site, c code.Call) bool {
	if c.Name == "" && s.Info.Types[c.Fun].IsType() || c.Name != "" && !strings.Contains(c.Name, ".") {
		return false // a conversion or a built-in function
	}
	name := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
	switch {
	case strings.HasPrefix(name, "Compare"), strings.HasPrefix(name, "Less"), name == "Before", name == "After", name == "Equal", name == "Cmp":
		return false
	case strings.HasPrefix(c.Name, "cmp."), strings.HasPrefix(c.Name, "math."), strings.HasPrefix(c.Name, "sync"), strings.HasPrefix(c.Name, "sort."):
		return false
	}
	return !getter(s, c)
}

// getter reports whether a call is of a method of the package that only returns a field.
func getter(s *advice.Site, c code.Call) bool {
	for d := range s.Root().Preorder((*ast.FuncDecl)(nil)) {
		f := d.Node().(*ast.FuncDecl)
		fn, ok := s.Info.Defs[f.Name].(*types.Func)
		if !ok || fn.FullName() != c.Name || f.Body == nil || len(f.Body.List) != 1 {
			continue
		}
		r, ok := f.Body.List[0].(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && !containsCall(d)
	}
	return false
}

func containsCall(c inspector.Cursor) bool {
	for range c.Preorder((*ast.CallExpr)(nil)) {
		return true
	}
	return false
}
