package rules

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/modernize"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// Of the analyzers that go fix runs, those that make a program faster where it is hot.
// The others make it shorter. Where a rule of ours finds what one of them does, and more,
// there is ours alone: fmtappendf (bytes-sprintf), slicessort (sort-slice), stringsseq
// (split-for-one-part), stringsbuilder (string-concat-loop).

var errorsAs = &advice.Rule{
	ID:      "errors-as",
	Pattern: "P63",
	Title:   "an error's type is looked for by reflection",
	Doc: `errors.As takes a pointer to a variable of any type: it asks reflection what that is, for each error of the
chain, and the variable moves to the heap. errors.AsType, which came with Go 1.26, is compiled for the type, and allocates
nothing.

The rewrite is offered where the variable is declared for the call alone and used in the if statement only.`,
	Analyzer: modernize.ErrorsAsTypeAnalyzer,
	Why:      "errors.As compares types by reflection, and its target is allocated on the heap: errors.AsType is compiled for the type, and returns what it finds.",
	Class:    advice.Safe,
	Frames:   lazyregexp.New(`^errors\.[aA]s$|^internal/reflectlite\.`),
	Since:    "1.26",
	Gain:     3,
	Conditions: advice.Conditions{
		Offered: "the variable is declared for the call alone, and used in the if statement only",
	},
}

var reflectAssert = &advice.Rule{
	ID:      "reflect-assert",
	Pattern: "P10",
	Title:   "a reflected value is boxed to find its type",
	Doc: `v.Interface() makes an interface of a value, for which what isn't a pointer is copied to the heap. Where a type
assertion takes it out again at once, reflect.TypeAssert, which came with Go 1.25, does without. An assertion without ok,
which panics, and a type switch stay as they are. Where it asks for an interface, only what has it is copied. Lines where
nothing is copied to the heap, as pointers never are, are not reported.

The rewrite is left to review where there may be no value, or one of an unexported field: both panic, with different texts.`,
	Analyzer: named("reflecttypeassert"),
	Why:      "Interface copies the value to the heap, and the type assertion copies it back: reflect.TypeAssert takes it from where it is.",
	Class:    advice.Safe,
	Frames:   lazyregexp.New(`^reflect\.(Value\.Interface|valueInterface|packEface)$`),
	Since:    "1.25",
	Gain:     2,
	Judge: func(s *advice.Site, _ string, c inspector.Cursor, m *advice.Match) bool {
		if s.Share(reflectCopies) == 0 {
			return false
		}
		defer func() {
			if !holdsValue(s, c.Node()) {
				m.Class = advice.Review
				m.Why += " Check that there is a value, and not one of an unexported field: the panic has another text then."
			}
		}()
		if assert, ok := c.Node().(*ast.TypeAssertExpr); ok && types.IsInterface(s.Info.TypeOf(assert.Type)) {
			m.Why = "Interface copies the value to the heap before it is asked whether it has the methods: reflect.TypeAssert asks first, and copies only what has them."
		}
		return true
	},
	Conditions: advice.Conditions{
		Offered: "the assertion has an ok, so that it doesn't panic",
	},
}

// holdsValue reports whether what a type assertion is about is v.Interface() of a reflect.ValueOf
// of something with a type of its own, which doesn't panic.
func holdsValue(s *advice.Site, assertion ast.Node) bool {
	assert, ok := assertion.(*ast.TypeAssertExpr)
	if !ok {
		return false
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	return ok && s.Callee(of) == "reflect.ValueOf" && len(of.Args) == 1 && !types.IsInterface(s.Info.TypeOf(of.Args[0]))
}

// reflectCopies is where Interface allocates what it copies a value to.
var reflectCopies = lazyregexp.New(`^reflect\.unsafe_New$`)

var reflectType = &advice.Rule{
	ID:      "reflect-type",
	Pattern: "P10",
	Title:   "a type that is known is asked for at run time",
	Doc: `reflect.TypeOf((*T)(nil)).Elem() makes a value to ask for its type, and calls a method to get from there to T.
reflect.TypeFor[T](), which came with Go 1.22, is a constant to the compiler.`,
	Analyzer: modernize.ReflectTypeForAnalyzer,
	Why:      "The type is known to the compiler: reflect.TypeFor is a constant, and calls nothing.",
	Class:    advice.Safe,
	Frames:   lazyregexp.New(`^reflect\.(TypeOf$|toType$|toRType$|\(\*rtype\)\.Elem$)`),
	Since:    "1.22",
	Gain:     3,
	Conditions: advice.Conditions{
		Offered: "the type is written in the call",
	},
}

var appendChain = &advice.Rule{
	ID:    "append-chain",
	Title: "slices are joined by an append for each",
	Doc: `append(append([]T{}, a...), b...) allocates room for a, and then, since that is full, for both, and copies a once
more. slices.Concat, which came with Go 1.22, adds up the lengths first, allocates once and copies each slice once.

It is left to review: of slices that are all empty the result is nil, where append has an empty one if it began with one.
append of a single slice is as fast as slices.Clone, and is not reported.`,
	Analyzer:  modernize.AppendClippedAnalyzer,
	Why:       "Each append allocates again and copies what the one before has copied: slices.Concat allocates once for all. Check that the result may be nil where all are empty, and that it never shares memory with the first.",
	Class:     advice.Review,
	Frames:    lazyregexp.New(`^runtime\.growslice$`),
	Allocates: true,
	Since:     "1.22",
	Gain:      1.8,
	Judge: func(_ *advice.Site, message string, _ inspector.Cursor, _ *advice.Match) bool {
		return strings.HasSuffix(message, "slices.Concat")
	},
	Conditions: advice.Conditions{
		Offered: "slices are appended to a new one, one after the other",
		Review:  "nobody tells nil from an empty slice, where all of them are empty",
	},
}

// named returns an analyzer of the suite that has no name in Go yet; nil if it is gone.
func named(name string) *analysis.Analyzer {
	for _, a := range modernize.Suite {
		if a.Name == name {
			return a
		}
	}
	return nil
}
