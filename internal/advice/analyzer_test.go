package advice

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
)

const calling = `package p

func slow() int { return 1 }

func fast() int { return 1 }

func hot() int {
	n := slow()
	f := func() int { return slow() }
	return n + f()
}

func cold() int {
	return slow()
}
`

// fastFor reports calls of slow, and offers something else.
func fastFor(instead string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "fastfor", Doc: "calls of slow", URL: "https://example.com", Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder((*ast.CallExpr)(nil)) {
				call := c.Node().(*ast.CallExpr)
				if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "slow" {
					pass.Report(analysis.Diagnostic{Pos: id.Pos(), End: id.End(), Message: "slow", SuggestedFixes: []analysis.SuggestedFix{{
						TextEdits: []analysis.TextEdit{{Pos: id.Pos(), End: id.End(), NewText: []byte(instead)}},
					}}})
				}
			}
			return nil, nil
		},
	}
}

// examineHot has a rule look at a package in which line 8, in hot, calls slow.
func examineHot(t *testing.T, goVersion string, r *Rule) *Report {
	t.Helper()
	r.ID, r.Class = "fast-for", Safe
	if r.Match == nil {
		r.Match = FromAnalyzer(r.Analyzer, "slow is slow.", nil)
	}
	return examineWith(t, goVersion, r)
}

// examineWith has some rules look at that package.
func examineWith(t *testing.T, goVersion string, rules ...*Rule) *Report {
	t.Helper()
	p := parse(t, calling)
	p.GoVersion = goVersion
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	callee := b.Location(0, 0, profile.Line{Function: b.Function("lib.slow", "lib.slow", "/lib/slow.go", 1), Line: 1})
	at := b.Location(0, 0, profile.Line{Function: b.Function("example.com/m/p.hot", "", "/src/p.go", 7), Line: 8})
	b.Sample([]uint32{callee, at}, nil, 10, 100e6)
	locate := func(f *profile.Frame) string {
		if f.File == "/src/p.go" {
			return f.File
		}
		return ""
	}
	return Examine([]Input{{Profile: b.Profile()}}, []*Package{p}, locate, Options{Rules: rules})
}

// TestAnalyzer keeps what an analyzer reports where the line is hot by the frames that
// the rule is about, with its fix.
func TestAnalyzer(t *testing.T) {
	report := examineHot(t, "go1.24", &Rule{Analyzer: fastFor("fast"), Frames: lazyregexp.New(`^lib\.slow$`), Since: "1.24"})
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings, want the one of line 8: %+v", len(report.Findings), report.Findings)
	}
	f := report.Findings[0]
	if f.Line != 8 || f.Class != Safe || f.Why != "slow is slow." || f.Fix == nil || !strings.Contains(string(f.Fix.Files[0].After), "n := fast()") {
		t.Errorf("%+v", f)
	}
	report = examineHot(t, "go1.24", &Rule{Analyzer: fastFor("fast"), Frames: lazyregexp.New(`^lib\.other$`)})
	if len(report.Findings) > 0 {
		t.Errorf("the evidence is of something else, and yet: %+v", report.Findings)
	}
	report = examineHot(t, "go1.24", &Rule{Match: FromAnalyzer(fastFor("fast"), "slow is slow.", func(*Site, string, inspector.Cursor, *Match) bool { return false })})
	if len(report.Findings) > 0 {
		t.Errorf("the rule refuses, and yet: %+v", report.Findings)
	}
}

// TestAnalyzerWithoutFix says why a suggested fix isn't offered.
func TestAnalyzerWithoutFix(t *testing.T) {
	for name, c := range map[string]struct {
		goVersion, since, instead, want string
	}{
		"newer Go":         {"go1.24", "1.26", "fast", "needs go 1.26 in go.mod, which says 1.24"},
		"does not compile": {"go1.24", "", "faster", "undefined: faster"},
		"another type":     {"go1.24", "", "string", "no rewrite: "},
	} {
		t.Run(name, func(t *testing.T) {
			report := examineHot(t, c.goVersion, &Rule{Analyzer: fastFor(c.instead), Since: c.since})
			if len(report.Findings) != 1 {
				t.Fatalf("%d findings, want one: %+v", len(report.Findings), report.Findings)
			}
			f := report.Findings[0]
			if f.Class != AdviceOnly || f.Fix != nil || !strings.Contains(strings.Join(f.Caveats, "\n"), c.want) {
				t.Errorf("class %s, fix %v, caveats %q: want C, none and %q", f.Class, f.Fix, f.Caveats, c.want)
			}
		})
	}
}

// TestAnalyzerKeepsComments: a fix that replaces a statement keeps what is said in it;
// one that would lose a comment elsewhere is none.
func TestAnalyzerKeepsComments(t *testing.T) {
	const text = `package p

func f(a, b []int) int {
	for i := range a { // all of them
		a[i] = b[i]
	}
	return max(1 /* at least */, 2)
}
`
	replacing := func(kind ast.Node, instead string) func(*Site) []Match {
		return FromAnalyzer(&analysis.Analyzer{Name: "replacing", Requires: []*analysis.Analyzer{inspect.Analyzer}, Run: func(pass *analysis.Pass) (any, error) {
			for c := range pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root().Preorder(kind) {
				n := c.Node()
				pass.Report(analysis.Diagnostic{Pos: n.Pos(), End: n.End(), SuggestedFixes: []analysis.SuggestedFix{{TextEdits: []analysis.TextEdit{{Pos: n.Pos(), End: n.End(), NewText: []byte(instead)}}}}})
			}
			return nil, nil
		}}, "", nil)
	}
	p := parse(t, text)
	f := p.Files[0].Decls[0].(*ast.FuncDecl)
	c, _ := p.Root().FindNode(f)
	s := &Site{Place: p.Around(c), In: p, Line: 4}
	matches := replacing((*ast.RangeStmt)(nil), "copy(a, b)")(s)
	if len(matches) != 1 || len(matches[0].Edits) != 1 || matches[0].Edits[0].New != "// all of them\ncopy(a, b)" {
		t.Errorf("%+v: want the comment before the call", matches)
	}
	s.Line = 7
	matches = replacing((*ast.CallExpr)(nil), "2")(s)
	if len(matches) != 1 || len(matches[0].Edits) != 0 {
		t.Errorf("%+v: want no edits", matches)
	}
}

// A fact, for analyzers that have some.
type fact struct{}

func (*fact) AFact() {}

// TestAnalyzerFails: an analyzer that can't be run is said, and ends nothing.
func TestAnalyzerFails(t *testing.T) {
	failing := &analysis.Analyzer{Name: "failing", Run: func(*analysis.Pass) (any, error) { return nil, errors.New("no luck") }}
	for name, a := range map[string]*analysis.Analyzer{
		"panicked in example.com/m/p: index":      {Name: "a", Run: func(pass *analysis.Pass) (any, error) { panic("index") }},
		"needs facts about imported packages":     {Name: "a", FactTypes: []analysis.Fact{new(fact)}, Run: failing.Run},
		"a: failing in example.com/m/p: no luck":  {Name: "a", Requires: []*analysis.Analyzer{failing}, Run: failing.Run},
		"elsewhere.go: not a file of the package": {Name: "a", Run: func(pass *analysis.Pass) (any, error) { return pass.ReadFile("elsewhere.go") }},
	} {
		report := examineHot(t, "go1.24", &Rule{Analyzer: a})
		if len(report.Findings) > 0 || !slices.ContainsFunc(report.Unexamined, func(s string) bool { return strings.Contains(s, name) }) {
			t.Errorf("findings %+v, unexamined %q: want none, and %q", report.Findings, report.Unexamined, name)
		}
	}
}

// TestCompiles checks a rewritten file beside others, whose functions have no bodies then.
func TestCompiles(t *testing.T) {
	files := map[string]string{
		"/src/a.go": "package p\n\nimport \"errors\"\n\nfunc a() error { return errors.New(b(1)) }\n",
		"/src/b.go": "package p\n\nimport \"strings\"\n\nfunc init() { strings.ToLower(\"\") }\n\nfunc b[T any](T) string { return strings.Repeat(\"b\", 3) }\n\nfunc _() {}\n",
	}
	p := Package{Package: &code.Package{Path: "example.com/m/p", Fset: token.NewFileSet()}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(p.Fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.Files = append(p.Files, f)
	}
	var err error
	config := types.Config{Importer: importer.ForCompiler(p.Fset, "source", nil)}
	if p.Types, err = config.Check(p.Path, p.Fset, p.Files, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"/src/a.go", strings.Replace(files["/src/a.go"], "b(1)", "b(1) + b(true)", 1), ""},
		{"/src/b.go", files["/src/b.go"] + "var c = a()\n", ""},
		{"/src/a.go", strings.Replace(files["/src/a.go"], "b(1)", "b(1) + 1", 1), "mismatched types"},
		{"/src/a.go", strings.Replace(files["/src/a.go"], "errors.New(b(1))", "nil", 1), "imported and not used"},
		{"/src/a.go", strings.Replace(files["/src/a.go"], "func a() error {", "func a() error { x := 1;", 1), "declared and not used"},
		{"/src/a.go", files["/src/a.go"] + "var b = 1\n", "redeclared"},
		{"/src/a.go", "package p\n\nimport \"sort\"\n\nvar a = sort.Ints\n", ""}, // which nobody has imported so far
		{"/src/b.go", strings.Replace(files["/src/b.go"], "func b", "type a int\n\nfunc b", 1), "a redeclared: /src/a.go:5:6 has it"},
		{"/src/b.go", files["/src/b.go"] + "func init() {}\n\nfunc _() {}\n\nvar _ = a\n", ""},
		{"/src/a.go", "package p\n\nimport order \"sort\"\n\nvar a = order.Ints\n", ""},
		{"/src/a.go", "package p\n\nimport order \"sort\"\n\nvar a = order.Ints + undefined\n", "undefined: undefined"},
		{"/src/a.go", "package p\n\nfunc a() {", "expected"},
		{"/src/c.go", "package p\n", errNotBuilt.Error()},
	} {
		got := fmt.Sprint(p.compiles([]FileChange{{File: c.name, After: []byte(c.text)}}))
		if c.want == "" && got != "<nil>" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
	// What one file declares another may use, if both change.
	both := []FileChange{
		{File: "/src/a.go", After: []byte(strings.Replace(files["/src/a.go"], "b(1)", "added(1)", 1))},
		{File: "/src/b.go", After: []byte(files["/src/b.go"] + "\nfunc added(n int) string { return b(n) }\n")},
	}
	if err := p.compiles(both); err != nil {
		t.Error(err)
	}
	if err := p.compiles(both[:1]); err == nil || !strings.Contains(err.Error(), "undefined: added") {
		t.Errorf("without the other file: %v", err)
	}
	if p.Fset.File(p.Files[0].FileStart) == nil {
		t.Error("the file as it is has no positions any more")
	}
}
